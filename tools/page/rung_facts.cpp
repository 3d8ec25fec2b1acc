#include "tools/page/rung_facts.h"

#include <algorithm>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "runtime/compile.h"
#include "tools/cli/judge/rung_kernels.h"

namespace hone {
namespace {

/// Of the grid, whose requests drawings count.
constexpr int64_t most_drawn_blocks = 8;

/// A rung that is given as kernels has neither schedule nor loops.
RungTexts texts_of(const RungRef& rung) {
  const bool is_host = rung.rung->target == RungTarget::host;
  const RungKernels kernels = kernels_of(rung, {}, rung.ladder->sizes);
  RungTexts texts;
  texts.module = is_host ? lower_host(kernels.program) : kernels.module;
  const Module& module = texts.module;
  texts.cuda = is_host ? "" : cuda_of(module);
  texts.code = is_host ? plain_listing(emit_c(module.kernels.front()))
                       : cuda_listing(kernels.schedule_or_null(), module);
  if (!kernels.schedule) return texts;
  texts.source = source_of(*rung.ladder, *rung.rung, *kernels.schedule);
  texts.schedule = schedule_listing(*kernels.schedule);
  texts.loops = loops_listing(*kernels.schedule);
  texts.axes = rows_of(axis_places(*kernels.schedule, module));
  texts.tiles = rows_of(tile_places(*kernels.schedule, module));
  return texts;
}

Counted count_rung_of_page(const RungRef& rung, const Sizes& sizes, const PageOptions& options) {
  Counted counted;
  try {
    if (rung.rung->target == RungTarget::host)
      counted.host = HostProfile{sizes, count_host(rung, sizes)};
    else
      counted.profile = profile_rung(rung, sizes, options.seed, options.count, options.target);
  } catch (const std::exception& error) {
    counted.problem = error.what();
  }
  return counted;
}

void draw(const RungRef& rung, const PageOptions& options,
          const std::shared_ptr<BankFigures>& banks, RungFacts& facts) {
  try {
    facts.drawings =
        drawings_of(rung, {drawn_sizes_of(options), options.seed, most_drawn_blocks}, banks);
  } catch (const std::exception& error) {
    facts.drawing_problem = error.what();
  }
}

}  // namespace

const Sizes& drawn_sizes_of(const PageOptions& options) {
  return options.drawn_sizes.empty() ? options.sizes : options.drawn_sizes;
}

std::string cuda_of(const Module& module) {
  std::string text;
  for (const KernelFunction& kernel : module.kernels) text += emit_cuda(kernel);
  return text;
}

RungFacts facts_of(const RungRef& rung) {
  RungFacts facts;
  try {
    facts.texts = texts_of(rung);
  } catch (const std::exception& error) {
    facts.problem = error.what();
  }
  return facts;
}

void add_counts_and_drawings(const RungRef& rung, size_t number, const CountPlan& plan,
                             const PageOptions& options, const std::shared_ptr<BankFigures>& banks,
                             RungFacts& facts) {
  facts.counted.resize(plan.sizes().size());
  if (!facts.problem.empty()) return;
  for (const size_t sizes : plan.counted(number))
    facts.counted[sizes] = count_rung_of_page(rung, plan.sizes()[sizes], options);
  draw(rung, options, banks, facts);
}

}  // namespace hone

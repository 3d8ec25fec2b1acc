#include "tools/page/rung_facts.h"

#include <algorithm>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "runtime/compile.h"
#include "tools/cli/judge/rung_kernels.h"

namespace hone {
namespace {

/// The simulated device takes a fraction of a second for so many operations.
constexpr double most_work_of_block = 1e7;
/// Of all arrays, which are allocated in whole for each rung.
constexpr double most_bytes = 3e8;
/// Of the grid, whose requests drawings count.
constexpr int64_t most_drawn_blocks = 8;

/// A rung that is given as kernels has neither schedule nor loops.
RungTexts texts_of(const RungRef& rung) {
  const bool is_host = rung.rung->target == RungTarget::host;
  const RungKernels kernels = kernels_of(rung, {}, rung.ladder->sizes);
  const Module module = is_host ? lower_host(kernels.program) : kernels.module;
  RungTexts texts;
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

/// Blocks of the largest grid.
int64_t blocks_of(const Module& module, const Sizes& sizes) {
  int64_t blocks = 1;
  for (const KernelFunction& kernel : module.kernels) {
    const LaunchDims dims = launch_dims(kernel, sizes);
    blocks = std::max<int64_t>(blocks, dims.grid[0] * dims.grid[1] * dims.grid[2]);
  }
  return blocks;
}

/// Operations, or elements where the ladder counts none.
double work_of(const Ladder& ladder, const Sizes& sizes) {
  if (ladder.flops) return ladder.flops(sizes);
  return ladder.bytes ? ladder.bytes(sizes) / 4 : 0;
}

bool has_small_blocks(const RungRef& rung, const Sizes& sizes) {
  const auto blocks = static_cast<double>(blocks_of(kernels_of(rung, {}, sizes).module, sizes));
  return work_of(*rung.ladder, sizes) / blocks <= most_work_of_block;
}

Counted count_rung_of_page(const RungRef& rung, const PageOptions& options) {
  Counted counted;
  try {
    if (rung.rung->target == RungTarget::host)
      counted.host = HostProfile{options.sizes, count_host(rung, options.sizes)};
    else
      counted.profile = count_at(rung, options.counted_sizes, options);
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

Sizes common_sizes(const Ladder& ladder, const PageOptions& options) {
  if (options.count.most_blocks == 0) return options.sizes;
  if (ladder.bytes && ladder.bytes(options.sizes) > most_bytes) return simulated_sizes(ladder, {});
  for (const Rung& rung : ladder.rungs) {
    if (rung.target == RungTarget::host) continue;
    try {
      if (!has_small_blocks({&ladder, &rung}, options.sizes)) return simulated_sizes(ladder, {});
    } catch (const std::exception&) {  // the page says why it cannot be built
      continue;
    }
  }
  return options.sizes;
}

Profile count_at(const RungRef& rung, const Sizes& sizes, const PageOptions& options) {
  return profile_rung(rung, sizes, options.seed, options.count, options.target);
}

std::string cuda_of(const Module& module) {
  std::string text;
  for (const KernelFunction& kernel : module.kernels) text += emit_cuda(kernel);
  return text;
}

RungFacts facts_of(const RungRef& rung, const PageOptions& options,
                   const std::shared_ptr<BankFigures>& banks) {
  RungFacts facts;
  try {
    facts.texts = texts_of(rung);
  } catch (const std::exception& error) {
    facts.problem = error.what();
    return facts;
  }
  facts.counted = count_rung_of_page(rung, options);
  draw(rung, options, banks, facts);
  return facts;
}

}  // namespace hone

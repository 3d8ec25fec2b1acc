#include "tools/cli/command/drawings.h"

#include "tools/cli/judge/problem.h"
#include "tools/cli/judge/rung_kernels.h"
#include "tools/cli/judge/simulated_run.h"

namespace hone {
namespace {

std::optional<RungRef> gpu_base_of(const RungRef& rung) {
  const Rung* base = built_on(*rung.ladder, *rung.rung);
  if (!base || base->target != RungTarget::gpu) return std::nullopt;
  return RungRef{rung.ladder, base};
}

double conflicts(const Figure& figure) {
  return figure.facts.at("wavefronts") - figure.facts.at("ideal_wavefronts");
}

/// The figure of the same accesses, where they have more conflicts or fewer; null where there is
/// none.
const Figure* changed_from(const std::vector<Figure>& before, const Figure& after) {
  for (const Figure& figure : before)
    if (figure.subject == after.subject && conflicts(figure) != conflicts(after)) return &figure;
  return nullptr;
}

}  // namespace

Recording record_rung(const RungRef& rung, const DrawingOptions& options) {
  const Problem problem = make_problem_of_blocks(program_for(rung, options.sizes), options.sizes,
                                                 options.seed, options.most_blocks);
  DrawOptions draw_options;
  draw_options.most_blocks = options.most_blocks;
  draw_options.all_patterns = options.all_patterns;
  for (const Argument& argument : problem.arguments)
    draw_options.arrays.emplace(argument.tensor->name, argument.array);
  const RungKernels kernels = kernels_of(rung, {}, problem.sizes);
  return Recording(kernels.module, kernels.program, problem.sizes, draw_options);
}

const std::vector<Figure>& BankFigures::of(const std::string& rung,
                                           const std::function<std::vector<Figure>()>& make) {
  std::unique_lock all(mutex_);
  Entry& entry = entries_[rung];
  all.unlock();
  const std::lock_guard own(entry.mutex);
  if (!entry.figures) entry.figures = make();
  return *entry.figures;
}

Drawings::Drawings(const RungRef& rung, const DrawingOptions& options,
                   std::shared_ptr<BankFigures> banks)
    : rung_(rung), options_(options), banks_(std::move(banks)), base_rung_(gpu_base_of(rung)) {
  if (rung.rung->target == RungTarget::gpu) recording_ = record_rung(rung, options);
}

std::vector<Figure> Drawings::banks() {
  std::vector<Figure> figures =
      banks_->of(rung_.rung->name, [&] { return figures_of(*recording_, FigureKind::banks); });
  if (!base_rung_ || figures.empty() || options_.all_patterns) return figures;
  const std::vector<Figure>& before = banks_->of(base_rung_->rung->name, [&] {
    return figures_of(record_rung(*base_rung_, options_), FigureKind::banks);
  });
  for (Figure& figure : figures)
    if (const Figure* other = changed_from(before, figure))
      figure = before_and_after(*other, base_rung_->name(), figure, rung_.name());
  return figures;
}

std::vector<Figure> Drawings::of(FigureKind kind) {
  if (kind == FigureKind::space)
    return space_figures(program_of(rung_, {}).function(), options_.sizes);
  if (!recording_) return {};
  return kind == FigureKind::banks ? banks() : figures_of(*recording_, kind);
}

}  // namespace hone

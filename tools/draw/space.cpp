// The iterations of a program, and which of them wait for others.
#include <algorithm>

#include "fmt/ranges.h"
#include "ir/interpret/interpreter.h"
#include "ir/schedule/legality/dependences.h"
#include "tools/draw/recorded_run.h"
#include "tools/draw/words.h"

namespace hone {
namespace {

constexpr int64_t most_row_blocks = 4, most_column_blocks = 8, block_gap = 14;

/// The loops of a nest that are drawn: iterations of `columns` lie in a row.
struct Axes {
  const LoopDependences* rows = nullptr;  ///< null in a nest of one loop
  const LoopDependences* columns = nullptr;
};

/// The innermost loop that `holds` says yes of, other than `taken`; null where there is none.
template <class Holds>
const LoopDependences* innermost(const NestDependences& nest, const LoopDependences* taken,
                                 const Holds& holds) {
  const LoopDependences* found = nullptr;
  for (const LoopDependences& loop : nest.loops)
    if (&loop != taken && holds(loop)) found = &loop;
  return found;
}

/// Along a row a loop with a dependence, where there is one; across a parallel one.
Axes axes_of(const NestDependences& nest) {
  const auto carries = [](const LoopDependences& loop) { return !loop.is_parallel(); };
  const auto is_parallel = [](const LoopDependences& loop) { return loop.is_parallel(); };
  const auto any = [](const LoopDependences&) { return true; };
  Axes axes;
  axes.columns = innermost(nest, nullptr, carries);
  if (!axes.columns) axes.columns = innermost(nest, nullptr, any);
  axes.rows = innermost(nest, axes.columns, is_parallel);
  if (!axes.rows) axes.rows = innermost(nest, axes.columns, any);
  return axes;
}

/// Iterations between those that wait for each other: the least that is known, else 1. 0: none.
int64_t distance_of(const LoopDependences* loop) {
  if (!loop || loop->is_parallel()) return 0;
  int64_t least = INT64_MAX;
  for (const CarriedDependence& one : loop->carried)
    least = std::min(least, std::max<int64_t>(one.distance.value_or(1), 1));
  return least;
}

/// The extent of a loop as far as it is drawn.
int64_t drawn_extent(const LoopDependences* loop, const Sizes& sizes, int64_t most) {
  if (!loop) return 1;
  try {
    return std::clamp<int64_t>(evaluate(loop->loop->extent, sizes), 1, most);
  } catch (const std::exception&) {  // a size that is not given
    return most;
  }
}

std::vector<std::string> labels_of(const LoopDependences* loop, int64_t extent) {
  std::vector<std::string> labels;
  for (int64_t n = 0; loop && n < extent; ++n)
    labels.push_back(fmt::format("{}={}", loop->loop->axis->name, n));
  return labels;
}

/// The step in which an iteration can run at the earliest, where those that wait do so for all
/// before them.
int64_t step_of(const Axes& axes, int64_t row, int64_t column, int64_t columns) {
  const int64_t across = distance_of(axes.rows), along = distance_of(axes.columns);
  const int64_t turn = along == 0 ? 0 : column / along;
  const int64_t turns = along == 0 ? 1 : (columns + along - 1) / along;
  return across == 0 ? turn : row / across * turns + turn;
}

FigurePanel iterations_panel(const Axes& axes, const Sizes& sizes) {
  const int64_t rows = drawn_extent(axes.rows, sizes, most_row_blocks);
  FigurePanel panel("", rows, drawn_extent(axes.columns, sizes, most_column_blocks));
  panel.row_gap = block_gap;
  panel.row_labels = labels_of(axes.rows, rows);
  panel.column_labels = labels_of(axes.columns, panel.columns);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < panel.columns; ++column) {
      FigureCell& cell = panel.at(row, column);
      const int64_t step = step_of(axes, row, column, panel.columns);
      cell = {std::to_string(step), static_cast<int>(step % figure_colours),
              fmt::format("runs in step {} at the earliest", step), step, true};
    }
  return panel;
}

void add_arrows(Figure& figure, const Axes& axes) {
  const FigurePanel& panel = figure.panels[0];
  const int64_t across = distance_of(axes.rows), along = distance_of(axes.columns);
  for (int64_t row = 0; row < panel.rows; ++row)
    for (int64_t column = 0; column < panel.columns; ++column) {
      if (along > 0 && column + along < panel.columns)
        figure.arrows.push_back({{0, row, column}, {0, row, column + along}});
      if (across > 0 && row + across < panel.rows)
        figure.arrows.push_back({{0, row, column}, {0, row + across, column}});
    }
}

/// "k carries a reduction of C, which may be regrouped"
std::string text_of(const LoopDependences& loop) {
  const std::string& name = loop.loop->axis->name;
  if (loop.is_parallel()) return name + " is parallel";
  std::vector<std::string> parts;
  for (const CarriedDependence& one : loop.carried) {
    std::string part = fmt::format("{} of {}", to_string(one.kind), one.tensor->name);
    if (one.distance) part += fmt::format(" over {}", amount(*one.distance, "iteration"));
    for (const auto& [tensor, regrouping] : loop.regroupings)
      if (tensor == one.tensor->name && one.kind == DependenceKind::reduction)
        part += regrouping.is_allowed ? ", which may be regrouped" : ", which keeps its order";
    if (!llvm::is_contained(parts, part)) parts.push_back(part);
  }
  return fmt::format("{} carries a dependence ({})", name, fmt::join(parts, "; "));
}

Figure space_figure(const NestDependences& nest, const Sizes& sizes) {
  const Axes axes = axes_of(nest);
  std::vector<std::string> loops, names;
  for (const LoopDependences& loop : nest.loops) {
    loops.push_back(text_of(loop));
    names.push_back(loop.loop->axis->name);
  }
  const auto parallel =
      llvm::count_if(nest.loops, [](const LoopDependences& loop) { return loop.is_parallel(); });
  Figure figure;
  figure.kind = name(FigureKind::space);
  figure.subject = fmt::format("{}", fmt::join(nest.writes, ", "));
  figure.title = fmt::format("the iterations that make {}: {} of {} parallel", figure.subject,
                             parallel, amount(static_cast<int64_t>(nest.loops.size()), "loop"));
  figure.caption = fmt::format(
      "{}. The number and the colour are the step in which an iteration can run at the earliest: "
      "iterations of one step can run at the same time. An arrow leads to one that waits.",
      fmt::join(loops, ". "));
  figure.panels = {iterations_panel(axes, sizes)};
  if (nest.loops.size() > 2)
    figure.panels[0].note = fmt::format("of {} these two are drawn; the others have one iteration",
                                        fmt::join(names, ", "));
  add_arrows(figure, axes);
  figure.facts = {{"loops", static_cast<double>(nest.loops.size())},
                  {"parallel_loops", static_cast<double>(parallel)}};
  return figure;
}

}  // namespace

std::vector<Figure> space_figures(const Function& program, const Sizes& sizes) {
  std::vector<Figure> figures;
  for (const NestDependences& nest : dependences_of(program))
    if (!nest.loops.empty()) figures.push_back(space_figure(nest, sizes));
  return figures;
}

std::vector<Figure> space_figures(const Recording& recording) {
  return space_figures(recording.run().function, recording.run().sizes);
}

}  // namespace hone

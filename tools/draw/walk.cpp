// The way of a block through its operands, turn by turn of a serial loop.
#include <numeric>
#include <set>

#include "fmt/format.h"
#include "tools/draw/bounds.h"
#include "tools/draw/recorded_run.h"
#include "tools/draw/words.h"

namespace hone {
namespace {

constexpr int64_t most_tiles = 32, least_tiles = 8;

/// The elements of a tensor that the block reads, by the turn of the loop.
struct Visited {
  const TensorIndex* tensor = nullptr;
  std::map<int64_t, TensorBounds> turns;
  std::set<int64_t> elements;
  int64_t reads = 0;  ///< of elements, by all threads
};

/// The outermost loop around some reads that takes several turns.
struct Walk {
  const RecordedKernel* kernel = nullptr;
  const For* loop = nullptr;
  bool is_whole = true;
  std::vector<Visited> operands;

  Visited& of(const TensorIndex& tensor) {
    for (Visited& visited : operands)
      if (visited.tensor->name() == tensor.name()) return visited;
    return operands.emplace_back(Visited{&tensor, {}, {}, 0});
  }
};

/// The number of the outermost loop around an access that the block takes several turns of;
/// nothing where there is none.
std::optional<size_t> walked_loop(const RecordedKernel& kernel, uint32_t access) {
  std::vector<std::set<int64_t>> turns(kernel.report.accesses[access].loops.size());
  for (const RecordedStep& step : kernel.report.steps)
    if (kernel.is_drawn(step) && step.kind == RecordedStep::Kind::access && step.access == access)
      for (size_t loop = 0; loop < turns.size(); ++loop) turns[loop].insert(step.iteration[loop]);
  for (size_t loop = 0; loop < turns.size(); ++loop)
    if (turns[loop].size() > 1) return loop;
  return std::nullopt;
}

Walk& walk_of(std::vector<Walk>& walks, const RecordedKernel& kernel, const For& loop) {
  for (Walk& walk : walks)
    if (walk.loop == &loop) return walk;
  return walks.emplace_back(Walk{&kernel, &loop, true, {}});
}

void add_reads(Walk& walk, const RecordedKernel& kernel, uint32_t access, size_t loop) {
  const RecordedAccess& recorded = kernel.report.accesses[access];
  walk.is_whole &= recorded.has_all_steps;
  Visited& visited = walk.of(kernel.tensors[access]);
  for (const RecordedStep& step : kernel.report.steps) {
    if (!kernel.is_drawn(step) || step.kind != RecordedStep::Kind::access || step.access != access)
      continue;
    for (const int64_t first : step.threads)
      for (int64_t place = 0; first >= 0 && place < recorded.report.width; ++place) {
        visited.turns[step.iteration[loop]].add(*visited.tensor, first + place);
        visited.elements.insert(first + place);
        ++visited.reads;
      }
  }
}

std::vector<Walk> walks_of(const RecordedKernel& kernel) {
  std::vector<Walk> walks;
  for (uint32_t access = 0; access < kernel.report.accesses.size(); ++access) {
    const RecordedAccess& recorded = kernel.report.accesses[access];
    if (recorded.report.access_class != AccessClass::global_load) continue;
    if (const auto loop = walked_loop(kernel, access))
      add_reads(walk_of(walks, kernel, *llvm::cast<For>(recorded.loops[*loop])), kernel, access,
                *loop);
  }
  return walks;
}

/// True if the turns of the loop lead to different places.
bool moves(const Visited& visited) {
  for (const auto& [turn, bounds] : visited.turns)
    if (!(bounds == visited.turns.begin()->second)) return true;
  return false;
}

// ---- The picture --------------------------------------------------------------------------------

/// The rows and columns of a tile, of which all starts and lengths are multiples. A tile that is
/// cut off at the end of the tensor does not count for its length.
struct Unit {
  int64_t rows = 0, columns = 0;
};

Unit unit_of(const Visited& visited) {
  Unit unit;
  for (const auto& [turn, bounds] : visited.turns) {
    unit.rows = std::gcd(unit.rows, bounds.first_row);
    unit.columns = std::gcd(unit.columns, bounds.first_column);
    if (bounds.last_row + 1 < visited.tensor->rows() || unit.rows == 0)
      unit.rows = std::gcd(unit.rows, bounds.rows());
    if (bounds.last_column + 1 < visited.tensor->columns() || unit.columns == 0)
      unit.columns = std::gcd(unit.columns, bounds.columns());
  }
  return {std::max<int64_t>(unit.rows, 1), std::max<int64_t>(unit.columns, 1)};
}

/// A part of a side of the tensor, in tiles.
struct Window {
  int64_t first = 0, count = 0, all = 0;
};

/// The visited part of a long side, and a little more.
Window window(int64_t extent, int64_t unit, int64_t first_visited, int64_t last_visited) {
  const int64_t all = (extent + unit - 1) / unit;
  if (all <= most_tiles) return {0, all, all};
  const int64_t visited = last_visited / unit - first_visited / unit + 1;
  const int64_t count = std::clamp<int64_t>(visited + 4, least_tiles, most_tiles);
  return {std::min(first_visited / unit, all - count), count, all};
}

FigurePanel tiles_panel(const Visited& visited) {
  const Unit unit = unit_of(visited);
  TensorBounds all;
  for (const int64_t element : visited.elements) all.add(*visited.tensor, element);
  const Window rows = window(visited.tensor->rows(), unit.rows, all.first_row, all.last_row);
  const Window columns =
      window(visited.tensor->columns(), unit.columns, all.first_column, all.last_column);
  FigurePanel panel(
      fmt::format("{} in tiles of {} x {}", visited.tensor->name(), unit.rows, unit.columns),
      rows.count, columns.count);
  for (int64_t row = 0; row < rows.count; ++row)
    panel.row_labels.push_back(visited.tensor->row_text((rows.first + row) * unit.rows));
  for (int64_t column = 0; column < columns.count; ++column)
    panel.column_labels.push_back(
        column % 4 == 0 ? std::to_string((columns.first + column) * unit.columns) : "");
  for (FigureCell& cell : panel.cells) cell.is_there = true;
  std::map<std::pair<int64_t, int64_t>, std::vector<int>> turns;
  for (const auto& [turn, bounds] : visited.turns)
    for (int64_t row = bounds.first_row / unit.rows; row <= bounds.last_row / unit.rows; ++row)
      for (int64_t column = bounds.first_column / unit.columns;
           column <= bounds.last_column / unit.columns; ++column)
        turns[{row - rows.first, column - columns.first}].push_back(static_cast<int>(turn));
  for (const auto& [place, numbers] : turns) {
    const auto [row, column] = place;
    if (row < 0 || row >= rows.count || column < 0 || column >= columns.count) continue;
    FigureCell& cell = panel.at(row, column);
    cell.text = brief(numbers);
    cell.group = numbers.front() % figure_colours;
    cell.value = numbers.front();
    cell.tip =
        fmt::format("read in {} {}", numbers.size() == 1 ? "turn" : "turns", list_text(numbers));
  }
  if (rows.count < rows.all || columns.count < columns.all)
    panel.note =
        fmt::format("{} x {} of {} x {} tiles", rows.count, columns.count, rows.all, columns.all);
  return panel;
}

std::string times_text(double times) {
  return times == 1 ? "once" : fmt::format("{:.3g} times", times);
}

/// True if the figure is narrow enough for the last panel to stand beside the others.
bool is_narrow(const Figure& figure) {
  int64_t columns = 0;
  for (const FigurePanel& panel : figure.panels) columns += panel.columns;
  return columns <= 48;
}

Figure walk_figure(const RecordedRun& run, const Walk& walk) {
  Figure figure;
  figure.kind = name(FigureKind::walk);
  figure.kernel = walk.kernel->kernel->name;
  std::set<int64_t> turns;
  std::string names, reads;
  for (const Visited& visited : walk.operands) {
    for (const auto& [turn, bounds] : visited.turns) turns.insert(turn);
    const std::string& name = visited.tensor->name();
    const auto elements = static_cast<double>(visited.elements.size());
    names += (names.empty() ? "" : ", ") + name;
    reads += fmt::format(" It reads {} of {}, each {}.",
                         amount(static_cast<int64_t>(visited.elements.size()), "element"), name,
                         times_text(static_cast<double>(visited.reads) / elements));
    figure.panels.push_back(tiles_panel(visited));
    figure.panels.back().is_beside = figure.panels.size() > 1 && is_narrow(figure);
    figure.facts["elements_of_" + name] = elements;
    figure.facts["reads_of_" + name] = static_cast<double>(visited.reads);
  }
  figure.facts["turns"] = static_cast<double>(turns.size());
  figure.subject = names;
  figure.title = fmt::format(
      "{}the walk of a block over {}: {}{} of {}",
      run.kernels.size() > 1 ? figure.kernel + ": " : "", names, walk.is_whole ? "" : "the first ",
      amount(static_cast<int64_t>(turns.size()), "turn"), walk.loop->axis->name);
  figure.caption = fmt::format(
      "The number is the turn of the loop {} in which block {} of the grid {} reads a tile.{}",
      walk.loop->axis->name, triple(walk.kernel->block), triple(walk.kernel->report.grid), reads);
  return figure;
}

}  // namespace

std::vector<Figure> walk_figures(const Recording& recording) {
  std::vector<Figure> figures;
  for (const RecordedKernel& kernel : recording.run().kernels)
    for (const Walk& walk : walks_of(kernel))
      if (llvm::any_of(walk.operands, moves)) figures.push_back(walk_figure(recording.run(), walk));
  return figures;
}

}  // namespace hone

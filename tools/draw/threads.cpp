// Threads of a block, and the elements that they write.
#include <algorithm>
#include <set>

#include "fmt/format.h"
#include "runtime/sim/lanes.h"
#include "tools/draw/boxes.h"
#include "tools/draw/recorded_run.h"
#include "tools/draw/words.h"

namespace hone {
namespace {

constexpr int64_t most_thread_lines = 64, fewer_lines = 32;
constexpr size_t most_boxes = 1100;

/// The writes of the drawn block to a tensor: by element the threads, in the order of their writes.
struct Written {
  const RecordedKernel* kernel = nullptr;
  const TensorIndex* tensor = nullptr;
  Scope scope = Scope::global;
  bool is_whole = true;  ///< all turns of loops are there
  std::map<int64_t, std::vector<int64_t>> threads;

  void add(int64_t element, int64_t thread) {
    std::vector<int64_t>& writers = threads[element];
    if (!llvm::is_contained(writers, thread)) writers.push_back(thread);
  }
};

bool is_store(AccessClass access_class) {
  return access_class != AccessClass::global_load && access_class != AccessClass::shared_load;
}

void add_step(std::vector<Written>& all, const RecordedKernel& kernel, const RecordedStep& step) {
  const AccessReport& report = kernel.report.accesses[step.access].report;
  const TensorIndex& tensor = kernel.tensors[step.access];
  auto written =
      llvm::find_if(all, [&](const Written& one) { return one.tensor->name() == tensor.name(); });
  if (written == all.end()) {
    all.push_back({&kernel, &tensor, report.tensor->scope, true, {}});
    written = std::prev(all.end());
  }
  written->is_whole &= kernel.report.accesses[step.access].has_all_steps;
  for (size_t thread = 0; thread < step.threads.size(); ++thread)
    for (int64_t place = 0; step.threads[thread] >= 0 && place < report.width; ++place)
      written->add(step.threads[thread] + place, static_cast<int64_t>(thread));
}

std::vector<Written> written_by(const RecordedKernel& kernel) {
  std::vector<Written> all;
  for (const RecordedStep& step : kernel.report.steps)
    if (step.kind == RecordedStep::Kind::access && kernel.is_drawn(step) &&
        is_store(kernel.report.accesses[step.access].report.access_class))
      add_step(all, kernel, step);
  return all;
}

/// The rows and columns of a tensor that hold some elements.
struct Bounds {
  int64_t first_row = 0, first_column = 0, rows = 0, columns = 0;
};

Bounds bounds_of(const Written& written) {
  const TensorIndex& tensor = *written.tensor;
  int64_t least_row = INT64_MAX, least_column = INT64_MAX, last_row = 0, last_column = 0;
  for (const auto& [element, threads] : written.threads) {
    const int64_t row = tensor.row_of(element), column = tensor.column_of(element);
    least_row = std::min(least_row, row), last_row = std::max(last_row, row);
    least_column = std::min(least_column, column), last_column = std::max(last_column, column);
  }
  return {least_row, least_column, last_row - least_row + 1, last_column - least_column + 1};
}

FigureCell thread_cell(const Written& written, int64_t element,
                       const std::vector<int64_t>& threads) {
  FigureCell cell;
  const int64_t thread = threads.front();
  cell.text = written.kernel->thread_text(thread) + (threads.size() > 1 ? "+" : "");
  cell.group = static_cast<int>(thread / warp_lanes) % figure_colours;
  cell.value = thread;
  cell.tip =
      fmt::format("{}: thread {}, lane {} of warp {}", written.tensor->text(element),
                  triple(written.kernel->thread(thread)), thread % warp_lanes, thread / warp_lanes);
  if (threads.size() > 1)
    cell.tip +=
        fmt::format(", and {} more", amount(static_cast<int64_t>(threads.size()) - 1, "thread"));
  return cell;
}

FigurePanel panel_of(const Written& written, const Bounds& bounds, int64_t lines) {
  const TensorIndex& tensor = *written.tensor;
  FigurePanel panel("", std::min(bounds.rows, lines), std::min(bounds.columns, lines));
  panel.merges = true;
  for (int64_t row = 0; row < panel.rows; ++row)
    panel.row_labels.push_back(
        panel.rows <= fewer_lines || row % 8 == 0 ? tensor.row_text(bounds.first_row + row) : "");
  for (int64_t column = 0; column < panel.columns; ++column)
    panel.column_labels.push_back(column % 8 == 0 ? std::to_string(bounds.first_column + column)
                                                  : "");
  for (const auto& [element, threads] : written.threads) {
    const int64_t row = tensor.row_of(element) - bounds.first_row;
    const int64_t column = tensor.column_of(element) - bounds.first_column;
    if (row < panel.rows && column < panel.columns)
      panel.at(row, column) = thread_cell(written, element, threads);
  }
  if (panel.rows < bounds.rows || panel.columns < bounds.columns)
    panel.note = fmt::format("the first {} x {} of {} x {} elements", panel.rows, panel.columns,
                             bounds.rows, bounds.columns);
  return panel;
}

/// With as much of the tensor as is still to be read.
FigurePanel fitting_panel(const Written& written, const Bounds& bounds) {
  FigurePanel panel = panel_of(written, bounds, most_thread_lines);
  return boxes_of(panel).size() > most_boxes ? panel_of(written, bounds, fewer_lines) : panel;
}

Figure threads_figure(const RecordedRun& run, const Written& written) {
  std::set<int64_t> threads;
  std::map<int64_t, int64_t> elements_of;
  for (const auto& [element, writers] : written.threads)
    for (const int64_t thread : writers) threads.insert(thread), ++elements_of[thread];
  int64_t most = 0;
  for (const auto& [thread, elements] : elements_of) most = std::max(most, elements);
  const auto elements = static_cast<int64_t>(written.threads.size());
  const bool is_shared = written.scope == Scope::shared;

  Figure figure;
  figure.kind = name(FigureKind::threads);
  figure.kernel = written.kernel->kernel->name;
  figure.subject = written.tensor->name();
  figure.title = fmt::format("{}{}: which thread of a block {} each element",
                             run.kernels.size() > 1 ? figure.kernel + ": " : "", figure.subject,
                             is_shared ? "fills" : "writes");
  figure.caption = fmt::format(
      "Rows and columns are those of {4}. {0} threads of block {1} of the grid {2} write {3} of "
      "it, "
      "{5} at most each. A cell names its thread by {6}; a colour is a warp of 32 threads.{7}",
      grouped(static_cast<int64_t>(threads.size())), triple(written.kernel->block),
      triple(written.kernel->report.grid), amount(elements, "element"), written.tensor->name(),
      grouped(most),
      written.kernel->report.block[2] > 1   ? "z,y,x"
      : written.kernel->report.block[1] > 1 ? "y,x"
                                            : "its number",
      written.is_whole ? "" : " Of long loops the first turns are drawn.");
  figure.panels = {fitting_panel(written, bounds_of(written))};
  figure.facts = {{"threads", static_cast<double>(threads.size())},
                  {"elements", static_cast<double>(elements)},
                  {"elements_per_thread", static_cast<double>(most)}};
  return figure;
}

}  // namespace

std::vector<Figure> threads_figures(const Recording& recording) {
  std::vector<Figure> figures;
  for (const RecordedKernel& kernel : recording.run().kernels)
    for (const Written& written : written_by(kernel))
      if (written.threads.size() > 1) figures.push_back(threads_figure(recording.run(), written));
  return figures;
}

}  // namespace hone

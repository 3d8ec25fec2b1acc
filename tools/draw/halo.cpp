// Elements that a block reads, and its neighbours too.
#include <set>

#include "fmt/format.h"
#include "tools/draw/bounds.h"
#include "tools/draw/recorded_run.h"
#include "tools/draw/words.h"

namespace hone {
namespace {

constexpr int64_t most_lines = 40;
constexpr int own = 2, shared_once = 1, shared_more = 3;  ///< colours

using Elements = std::set<int64_t>;

/// The elements of a tensor that the drawn block and each of its neighbours read.
struct Overlap {
  const RecordedKernel* kernel = nullptr;
  const TensorIndex* tensor = nullptr;
  Elements drawn;
  std::map<int64_t, Elements> neighbours;  ///< by block

  /// Blocks that read an element, the drawn one among them.
  int64_t readers(int64_t element) const {
    int64_t count = 1;
    for (const auto& [block, elements] : neighbours) count += elements.count(element);
    return count;
  }
};

Overlap overlap_of(const RecordedKernel& kernel, const TensorIndex& tensor) {
  Overlap overlap = {&kernel, &tensor, {}, {}};
  for (const RecordedStep& step : kernel.report.steps) {
    if (step.kind != RecordedStep::Kind::access) continue;
    const AccessReport& report = kernel.report.accesses[step.access].report;
    if (report.access_class != AccessClass::global_load ||
        kernel.tensors[step.access].name() != tensor.name())
      continue;
    Elements& elements = kernel.is_drawn(step) ? overlap.drawn : overlap.neighbours[step.block];
    for (const int64_t first : step.threads)
      for (int64_t place = 0; first >= 0 && place < report.width; ++place)
        elements.insert(first + place);
  }
  return overlap;
}

/// Blocks that read the same, or nothing in common, have no halo. The neighbours share a part.
bool has_halo(const Overlap& overlap) {
  for (const auto& [block, elements] : overlap.neighbours) {
    size_t common = 0;
    for (const int64_t element : elements) common += overlap.drawn.count(element);
    if (common > 0 && common < overlap.drawn.size() && common < elements.size()) return true;
  }
  return false;
}

FigurePanel halo_panel(const Overlap& overlap) {
  TensorBounds bounds;
  for (const int64_t element : overlap.drawn) bounds.add(*overlap.tensor, element);
  FigurePanel panel("", std::min(bounds.rows(), most_lines),
                    std::min(bounds.columns(), most_lines));
  for (int64_t row = 0; row < panel.rows; ++row)
    panel.row_labels.push_back(overlap.tensor->row_text(bounds.first_row + row));
  for (int64_t column = 0; column < panel.columns; ++column)
    panel.column_labels.push_back(column % 8 == 0 ? std::to_string(bounds.first_column + column)
                                                  : "");
  for (const int64_t element : overlap.drawn) {
    const int64_t row = overlap.tensor->row_of(element) - bounds.first_row;
    const int64_t column = overlap.tensor->column_of(element) - bounds.first_column;
    if (row >= panel.rows || column >= panel.columns) continue;
    const int64_t readers = overlap.readers(element);
    FigureCell& cell = panel.at(row, column);
    cell.is_there = true;
    cell.text = std::to_string(readers);
    cell.value = readers;
    cell.group = readers == 1 ? own : readers == 2 ? shared_once : shared_more;
    cell.tip =
        fmt::format("{} is read by {}", overlap.tensor->text(element), amount(readers, "block"));
  }
  if (panel.rows < bounds.rows() || panel.columns < bounds.columns())
    panel.note = fmt::format("the first {} x {} of {} x {} elements", panel.rows, panel.columns,
                             bounds.rows(), bounds.columns());
  return panel;
}

/// Elements of all tensors in global memory that the drawn block writes.
int64_t written_elements(const RecordedKernel& kernel) {
  std::set<std::pair<std::string, int64_t>> written;
  for (const RecordedStep& step : kernel.report.steps) {
    if (step.kind != RecordedStep::Kind::access || !kernel.is_drawn(step)) continue;
    const AccessReport& report = kernel.report.accesses[step.access].report;
    if (report.access_class != AccessClass::global_store) continue;
    for (const int64_t first : step.threads)
      for (int64_t place = 0; first >= 0 && place < report.width; ++place)
        written.emplace(report.tensor->name, first + place);
  }
  return static_cast<int64_t>(written.size());
}

Figure halo_figure(const RecordedRun& run, const Overlap& overlap) {
  const auto elements = static_cast<int64_t>(overlap.drawn.size());
  const int64_t written = written_elements(*overlap.kernel);
  const int64_t halo =
      llvm::count_if(overlap.drawn, [&](int64_t element) { return overlap.readers(element) > 1; });
  Figure figure;
  figure.kind = name(FigureKind::halo);
  figure.kernel = overlap.kernel->kernel->name;
  figure.subject = overlap.tensor->name();
  figure.title = fmt::format("{}{}: what a block reads, and its neighbours too",
                             run.kernels.size() > 1 ? figure.kernel + ": " : "", figure.subject);
  figure.caption = fmt::format(
      "Rows and columns are those of {}. Block {} of the grid {} reads {}, and writes {}. {} of "
      "those that it reads are read by neighbours too; the number is that of the blocks.",
      figure.subject, triple(overlap.kernel->block), triple(overlap.kernel->report.grid),
      amount(elements, "element"), grouped(written), grouped(halo));
  figure.panels = {halo_panel(overlap)};
  figure.legend = {
      {own, "this block alone"}, {shared_once, "two blocks"}, {shared_more, "three or four"}};
  figure.facts = {{"elements", static_cast<double>(elements)},
                  {"halo_elements", static_cast<double>(halo)},
                  {"written_elements", static_cast<double>(written)}};
  return figure;
}

}  // namespace

std::vector<Figure> halo_figures(const Recording& recording) {
  std::vector<Figure> figures;
  for (const RecordedKernel& kernel : recording.run().kernels) {
    std::set<std::string> seen;
    for (const TensorIndex& tensor : kernel.tensors) {
      if (!seen.insert(tensor.name()).second) continue;
      const Overlap overlap = overlap_of(kernel, tensor);
      if (has_halo(overlap)) figures.push_back(halo_figure(recording.run(), overlap));
    }
  }
  return figures;
}

}  // namespace hone

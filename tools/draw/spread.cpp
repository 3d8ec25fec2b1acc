// The elements of a matrix that each lane has, where a warp or a warpgroup computes with it.
#include "fmt/format.h"
#include "ir/text/meaning.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/STLExtras.h"
#include "runtime/sim/lanes.h"
#include "tools/draw/recorded_run.h"
#include "tools/draw/words.h"

namespace hone {
namespace {

constexpr int64_t most_lines = 16;

/// An operand of an instruction whose elements lie in registers.
struct SpreadOperand {
  const Opcode& opcode;
  const FragmentSpread& spread;
  const TensorNode& matrix;  ///< of the meaning

  int64_t extent(int dim) const { return *as_int(matrix.shape[dim]); }
  const char* threads() const {
    return opcode.rules.threads == warp_lanes ? "a warp" : "a warpgroup";
  }
};

SpreadOperand operand_of(const Opcode& opcode, size_t number) {
  return {opcode, opcode.rules.spreads[number], *meaning_of(opcode).arguments[number]};
}

FigureCell cell_of(const SpreadOperand& operand, int lane, int value, int64_t row, int64_t column) {
  FigureCell cell;
  cell.text = fmt::format("{}.{}", lane, value);
  cell.group = lane % figure_colours;
  cell.value = lane;
  cell.tip =
      fmt::format("{}[{}, {}]: value {} of lane {}", operand.matrix.name, row, column, value, lane);
  return cell;
}

/// As much as fits, from the first element on.
FigurePanel panel_of(const SpreadOperand& operand) {
  const int64_t rows = operand.extent(0), columns = operand.extent(1);
  FigurePanel panel("", std::min(rows, most_lines), std::min(columns, most_lines));
  for (int64_t row = 0; row < panel.rows; ++row) panel.row_labels.push_back(std::to_string(row));
  for (int64_t column = 0; column < panel.columns; ++column)
    panel.column_labels.push_back(std::to_string(column));
  for (int lane = 0; lane < operand.opcode.rules.threads; ++lane)
    for (int value = 0; value < operand.spread.values(); ++value) {
      const auto element = operand.spread.element(lane, value);
      if (element[0] < panel.rows && element[1] < panel.columns)
        panel.at(element[0], element[1]) = cell_of(operand, lane, value, element[0], element[1]);
    }
  if (panel.rows < rows || panel.columns < columns)
    panel.note = fmt::format("the first {} x {} of {} x {} elements", panel.rows, panel.columns,
                             rows, columns);
  return panel;
}

std::string caption_of(const SpreadOperand& operand) {
  return fmt::format(
      "Rows and columns are those of {0}, of {1}. A cell is the lane of {2} that has the element "
      "in "
      "its registers, and the number of the value among the {3} that it has; a colour is a lane.",
      operand.matrix.name, name(operand.matrix.type).str(), operand.threads(),
      operand.spread.values());
}

bool has_lanes(const Instr& instr) { return !instr.opcode.rules.spreads.empty(); }

/// The instructions of a kernel that lanes issue together, each once.
std::vector<const Opcode*> opcodes_with_lanes(const KernelFunction& kernel) {
  std::vector<const Opcode*> opcodes;
  walk(kernel.body, [&](const Stmt& stmt) {
    const auto* instr = llvm::dyn_cast<Instr>(stmt);
    if (instr && has_lanes(*instr) && !llvm::is_contained(opcodes, &instr->opcode))
      opcodes.push_back(&instr->opcode);
  });
  return opcodes;
}

}  // namespace

std::vector<Figure> spread_figures(const Opcode& opcode) {
  std::vector<Figure> figures;
  for (size_t number = 0; number < opcode.rules.spreads.size(); ++number) {
    const SpreadOperand operand = operand_of(opcode, number);
    if (operand.spread.scope != Scope::registers || operand.matrix.rank() != 2) continue;
    Figure& figure = figures.emplace_back();
    figure.kind = name(FigureKind::spread);
    figure.subject = fmt::format("{}, {}", opcode.word(), operand.matrix.name);
    figure.title =
        fmt::format("{}: which lane of {} has which element of {}, {} x {}", opcode.word(),
                    operand.threads(), operand.matrix.name, operand.extent(0), operand.extent(1));
    figure.caption = caption_of(operand);
    figure.panels = {panel_of(operand)};
    figure.facts = {{"lanes", static_cast<double>(opcode.rules.threads)},
                    {"values_per_lane", static_cast<double>(operand.spread.values())},
                    {"elements", static_cast<double>(operand.extent(0) * operand.extent(1))}};
  }
  return figures;
}

std::vector<Figure> spread_figures(const Recording& recording) {
  std::vector<Figure> figures;
  for (const RecordedKernel& kernel : recording.run().kernels)
    for (const Opcode* opcode : opcodes_with_lanes(*kernel.kernel))
      for (Figure& figure : spread_figures(*opcode)) {
        figure.kernel = kernel.kernel->name;
        figures.push_back(std::move(figure));
      }
  return figures;
}

}  // namespace hone

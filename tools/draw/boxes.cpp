#include "tools/draw/boxes.h"

namespace hone {
namespace {

bool is_alike(const FigureCell& lhs, const FigureCell& rhs) {
  return lhs.is_there && rhs.is_there && lhs.group >= 0 && !lhs.text.empty() &&
         lhs.group == rhs.group && lhs.text == rhs.text;
}

class Covering {
 public:
  explicit Covering(const FigurePanel& panel) : panel_(panel), covered_(panel.cells.size()) {}

  std::vector<FigureBox> boxes() {
    std::vector<FigureBox> boxes;
    for (int64_t row = 0; row < panel_.rows; ++row)
      for (int64_t column = 0; column < panel_.columns; ++column)
        if (is_free(row, column))
          boxes.push_back(grow({row, column, 1, 1, &panel_.at(row, column)}));
    return boxes;
  }

 private:
  bool is_free(int64_t row, int64_t column) const {
    return panel_.at(row, column).is_there && !covered_[row * panel_.columns + column];
  }
  bool continues(const FigureBox& box, int64_t row, int64_t column) const {
    return panel_.merges && is_free(row, column) && is_alike(*box.cell, panel_.at(row, column));
  }

  bool is_gap(int64_t column) const {
    return panel_.column_gap > 0 && column % panel_.column_gap == 0;
  }

  FigureBox grow(FigureBox box) {
    const auto is_row = [&](int64_t row) {
      for (int64_t column = box.column; column < box.column + box.columns; ++column)
        if (!continues(box, row, column)) return false;
      return true;
    };
    while (box.column + box.columns < panel_.columns && !is_gap(box.column + box.columns) &&
           continues(box, box.row, box.column + box.columns))
      ++box.columns;
    while (box.row + box.rows < panel_.rows && is_row(box.row + box.rows)) ++box.rows;
    for (int64_t row = box.row; row < box.row + box.rows; ++row)
      for (int64_t column = box.column; column < box.column + box.columns; ++column)
        covered_[row * panel_.columns + column] = true;
    return box;
  }

  const FigurePanel& panel_;
  std::vector<bool> covered_;
};

}  // namespace

std::vector<FigureBox> boxes_of(const FigurePanel& panel) { return Covering(panel).boxes(); }

}  // namespace hone

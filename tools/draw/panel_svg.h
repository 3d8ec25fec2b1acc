// A panel of a figure as SVG.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "tools/draw/boxes.h"
#include "tools/draw/figure.h"
#include "tools/draw/svg_text.h"

namespace hone {

/// The width that the longest label of a row takes, with the gap behind it.
int label_width_of(const FigurePanel& panel);

/// A panel at its place.
class PanelSvg {
 public:
  /// Labels are as wide as they have to be, and at least `label_width`.
  PanelSvg(const FigurePanel& panel, int cell_width, int label_width);

  int width() const;
  int height() const;

  /// Half the height of a cell.
  double half_cell() const { return cell_height_ / 2.0; }

  /// The middle of a cell.
  int x_of(FigurePlace place) const;
  int y_of(FigurePlace place) const { return top_ + y_of(place.row) + cell_height_ / 2; }

  void place(int left, int top);

  std::string svg() const;

 private:
  int top() const;
  int gap_before(int64_t column) const;
  int x_of(int64_t column) const;
  int y_of(int64_t row) const;

  std::string labels() const;
  std::string labels_of_columns() const;

  /// Small enough for labels of neighbouring columns.
  double label_font_of_columns() const;

  int box_width(const FigureBox& box) const;
  std::string outline(const FigureBox& box) const;
  /// The outline of neighbours in a row, with lines between them.
  std::string outline(llvm::ArrayRef<FigureBox> row) const;
  std::string outlines(llvm::ArrayRef<FigureBox> boxes) const;
  bool are_neighbours(const FigureBox& left, const FigureBox& right) const;

  /// Boxes without tips are one path per colour; of a full grid, cells without colour are a sheet
  /// with lines.
  std::string cells() const;

  std::string sheet() const;

  bool is_dense() const;

  void add_span(const FigureBox& box, SvgSpans& spans) const;

  /// True if the text of the box is short enough to read there; longer ones are left to the tip.
  bool fits(const FigureBox& box) const;

  /// Letters of one width in a cell, with the blank behind them.
  size_t letters() const;

  /// Text that cannot be in the middle is right of it.
  std::string padded(const std::string& text) const;

  /// The texts of a row in letters of one width: few bytes for many cells.
  std::string row_text(int64_t row, const std::vector<const FigureCell*>& cells) const;

  std::string texts() const;

  const FigurePanel& panel_;
  int cell_width_, cell_height_;
  std::vector<FigureBox> boxes_;
  size_t most_characters_ = 1;  ///< in the width of a cell
  size_t longest_ = 1;          ///< characters of a text in the width of a cell
  int label_width_ = 0;
  double font_ = 11;
  int left_ = 0, top_ = 0;
};

}  // namespace hone

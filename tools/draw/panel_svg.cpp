#include "tools/draw/panel_svg.h"

#include <algorithm>
#include <map>

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "tools/draw/svg_text.h"

namespace hone {
namespace {

constexpr int gap = 6;
constexpr double least_font = 5.5;
constexpr size_t most_tips = 320;  ///< boxes of a panel; with more of them none has a tip

/// Rows are the lower the more there are.
int cell_height_of(const FigurePanel& panel) {
  return panel.rows <= 16 ? 20 : panel.rows <= 40 ? 16 : 12;
}

}  // namespace

int label_width_of(const FigurePanel& panel) {
  int width = 0;
  for (const std::string& label : panel.row_labels)
    if (!label.empty()) width = std::max(width, svg_width(label, svg_label_font) + gap);
  return width;
}

PanelSvg::PanelSvg(const FigurePanel& panel, int cell_width, int label_width)
    : panel_(panel),
      cell_width_(cell_width),
      cell_height_(cell_height_of(panel)),
      boxes_(boxes_of(panel)),
      label_width_(std::max(label_width, label_width_of(panel))) {
  most_characters_ = static_cast<size_t>((cell_width - 3) / (svg_character * least_font));
  for (const FigureBox& box : boxes_)
    if (fits(box))
      longest_ = std::max(longest_, (box.cell->text.size() + box.columns - 1) / box.columns);
  font_ = std::min({11.0, (cell_width - 3) / (svg_character * static_cast<double>(longest_)),
                    cell_height_ * 0.75});
}

int PanelSvg::width() const {
  return std::max(label_width_ + x_of(panel_.columns) - gap_before(panel_.columns),
                  std::max(svg_width(panel_.title, 12), svg_width(panel_.note, svg_label_font)));
}

int PanelSvg::height() const {
  return y_of(panel_.rows) - static_cast<int>(panel_.row_gap) +
         (panel_.note.empty() ? 0 : svg_line_height);
}

int PanelSvg::x_of(FigurePlace place) const {
  return left_ + label_width_ + x_of(place.column) + cell_width_ / 2;
}

void PanelSvg::place(int left, int top) {
  left_ = left;
  top_ = top;
}

std::string PanelSvg::svg() const {
  std::string svg = fmt::format("<g transform=\"translate({},{})\">\n", left_, top_);
  if (!panel_.title.empty()) svg += svg_text(0, 12, "p", panel_.title);
  svg += labels() + cells() + texts();
  if (!panel_.note.empty()) svg += svg_text(label_width_, height() - 3, "l", panel_.note);
  return svg + "</g>\n";
}

int PanelSvg::top() const {
  return (panel_.title.empty() ? 0 : svg_line_height + 4) +
         (panel_.column_labels.empty() ? 0 : svg_line_height + static_cast<int>(panel_.row_gap));
}

int PanelSvg::gap_before(int64_t column) const {
  return panel_.column_gap > 0 && column > 0 && column % panel_.column_gap == 0 ? gap : 0;
}

int PanelSvg::x_of(int64_t column) const {
  const int64_t gaps = panel_.column_gap > 0 ? column / panel_.column_gap : 0;
  return static_cast<int>(column * cell_width_ + gaps * gap);
}

int PanelSvg::y_of(int64_t row) const {
  return top() + static_cast<int>(row * (cell_height_ + panel_.row_gap));
}

std::string PanelSvg::labels() const {
  SvgSpans rows;
  for (size_t row = 0; row < panel_.row_labels.size(); ++row)
    rows.add(label_width_ - gap, y_of(static_cast<int64_t>(row)) + cell_height_ / 2,
             panel_.row_labels[row]);
  return rows.text("e l", "") + labels_of_columns();
}

std::string PanelSvg::labels_of_columns() const {
  SvgSpans columns;
  const double font = label_font_of_columns();
  const int above = top() - static_cast<int>(panel_.row_gap) - svg_line_height / 2;
  int end = -cell_width_;  // of the label before
  for (size_t column = 0; column < panel_.column_labels.size(); ++column) {
    const std::string& label = panel_.column_labels[column];
    const int middle = x_of(static_cast<int64_t>(column)) + cell_width_ / 2;
    const int half = (svg_width(label, font) + 1) / 2;
    if (label.empty() || middle - half < end) continue;
    columns.add(label_width_ + middle, above, label);
    end = middle + half;
  }
  return columns.text("c l", fmt::format("font-size:{:.3g}px", font));
}

double PanelSvg::label_font_of_columns() const {
  const bool is_dense = panel_.column_labels.size() > 1 && !panel_.column_labels[1].empty();
  return is_dense ? std::min<double>(svg_label_font, (cell_width_ - 1) / (svg_character * 2))
                  : svg_label_font;
}

int PanelSvg::box_width(const FigureBox& box) const {
  const int64_t last = box.column + box.columns - 1;
  return x_of(last) + cell_width_ - x_of(box.column);
}

std::string PanelSvg::outline(const FigureBox& box) const { return outline({&box, &box + 1}); }

std::string PanelSvg::outline(llvm::ArrayRef<FigureBox> row) const {
  const FigureBox &first = row.front(), &last = row.back();
  const int left = label_width_ + x_of(first.column), top = y_of(first.row);
  const int width = label_width_ + x_of(last.column) + box_width(last) - left;
  const int height = static_cast<int>(first.rows) * cell_height_;
  std::string path = fmt::format("M{} {}h{}v{}h-{}z", left, top, width, height, width);
  for (const FigureBox& box : row.drop_front())
    path += fmt::format("M{} {}v{}", label_width_ + x_of(box.column), top, height);
  return path;
}

bool PanelSvg::are_neighbours(const FigureBox& left, const FigureBox& right) const {
  return left.row == right.row && left.rows == right.rows &&
         x_of(left.column) + box_width(left) == x_of(right.column);
}

std::string PanelSvg::cells() const {
  const bool has_sheet = is_dense() && llvm::all_of(panel_.cells, [](const FigureCell& cell) {
                           return cell.is_there;
                         });
  const auto coloured =
      llvm::count_if(boxes_, [](const FigureBox& box) { return box.cell->group >= 0; });
  const bool has_tips = static_cast<size_t>(coloured) <= most_tips;
  std::map<int, std::vector<FigureBox>> plain;
  std::string tipped;
  for (const FigureBox& box : boxes_) {
    const int group = box.cell->group < 0 ? -1 : box.cell->group % figure_colours;
    if (group < 0 && has_sheet) continue;
    if (has_tips && !box.cell->tip.empty() && (group >= 0 || !is_dense()))
      tipped += fmt::format("<path class=\"{}\" d=\"{}\"><title>{}</title></path>\n",
                            svg_class(group), outline(box), svg_escaped(box.cell->tip));
    else
      plain[group].push_back(box);
  }
  std::string svg = has_sheet ? sheet() : "";
  for (const auto& [group, boxes] : plain)
    svg += fmt::format("<path class=\"{}\" d=\"{}\"/>\n", svg_class(group), outlines(boxes));
  return svg + tipped;
}

std::string PanelSvg::outlines(llvm::ArrayRef<FigureBox> boxes) const {
  std::string path;
  for (size_t first = 0, end; first < boxes.size(); first = end) {
    end = first + 1;
    while (end < boxes.size() && are_neighbours(boxes[end - 1], boxes[end])) ++end;
    path += outline(boxes.slice(first, end - first));
  }
  return path;
}

std::string PanelSvg::sheet() const {
  const int left = label_width_, width = x_of(panel_.columns), height = y_of(panel_.rows) - top();
  std::string path = fmt::format("M{} {}h{}v{}h-{}z", left, top(), width, height, width);
  for (int64_t row = 1; row < panel_.rows; ++row)
    path += fmt::format("M{} {}h{}", left, y_of(row), width);
  for (int64_t column = 1; column < panel_.columns; ++column)
    path += fmt::format("M{} {}v{}", left + x_of(column), top(), height);
  return fmt::format("<path class=\"b n\" d=\"{}\"/>\n", path);
}

bool PanelSvg::is_dense() const {
  return boxes_.size() > most_tips && panel_.column_gap == 0 && panel_.row_gap == 0;
}

void PanelSvg::add_span(const FigureBox& box, SvgSpans& spans) const {
  spans.add(label_width_ + x_of(box.column) + box_width(box) / 2,
            y_of(box.row) + static_cast<int>(box.rows) * cell_height_ / 2, box.cell->text);
}

bool PanelSvg::fits(const FigureBox& box) const {
  return box.cell->text.size() <= most_characters_ * static_cast<size_t>(box.columns);
}

size_t PanelSvg::letters() const {
  return std::max(longest_ + 1, static_cast<size_t>(cell_width_ / (svg_character * font_)));
}

std::string PanelSvg::padded(const std::string& text) const {
  return text.size() + 1 < letters() && (letters() - 1 - text.size()) % 2 == 1 ? " " + text : text;
}

std::string PanelSvg::row_text(int64_t row, const std::vector<const FigureCell*>& cells) const {
  std::string text;
  for (const FigureCell* cell : cells)
    text += fmt::format("{:^{}} ", padded(cell ? cell->text : ""), letters() - 1);
  if (llvm::StringRef(text).trim().empty()) return "";
  text.pop_back();
  const double advance = cell_width_ / static_cast<double>(letters());
  return fmt::format(
      "<text class=\"m\" xml:space=\"preserve\" style=\"font-size:{:.3g}px\" x=\"{:.1f}\" "
      "y=\"{}\" textLength=\"{:.1f}\">{}</text>\n",
      font_, label_width_ + advance / 2, y_of(row) + cell_height_ / 2,
      advance * static_cast<double>(text.size()), svg_escaped(text));
}

std::string PanelSvg::texts() const {
  SvgSpans spans;
  std::string rows;
  std::vector<std::vector<const FigureCell*>> cells(panel_.rows,
                                                    std::vector<const FigureCell*>(panel_.columns));
  for (const FigureBox& box : boxes_) {
    if (is_dense() && box.rows == 1 && box.columns == 1)
      cells[box.row][box.column] = fits(box) ? box.cell : nullptr;
    else if (fits(box))
      add_span(box, spans);
  }
  for (int64_t row = 0; is_dense() && row < panel_.rows; ++row) rows += row_text(row, cells[row]);
  return rows + spans.text("c", fmt::format("font-size:{:.3g}px;pointer-events:none", font_));
}

}  // namespace hone

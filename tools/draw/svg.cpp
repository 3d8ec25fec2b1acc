// Figures as SVG.
#include <algorithm>
#include <cmath>

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "tools/draw/boxes.h"
#include "tools/draw/figure.h"
#include "tools/draw/words.h"

namespace hone {
namespace {

constexpr int margin = 12, line_height = 16, gap = 6, space = 26;
constexpr double character = 0.6;  ///< the width of one, in heights of the font
constexpr double least_font = 5.5;
constexpr int label_font = 11, most_cell_width = 30, least_cell_width = 13;
constexpr int wanted_width = 800;  ///< of the cells of panels beside each other
constexpr size_t most_tips = 320;  ///< boxes of a panel; with more of them none has a tip
constexpr size_t caption_width = 120;

/// Cells are washes of eight hues that people who confuse colours can tell apart, under text in the
/// colour of the page.
constexpr const char* style = R"(<style>
.hone-figure{color:var(--hone-ink,#1f2328);font:11px ui-sans-serif,system-ui,sans-serif}
@media(prefers-color-scheme:dark){.hone-figure{color:var(--hone-ink,#e6edf3)}}
.hone-figure text{fill:currentColor}
.hone-figure .h{font-size:14px;font-weight:600}
.hone-figure .p{font-size:12px;font-weight:600}
.hone-figure .l{opacity:.75}
.hone-figure .c{text-anchor:middle;dominant-baseline:central}
.hone-figure .m{font-family:ui-monospace,monospace;white-space:pre;dominant-baseline:central}
.hone-figure .e{text-anchor:end;dominant-baseline:central}
.hone-figure .b{stroke:currentColor;stroke-opacity:.35;stroke-width:1;fill-opacity:.45}
.hone-figure .n{fill:var(--hone-faint,#8b949e);fill-opacity:.1}
.hone-figure .a{stroke:currentColor;stroke-opacity:.6;fill:none}
.hone-figure .t{fill:currentColor;fill-opacity:.6}
.hone-figure .g0{fill:var(--hone-0,#4c9be8)}
.hone-figure .g1{fill:var(--hone-1,#e69f00)}
.hone-figure .g2{fill:var(--hone-2,#1fa87a)}
.hone-figure .g3{fill:var(--hone-3,#e0602f)}
.hone-figure .g4{fill:var(--hone-4,#c274a8)}
.hone-figure .g5{fill:var(--hone-5,#d8c520)}
.hone-figure .g6{fill:var(--hone-6,#7d6bd6)}
.hone-figure .g7{fill:var(--hone-7,#7f8c99)}
</style>
)";

std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter : text) switch (letter) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += letter;
    }
  return result;
}

std::string text_at(int x, int y, const char* css, std::string_view text) {
  return fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n", css, x, y, escaped(text));
}

int width_of(std::string_view text, double font) {
  return static_cast<int>(std::ceil(static_cast<double>(text.size()) * character * font));
}

std::string class_of(int group) {
  return group < 0 ? "b n" : fmt::format("b g{}", group % figure_colours);
}

/// Rows are the lower the more there are.
int cell_height_of(const FigurePanel& panel) {
  return panel.rows <= 16 ? 20 : panel.rows <= 40 ? 16 : 12;
}

int label_width_of(const FigurePanel& panel) {
  int width = 0;
  for (const std::string& label : panel.row_labels)
    if (!label.empty()) width = std::max(width, width_of(label, label_font) + gap);
  return width;
}

/// A panel at its place.
class PanelSvg {
 public:
  /// Labels are as wide as they have to be, and at least `label_width`.
  PanelSvg(const FigurePanel& panel, int cell_width, int label_width)
      : panel_(panel),
        cell_width_(cell_width),
        cell_height_(cell_height_of(panel)),
        boxes_(boxes_of(panel)),
        label_width_(std::max(label_width, label_width_of(panel))) {
    most_characters_ = static_cast<size_t>((cell_width - 3) / (character * least_font));
    for (const FigureBox& box : boxes_)
      if (fits(box))
        longest_ = std::max(longest_, (box.cell->text.size() + box.columns - 1) / box.columns);
    font_ = std::min({11.0, (cell_width - 3) / (character * static_cast<double>(longest_)),
                      cell_height_ * 0.75});
  }

  int width() const {
    return std::max(label_width_ + x_of(panel_.columns) - gap_before(panel_.columns),
                    std::max(width_of(panel_.title, 12), width_of(panel_.note, label_font)));
  }
  int height() const {
    return y_of(panel_.rows) - static_cast<int>(panel_.row_gap) +
           (panel_.note.empty() ? 0 : line_height);
  }

  /// Half the height of a cell.
  double half_cell() const { return cell_height_ / 2.0; }

  /// The middle of a cell.
  int x_of(FigurePlace place) const {
    return left_ + label_width_ + x_of(place.column) + cell_width_ / 2;
  }
  int y_of(FigurePlace place) const { return top_ + y_of(place.row) + cell_height_ / 2; }

  void place(int left, int top) {
    left_ = left;
    top_ = top;
  }

  std::string svg() const {
    std::string svg = fmt::format("<g transform=\"translate({},{})\">\n", left_, top_);
    if (!panel_.title.empty()) svg += text_at(0, 12, "p", panel_.title);
    svg += labels() + cells() + texts();
    if (!panel_.note.empty()) svg += text_at(label_width_, height() - 3, "l", panel_.note);
    return svg + "</g>\n";
  }

 private:
  int top() const {
    return (panel_.title.empty() ? 0 : line_height + 4) +
           (panel_.column_labels.empty() ? 0 : line_height + static_cast<int>(panel_.row_gap));
  }
  int gap_before(int64_t column) const {
    return panel_.column_gap > 0 && column > 0 && column % panel_.column_gap == 0 ? gap : 0;
  }
  int x_of(int64_t column) const {
    const int64_t gaps = panel_.column_gap > 0 ? column / panel_.column_gap : 0;
    return static_cast<int>(column * cell_width_ + gaps * gap);
  }
  int y_of(int64_t row) const {
    return top() + static_cast<int>(row * (cell_height_ + panel_.row_gap));
  }

  std::string labels() const {
    std::string svg;
    for (size_t row = 0; row < panel_.row_labels.size(); ++row)
      if (!panel_.row_labels[row].empty())
        svg += text_at(label_width_ - gap, y_of(static_cast<int64_t>(row)) + cell_height_ / 2,
                       "e l", panel_.row_labels[row]);
    for (size_t column = 0; column < panel_.column_labels.size(); ++column)
      if (!panel_.column_labels[column].empty())
        svg += fmt::format(
            "<text class=\"c l\" style=\"font-size:{:.3g}px\" x=\"{}\" y=\"{}\">{}</text>\n",
            label_font_of_columns(),
            label_width_ + x_of(static_cast<int64_t>(column)) + cell_width_ / 2,
            top() - static_cast<int>(panel_.row_gap) - line_height / 2,
            escaped(panel_.column_labels[column]));
    return svg;
  }

  /// Small enough for labels of neighbouring columns.
  double label_font_of_columns() const {
    const bool is_dense = panel_.column_labels.size() > 1 && !panel_.column_labels[1].empty();
    return is_dense ? std::min<double>(label_font, (cell_width_ - 1) / (character * 2))
                    : label_font;
  }

  int box_width(const FigureBox& box) const {
    const int64_t last = box.column + box.columns - 1;
    return x_of(last) + cell_width_ - x_of(box.column);
  }
  std::string outline(const FigureBox& box) const {
    const int width = box_width(box), height = static_cast<int>(box.rows) * cell_height_;
    return fmt::format("M{} {}h{}v{}h-{}z", label_width_ + x_of(box.column), y_of(box.row), width,
                       height, width);
  }

  /// Boxes without tips are one path per colour; of a full grid, cells without colour are a sheet
  /// with lines.
  std::string cells() const {
    const bool has_sheet = is_dense() && llvm::all_of(panel_.cells, [](const FigureCell& cell) {
                             return cell.is_there;
                           });
    const auto coloured =
        llvm::count_if(boxes_, [](const FigureBox& box) { return box.cell->group >= 0; });
    const bool has_tips = static_cast<size_t>(coloured) <= most_tips;
    std::map<int, std::string> paths;
    std::string tipped;
    for (const FigureBox& box : boxes_) {
      const int group = box.cell->group < 0 ? -1 : box.cell->group % figure_colours;
      if (group < 0 && has_sheet) continue;
      if (has_tips && !box.cell->tip.empty() && (group >= 0 || !is_dense()))
        tipped += fmt::format("<path class=\"{}\" d=\"{}\"><title>{}</title></path>\n",
                              class_of(group), outline(box), escaped(box.cell->tip));
      else
        paths[group] += outline(box);
    }
    std::string svg = has_sheet ? sheet() : "";
    for (const auto& [group, path] : paths)
      svg += fmt::format("<path class=\"{}\" d=\"{}\"/>\n", class_of(group), path);
    return svg + tipped;
  }

  std::string sheet() const {
    const int left = label_width_, width = x_of(panel_.columns), height = y_of(panel_.rows) - top();
    std::string path = fmt::format("M{} {}h{}v{}h-{}z", left, top(), width, height, width);
    for (int64_t row = 1; row < panel_.rows; ++row)
      path += fmt::format("M{} {}h{}", left, y_of(row), width);
    for (int64_t column = 1; column < panel_.columns; ++column)
      path += fmt::format("M{} {}v{}", left + x_of(column), top(), height);
    return fmt::format("<path class=\"b n\" d=\"{}\"/>\n", path);
  }

  bool is_dense() const {
    return boxes_.size() > most_tips && panel_.column_gap == 0 && panel_.row_gap == 0;
  }

  std::string span(const FigureBox& box) const {
    if (box.cell->text.empty()) return "";
    return fmt::format(
        "<tspan x=\"{}\" y=\"{}\">{}</tspan>", label_width_ + x_of(box.column) + box_width(box) / 2,
        y_of(box.row) + static_cast<int>(box.rows) * cell_height_ / 2, escaped(box.cell->text));
  }

  /// True if the text of the box is short enough to read there; longer ones are left to the tip.
  bool fits(const FigureBox& box) const {
    return box.cell->text.size() <= most_characters_ * static_cast<size_t>(box.columns);
  }

  /// Letters of one width in a cell, with the blank behind them.
  size_t letters() const {
    return std::max(longest_ + 1, static_cast<size_t>(cell_width_ / (character * font_)));
  }

  /// Text that cannot be in the middle is right of it.
  std::string padded(const std::string& text) const {
    return text.size() + 1 < letters() && (letters() - 1 - text.size()) % 2 == 1 ? " " + text
                                                                                 : text;
  }

  /// The texts of a row in letters of one width: few bytes for many cells.
  std::string row_text(int64_t row, const std::vector<const FigureCell*>& cells) const {
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
        advance * static_cast<double>(text.size()), escaped(text));
  }

  std::string texts() const {
    std::string spans, rows;
    std::vector<std::vector<const FigureCell*>> cells(
        panel_.rows, std::vector<const FigureCell*>(panel_.columns));
    for (const FigureBox& box : boxes_) {
      if (is_dense() && box.rows == 1 && box.columns == 1)
        cells[box.row][box.column] = fits(box) ? box.cell : nullptr;
      else if (fits(box))
        spans += span(box);
    }
    for (int64_t row = 0; is_dense() && row < panel_.rows; ++row) rows += row_text(row, cells[row]);
    if (spans.empty()) return rows;
    return rows +
           fmt::format(
               "<text class=\"c\" style=\"font-size:{:.3g}px;pointer-events:none\">{}</text>\n",
               font_, spans);
  }

  const FigurePanel& panel_;
  int cell_width_, cell_height_;
  std::vector<FigureBox> boxes_;
  size_t most_characters_ = 1;  ///< in the width of a cell
  size_t longest_ = 1;          ///< characters of a text in the width of a cell
  int label_width_ = 0;
  double font_ = 11;
  int left_ = 0, top_ = 0;
};

/// Cells are as wide as those of all panels beside each other can be.
int cell_width_of(const std::vector<FigurePanel>& panels, size_t first, size_t end) {
  int64_t columns = 0;
  for (size_t panel = first; panel < end; ++panel) columns += panels[panel].columns;
  return std::clamp(static_cast<int>(wanted_width / std::max<int64_t>(columns, 1)),
                    least_cell_width, most_cell_width);
}

class FigureSvg {
 public:
  explicit FigureSvg(const Figure& figure) : figure_(figure) {
    bottom_ = margin + line_height + 10;
    if (llvm::none_of(figure.panels, [](const FigurePanel& panel) { return panel.is_beside; }))
      for (const FigurePanel& panel : figure.panels)
        label_width_ = std::max(label_width_, label_width_of(panel));
    for (size_t first = 0; first < figure.panels.size();) first = place_band(first);
    width_ = std::max(width_, 360);
  }

  std::string svg() {
    std::string body = text_at(margin, margin + 12, "h", figure_.title);
    for (const PanelSvg& panel : panels_) body += panel.svg();
    for (const FigureArrow& arrow : figure_.arrows) body += arrow_svg(arrow);
    body += legend();
    body += caption();
    width_ = std::max(width_, margin + width_of(figure_.title, 14) + margin);
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"hone-figure\" role=\"img\" "
               "viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\">\n<title>{2}</title>\n"
               "<desc>{3}</desc>\n",
               width_, bottom_ + margin, escaped(figure_.title), escaped(figure_.caption)) +
           style + body + "</svg>\n";
  }

 private:
  /// Places a panel and those beside it; returns the number of the next one.
  size_t place_band(size_t first) {
    size_t end = first + 1;
    while (end < figure_.panels.size() && figure_.panels[end].is_beside) ++end;
    const int cell_width = cell_width_of(figure_.panels, first, end);
    int left = margin, height = 0;
    for (size_t panel = first; panel < end; ++panel) {
      PanelSvg& svg = panels_.emplace_back(figure_.panels[panel], cell_width, label_width_);
      svg.place(left, bottom_);
      left += svg.width() + space;
      height = std::max(height, svg.height());
    }
    width_ = std::max(width_, left - space + margin);
    bottom_ += height + (figure_.arrows.empty() ? 14 : 26);
    return end;
  }

  std::string arrow_svg(const FigureArrow& arrow) const {
    const PanelSvg &from = panels_[arrow.from.panel], &to = panels_[arrow.to.panel];
    const double x = from.x_of(arrow.from), end_x = to.x_of(arrow.to);
    const double end_y = to.y_of(arrow.to) - to.half_cell();
    if (arrow.from.panel == arrow.to.panel && arrow.from.row == arrow.to.row)
      return arc_svg(x, end_x, end_y);
    const double y = from.y_of(arrow.from) + from.half_cell();
    const double length = std::max(1.0, std::hypot(end_x - x, end_y - y));
    const double dx = (end_x - x) / length, dy = (end_y - y) / length;
    const double head_x = end_x - 5 * dx, head_y = end_y - 5 * dy;
    return fmt::format(
        "<path class=\"a\" d=\"M{:.0f} {:.0f}L{:.1f} {:.1f}\"/><path class=\"t\" "
        "d=\"M{:.0f} {:.0f}L{:.1f} {:.1f}L{:.1f} {:.1f}z\"/>\n",
        x, y, head_x, head_y, end_x, end_y, head_x - 2.5 * dy, head_y + 2.5 * dx, head_x + 2.5 * dy,
        head_y - 2.5 * dx);
  }

  /// Along a row, above its cells.
  static std::string arc_svg(double x, double end_x, double y) {
    const double side = end_x > x ? 5 : -5;
    const double start = x + side, end = end_x - side;
    return fmt::format(
        "<path class=\"a\" d=\"M{0:.0f} {1:.0f}Q{2:.0f} {3:.0f} {4:.0f} {5:.0f}\"/><path "
        "class=\"t\" "
        "d=\"M{4:.0f} {1:.0f}l-2.5 -5h5z\"/>\n",
        start, y, (start + end) / 2, y - 14, end, y - 4);
  }

  std::string legend() {
    std::string svg;
    int x = margin;
    for (const FigureKey& key : figure_.legend) {
      const int width = 22 + width_of(key.text, label_font) + space / 2;
      if (x > margin && x + width > std::max(width_, 600)) {
        x = margin;
        bottom_ += line_height + 2;
      }
      svg += fmt::format("<path class=\"{}\" d=\"M{} {}h14v12h-14z\"/>", class_of(key.group), x,
                         bottom_) +
             text_at(x + 20, bottom_ + 10, "l", key.text);
      x += width;
      width_ = std::max(width_, x);
    }
    if (!svg.empty()) bottom_ += line_height + 8;
    return svg;
  }

  std::string caption() {
    std::string svg;
    for (const std::string& line : wrapped(figure_.caption, caption_width)) {
      svg += text_at(margin, bottom_ + 12, "l", line);
      bottom_ += line_height;
      width_ = std::max(width_, 2 * margin + width_of(line, label_font * 0.9));
    }
    return svg;
  }

  const Figure& figure_;
  std::vector<PanelSvg> panels_;
  int label_width_ = 0;  ///< of panels below each other
  int width_ = 0, bottom_ = 0;
};

}  // namespace

std::string to_svg(const Figure& figure) { return FigureSvg(figure).svg(); }

}  // namespace hone

// Figures as SVG.
#include <algorithm>
#include <cmath>

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"
#include "tools/draw/panel_svg.h"
#include "tools/draw/svg_text.h"
#include "tools/draw/words.h"

namespace hone {
namespace {

constexpr int margin = 12, space = 26;
constexpr int most_cell_width = 30, least_cell_width = 13;
constexpr int wanted_width = 800;  ///< of the cells of panels beside each other
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
    bottom_ = margin + svg_line_height + 10;
    if (llvm::none_of(figure.panels, [](const FigurePanel& panel) { return panel.is_beside; }))
      for (const FigurePanel& panel : figure.panels)
        label_width_ = std::max(label_width_, label_width_of(panel));
    for (size_t first = 0; first < figure.panels.size();) first = place_band(first);
    width_ = std::max(width_, 360);
  }

  std::string svg() {
    std::string body = svg_text(margin, margin + 12, "h", figure_.title);
    for (const PanelSvg& panel : panels_) body += panel.svg();
    body += arrows();
    body += legend();
    body += caption();
    width_ = std::max(width_, margin + svg_width(figure_.title, 14) + margin);
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"hone-figure\" role=\"img\" "
               "viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\">\n<title>{2}</title>\n"
               "<desc>{3}</desc>\n",
               width_, bottom_ + margin, svg_escaped(figure_.title), svg_escaped(figure_.caption)) +
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

  /// All arrows are one path of lines, and one of heads.
  std::string arrows() const {
    if (figure_.arrows.empty()) return "";
    Arrows all;
    for (const FigureArrow& arrow : figure_.arrows) add(arrow, all);
    return fmt::format("<path class=\"a\" d=\"{}\"/>\n<path class=\"t\" d=\"{}\"/>\n", all.lines,
                       all.heads);
  }

  struct Arrows {
    std::string lines, heads;
  };

  void add(const FigureArrow& arrow, Arrows& all) const {
    const PanelSvg &from = panels_[arrow.from.panel], &to = panels_[arrow.to.panel];
    const double x = from.x_of(arrow.from), end_x = to.x_of(arrow.to);
    const double end_y = to.y_of(arrow.to) - to.half_cell();
    if (arrow.from.panel == arrow.to.panel && arrow.from.row == arrow.to.row)
      return add_arc(x, end_x, end_y, all);
    const double y = from.y_of(arrow.from) + from.half_cell();
    const double length = std::max(1.0, std::hypot(end_x - x, end_y - y));
    const double dx = (end_x - x) / length, dy = (end_y - y) / length;
    all.lines += fmt::format("M{:.0f} {:.0f}l{} {}", x, y, tenths(end_x - 5 * dx - x),
                             tenths(end_y - 5 * dy - y));
    all.heads +=
        fmt::format("M{:.0f} {:.0f}l{} {} {} {}z", end_x, end_y, tenths(-5 * dx - 2.5 * dy),
                    tenths(-5 * dy + 2.5 * dx), tenths(5 * dy), tenths(-5 * dx));
  }

  /// Along a row, above its cells.
  static void add_arc(double x, double end_x, double y, Arrows& all) {
    const double side = end_x > x ? 5 : -5;
    const double start = x + side, end = end_x - side;
    all.lines += fmt::format("M{:.0f} {:.0f}Q{:.0f} {:.0f} {:.0f} {:.0f}", start, y,
                             (start + end) / 2, y - 14, end, y - 4);
    all.heads += fmt::format("M{:.0f} {:.0f}l-2.5 -5h5z", end, y);
  }

  /// With a digit behind the point at most.
  static std::string tenths(double value) {
    return fmt::format("{}", std::round(value * 10) / 10 + 0.0);
  }

  std::string legend() {
    std::string svg;
    int x = margin;
    for (const FigureKey& key : figure_.legend) {
      const int width = 22 + svg_width(key.text, svg_label_font) + space / 2;
      if (x > margin && x + width > std::max(width_, 600)) {
        x = margin;
        bottom_ += svg_line_height + 2;
      }
      svg += fmt::format("<path class=\"{}\" d=\"M{} {}h14v12h-14z\"/>", svg_class(key.group), x,
                         bottom_) +
             svg_text(x + 20, bottom_ + 10, "l", key.text);
      x += width;
      width_ = std::max(width_, x);
    }
    if (!svg.empty()) bottom_ += svg_line_height + 8;
    return svg;
  }

  std::string caption() {
    std::string svg;
    for (const std::string& line : wrapped(figure_.caption, caption_width)) {
      svg += svg_text(margin, bottom_ + 12, "l", line);
      bottom_ += svg_line_height;
      width_ = std::max(width_, 2 * margin + svg_width(line, svg_label_font * 0.9));
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

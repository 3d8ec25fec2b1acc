#include <algorithm>

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"
#include "tools/page/chart.h"
#include "tools/page/counter_changes.h"

namespace hone {
namespace {

/// Sizes of a chart, in the units of its view box.
struct ChartShape {
  double labels, values = 66;  ///< room before the bars, and behind the longest
  double width = 760, bar_height = 14, row_height = 21, top = 30, bottom = 6;

  double bars() const { return width - labels - values; }
  double height(size_t rows) const { return top + row_height * rows + bottom; }
};

constexpr size_t longest_label = 26;

ChartShape shape_of(const SpeedChart& chart) {
  size_t longest = 8;
  for (const SpeedBar& bar : chart.bars) longest = std::max(longest, bar.rung.size());
  ChartShape shape = {7.2 * std::min(longest, longest_label) + 14};
  const auto is_measured = [](const SpeedBar& bar) { return bar.speed > 0; };
  if (!llvm::all_of(chart.bars, is_measured)) shape.values += 40;  // "at most", "not measured"
  return shape;
}

std::string number(double value) { return fmt::format("{:.1f}", value); }

std::string label_of(const SpeedBar& bar) {
  if (bar.rung.size() <= longest_label) return bar.rung;
  return bar.rung.substr(0, longest_label - 1) + "\xE2\x80\xA6";
}

Markup rectangle(const char* style, double x, double y, double width, double height) {
  return element("rect", {{"class", style},
                          {"x", number(x)},
                          {"y", number(y)},
                          {"width", number(std::max(width, 0.5))},
                          {"height", number(height)},
                          {"rx", "2"}});
}

Markup label(const char* style, double x, double y, const std::string& text,
             const char* anchor = "") {
  return element("text",
                 {{"class", style}, {"x", number(x)}, {"y", number(y)}, {"text-anchor", anchor}},
                 text);
}

/// The bars of a chart, drawn one below the other.
class ChartPainter {
 public:
  explicit ChartPainter(const SpeedChart& chart)
      : chart_(chart), shape_(shape_of(chart)), largest_(largest_speed(chart)) {}

  Markup paint() const {
    Markup content = element("title", "Speed of each rung, " + chart_.caption) +
                     element("style", Markup::trusted(file_style)) + bound();
    for (size_t n = 0; n < chart_.bars.size(); ++n) content += row(n);
    const std::string height = number(shape_.height(chart_.bars.size()));
    return element("svg",
                   {{"xmlns", "http://www.w3.org/2000/svg"},
                    {"class", "chart wide"},
                    {"viewBox", "0 0 " + number(shape_.width) + " " + height},
                    {"role", "img"}},
                   content);
  }

 private:
  static constexpr const char* file_style =
      "text{font:12px system-ui,sans-serif;fill:#1f2328}.value,.note{fill:#59636e}"
      ".bar{fill:#0b7a75}.bar.host{fill:#8a6d3b}.allowed{fill:none;stroke:#0b7a75;opacity:.55}"
      ".limit{stroke:#b3541e;stroke-dasharray:4 3}"
      "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.value,.note{fill:#9198a1}"
      ".bar{fill:#3fb8af}.bar.host{fill:#c9a86a}.allowed{stroke:#3fb8af}.limit{stroke:#e8935c}}";

  double length(double speed) const { return shape_.bars() * speed / largest_; }

  Markup bound() const {
    if (chart_.bound <= 0) return {};
    const double x = shape_.labels + length(chart_.bound);
    Markup markup = element("line", {{"class", "limit"},
                                     {"x1", number(x)},
                                     {"x2", number(x)},
                                     {"y1", number(shape_.top - 6)},
                                     {"y2", number(shape_.height(chart_.bars.size()))}});
    return markup + label("note", x, shape_.top - 12, "bound by " + chart_.bound_text, "end");
  }

  Markup row(size_t number) const {
    const SpeedBar& bar = chart_.bars[number];
    const double top = shape_.top + shape_.row_height * number;
    const double y = top + 3, middle = y + shape_.bar_height - 3;
    Markup markup = element("title", description(bar, chart_)) +
                    label("name", shape_.labels - 8, middle, label_of(bar), "end");
    if (bar.allowed > bar.speed)
      markup += rectangle("allowed", shape_.labels, y, length(bar.allowed), shape_.bar_height);
    if (bar.speed > 0)
      markup += rectangle(bar.is_host ? "bar host" : "bar", shape_.labels, y, length(bar.speed),
                          shape_.bar_height);
    return element("g", markup + value(bar, middle));
  }

  Markup value(const SpeedBar& bar, double y) const {
    const double end = shape_.labels + length(std::max(bar.speed, bar.allowed)) + 6;
    return label("value", end, y, value_text(bar, chart_));
  }

  const SpeedChart& chart_;
  const ChartShape shape_;
  const double largest_;
};

}  // namespace

double largest_speed(const SpeedChart& chart) {
  double largest = chart.bound;
  for (const SpeedBar& bar : chart.bars) largest = std::max({largest, bar.speed, bar.allowed});
  return largest > 0 ? largest : 1;
}

std::string description(const SpeedBar& bar, const SpeedChart& chart) {
  std::string text = bar.rung + ": ";
  text += bar.speed > 0 ? speed_text(bar.speed, chart.unit) : "not measured";
  if (bar.speed > 0 && chart.bound > 0 && !bar.is_host)
    text += fmt::format(", {:.3g} % of the bound", 100 * bar.speed / chart.bound);
  if (bar.allowed > 0)
    text += fmt::format("; its own requests allow {:.3g} %", 100 * bar.allowed / chart.bound);
  return text;
}

std::string value_text(const SpeedBar& bar, const SpeedChart& chart) {
  if (bar.speed > 0) return amount_text(bar.speed);
  if (chart.is_measured()) return "not measured";
  return bar.allowed > 0 ? "at most " + amount_text(bar.allowed) : "-";
}

Markup to_svg(const SpeedChart& chart) { return ChartPainter(chart).paint(); }

}  // namespace hone

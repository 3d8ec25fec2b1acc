// The chart of a page: a list of links, whose style sheet draws bars of the lengths that they have.
#include <algorithm>

#include "tools/page/html.h"

namespace hone {
namespace {

/// In percent of the longest.
class Lengths {
 public:
  explicit Lengths(const SpeedChart& chart) : largest_(largest_speed(chart)) {}

  std::string text(double speed) const { return fmt::format("{:.4g}", 100 * speed / largest_); }

 private:
  double largest_;
};

/// v: the speed, a: what the requests allow, where that is more; e: the longer one.
Markup bar_row(const SpeedBar& bar, const SpeedChart& chart) {
  const Lengths lengths(chart);
  std::string style = "--e:" + lengths.text(std::max(bar.speed, bar.allowed));
  if (bar.speed > 0) style += ";--v:" + lengths.text(bar.speed);
  if (bar.allowed > bar.speed) style += ";--a:" + lengths.text(bar.allowed);
  return element(
      "li", {{"class", bar.is_host ? "host" : ""}},
      element("a", {{"href", "#" + bar.anchor}, {"title", description(bar, chart)}},
              Markup::text(bar.rung) + element("b", {{"style", style}}, value_text(bar, chart))));
}

}  // namespace

Markup chart_bars(const SpeedChart& chart) {
  Markup rows;
  for (const SpeedBar& bar : chart.bars) rows += bar_row(bar, chart);
  const std::string limit = "--limit:" + Lengths(chart).text(chart.bound);
  return element("ol",
                 {{"class", chart.bound > 0 ? "chart bounded" : "chart"},
                  {"style", chart.bound > 0 ? limit : ""}},
                 rows);
}

}  // namespace hone

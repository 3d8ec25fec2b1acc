#include "tools/page/html.h"

namespace hone {
namespace {

/// The style that all drawings share.
std::string drawing_style(const LadderPage& page) {
  for (const RungPage& rung : page.rungs)
    if (!rung.drawings.empty()) return style_in(rung.drawings.front().svg);
  return "";
}

Markup legend(const SpeedChart& chart) {
  const auto key = [](const char* style, const char* text) {
    return element("span", {{"class", "key"}},
                   element("i", {{"class", style}}) + Markup::text(text));
  };
  Markup keys;
  if (chart.is_measured()) keys += key("bar", "measured");
  if (chart.is_measured() &&
      llvm::any_of(chart.bars, [](const SpeedBar& bar) { return bar.is_host && bar.speed > 0; }))
    keys += key("bar host", "measured on the host");
  if (llvm::any_of(chart.bars, [](const SpeedBar& bar) { return bar.allowed > 0; }))
    keys += key("allowed", "what a rung's own requests allow, if no read hits L1");
  if (chart.bound > 0) keys += key("limit", "the bound of the computation");
  return element("p", {{"class", "legend"}}, keys);
}

Markup chart_figure(const SpeedChart& chart) {
  return element("figure", to_svg(chart, ChartLayout::wide) + to_svg(chart, ChartLayout::narrow) +
                               legend(chart) +
                               element("figcaption", chart.unit + ". " + chart.caption));
}

Markup charts(const LadderPage& page) {
  const SpeedChart& first = page.charts.front();
  Markup content = chart_figure(first);
  if (!first.is_measured())
    content += element("p", {{"class", "note"}},
                       "No measured figures are stored beside this ladder: bars show what the "
                       "rungs' requests allow. On a machine with a GPU, this page measures them.");
  for (size_t n = 1; n < page.charts.size(); ++n)
    content += element("details", element("summary", "Also measured: " + page.charts[n].caption) +
                                      chart_figure(page.charts[n]));
  return element("section", {{"id", "speed"}}, element("h2", "Speed") + content);
}

}  // namespace

std::string to_html(const LadderPage& page) {
  PageFrame frame{page.name, page.title, page.version, drawing_style(page), "rung", {}, {}, {}};
  frame.hint =
      "Point at a line, or click it to hold it: lines of the same step of the schedule, and of the "
      "same axis, light up.";
  frame.footer = fmt::format(
      "Made by `hone ladder {} --html`, Hone {}; limits and peaks are those of {}. Counters are of "
      "the simulated device.",
      page.name, page.version, page.target);
  Markup content = charts(page);
  for (size_t n = 0; n < page.rungs.size(); ++n) {
    frame.parts.emplace_back(page.rungs[n].anchor, page.rungs[n].name);
    content += rung_section(page.rungs[n], n + 1, page.charts.front());
  }
  return html_page(frame, content);
}

}  // namespace hone

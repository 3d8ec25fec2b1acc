#include "tools/page/html.h"

#include "tools/page/assets.h"

namespace hone {
namespace {

/// A script in a form that is right for HTML and for XML.
Markup script(const char* text) {
  return element("script", Markup::trusted("//<![CDATA[\n" + std::string(text) + "//]]>"));
}

/// The style that all drawings share.
std::string drawing_style(const LadderPage& page) {
  for (const RungPage& rung : page.rungs)
    if (!rung.drawings.empty()) return style_in(rung.drawings.front().svg);
  return "";
}

Markup head(const LadderPage& page) {
  return element("head",
                 element("meta", {{"charset", "utf-8"}}) +
                     element("meta", {{"name", "viewport"},
                                      {"content", "width=device-width, initial-scale=1"}}) +
                     element("meta", {{"name", "color-scheme"}, {"content", "light dark"}}) +
                     element("meta", {{"name", "generator"}, {"content", "hone " + page.version}}) +
                     element("title", page.name + ": " + page.title) +
                     element("style", Markup::trusted(page_style + drawing_style(page))));
}

Markup button(const char* id, const char* label, const char* hint) {
  return element("button", {{"type", "button"}, {"id", id}, {"title", hint}}, label);
}

/// Buttons work with the script alone, and are hidden without it.
Markup toolbar() {
  return element("div", {{"class", "tools"}, {"hidden", "hidden"}},
                 button("open-all", "Unfold all", "Open or close all that is folded (o)") +
                     button("theme", "Dark or light", "Change colours (t)") +
                     button("help-button", "Keys", "What the keys do (?)"));
}

Markup contents(const LadderPage& page) {
  Markup items;
  for (const RungPage& rung : page.rungs)
    items += element("li", element("a", {{"href", "#" + rung.anchor}}, rung.name));
  return element(
      "nav", {{"aria-label", "Rungs"}},
      element("a", {{"class", "home"}, {"href", "#top"}}, page.name) + element("ol", items));
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

Markup keys_help() {
  constexpr std::pair<const char*, const char*> keys[] = {
      {"j, right", "next rung"}, {"k, left", "rung before"},  {"o", "unfold or fold all"},
      {"t", "dark or light"},    {"Esc", "let go of a line"}, {"?", "this help"}};
  Markup rows;
  for (const auto& [key, what] : keys)
    rows += element("tr", element("th", {{"scope", "row"}}, std::string_view(key)) +
                              element("td", std::string_view(what)));
  return element("dialog", {{"id", "help"}, {"aria-label", "Keys"}},
                 element("table", rows) +
                     element("p",
                             "Point at a line, or click it to hold it: lines of the same step "
                             "of the schedule, and of the same axis, light up.") +
                     element("form", {{"method", "dialog"}}, element("button", "Close")));
}

Markup footer(const LadderPage& page) {
  return element("footer", fmt::format("Made by `hone ladder {} --html`, Hone {}; limits and peaks "
                                       "are those of {}. Counters are of the simulated device.",
                                       page.name, page.version, page.target));
}

}  // namespace

std::string to_html(const LadderPage& page) {
  Markup main = element("header", element("h1", page.name) + element("p", page.title)) + toolbar() +
                charts(page);
  for (size_t n = 0; n < page.rungs.size(); ++n)
    main += rung_section(page.rungs[n], n + 1, page.charts.front());
  const Markup body = element(
      "body", {{"id", "top"}},
      contents(page) + element("main", main + footer(page)) + keys_help() + script(page_script));
  return "<!DOCTYPE html>\n" +
         element("html", {{"xmlns", "http://www.w3.org/1999/xhtml"}, {"lang", "en"}},
                 head(page) + body)
             .string() +
         "\n";
}

}  // namespace hone

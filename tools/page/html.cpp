#include "tools/page/html.h"

namespace hone {
namespace {

/// The style that all drawings share.
std::string drawing_style(const LadderPage& page) {
  if (!page.problem.drawings.empty()) return style_in(page.problem.drawings.front().svg);
  for (const RungPage& rung : page.rungs)
    if (!rung.drawings.empty()) return style_in(rung.drawings.front().svg);
  return "";
}

}  // namespace

Markup paragraph(const std::string& text) { return text.empty() ? Markup() : element("p", text); }

std::string to_html(const LadderPage& page) {
  PageFrame frame{page.name, page.title, page.version, drawing_style(page), "rung", {}, {}, {}};
  frame.hint =
      "Point at a line, or click it to hold it: lines of the same step of the schedule, and of the "
      "same axis, light up.";
  frame.footer = fmt::format(
      "Made by `hone ladder {} --html`, Hone {}; limits and peaks are those of {}. Counters are of "
      "the simulated device.",
      page.name, page.version, page.target);
  Markup content = opening(page);
  for (size_t n = 0; n < page.rungs.size(); ++n) {
    frame.parts.emplace_back(page.rungs[n].anchor, page.rungs[n].name);
    content += rung_section(page, n);
  }
  return html_page(frame, content + words(page));
}

}  // namespace hone

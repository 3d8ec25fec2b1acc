#include "tools/page/html.h"

namespace hone {
namespace {

/// The drawings of a page, in its order.
std::vector<PageDrawing*> drawings_of(LadderPage& page) {
  std::vector<PageDrawing*> drawings;
  for (PageDrawing& drawing : page.problem.drawings) drawings.push_back(&drawing);
  for (RungPage& rung : page.rungs)
    for (PageDrawing& drawing : rung.drawings) drawings.push_back(&drawing);
  return drawings;
}

/// Lets drawings share their elements and their style, which is returned.
std::string share_drawings(LadderPage& page) {
  const std::vector<PageDrawing*> drawings = drawings_of(page);
  const std::string style = drawings.empty() ? "" : style_in(drawings.front()->svg);
  SharedPictures pictures;
  for (PageDrawing* drawing : drawings) drawing->svg = pictures.add(drawing->svg);
  return shared_style(style);
}

}  // namespace

Markup paragraph(const std::string& text) { return text.empty() ? Markup() : element("p", text); }

std::string to_html(const LadderPage& whole) {
  LadderPage page = whole;
  const std::string style = share_drawings(page);
  PageFrame frame{page.name, page.title, page.version, style, "rung", {}, {}, {}};
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

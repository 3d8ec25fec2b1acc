#include "tools/page/assets.h"
#include "tools/page/html.h"

namespace hone {
namespace {

/// A script in a form that is right for HTML and for XML.
Markup script(const char* text) {
  return element("script", Markup::trusted("//<![CDATA[\n" + std::string(text) + "//]]>"));
}

Markup head(const PageFrame& frame) {
  return element(
      "head",
      element("meta", {{"charset", "utf-8"}}) +
          element("meta",
                  {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}}) +
          element("meta", {{"name", "color-scheme"}, {"content", "light dark"}}) +
          element("meta", {{"name", "generator"}, {"content", "hone " + frame.version}}) +
          element("title", frame.name + ": " + frame.title) +
          element("style", Markup::trusted(std::string(page_theme) + page_style + frame.style)));
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

Markup contents(const PageFrame& frame) {
  Markup items;
  for (const auto& [anchor, name] : frame.parts)
    items += element("li", element("a", {{"href", "#" + anchor}}, name));
  return element(
      "nav", {{"aria-label", "Contents"}},
      element("a", {{"class", "home"}, {"href", "#top"}}, frame.name) + element("ol", items));
}

Markup keys_help(const PageFrame& frame) {
  const std::pair<const char*, std::string> keys[] = {
      {"j, right", "next " + frame.part}, {"k, left", frame.part + " before"},
      {"o", "unfold or fold all"},        {"t", "dark or light"},
      {"Esc", "let go of a line"},        {"?", "this help"}};
  Markup rows;
  for (const auto& [key, what] : keys)
    rows += element("tr",
                    element("th", {{"scope", "row"}}, std::string_view(key)) + element("td", what));
  return element("dialog", {{"id", "help"}, {"aria-label", "Keys"}},
                 element("table", rows) + element("p", frame.hint) +
                     element("form", {{"method", "dialog"}}, element("button", "Close")));
}

}  // namespace

std::string html_page(const PageFrame& frame, const Markup& content) {
  const Markup main = element("header", element("h1", frame.name) + element("p", frame.title)) +
                      toolbar() + content + element("footer", frame.footer);
  const Markup body =
      element("body", {{"id", "top"}},
              contents(frame) + element("main", main) + keys_help(frame) + script(page_script));
  return "<!DOCTYPE html>\n" +
         element("html", {{"xmlns", "http://www.w3.org/1999/xhtml"}, {"lang", "en"}},
                 head(frame) + body)
             .string() +
         "\n";
}

}  // namespace hone

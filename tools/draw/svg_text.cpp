#include "tools/draw/svg_text.h"

#include <cmath>

#include "fmt/format.h"
#include "tools/draw/figure.h"

namespace hone {

std::string svg_escaped(std::string_view text) {
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

std::string svg_text(int x, int y, const char* css, std::string_view text) {
  return fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n", css, x, y,
                     svg_escaped(text));
}

void SvgSpans::add(int x, int y, std::string_view text) {
  if (text.empty()) return;
  const std::string line = y_ == y ? "" : fmt::format(" y=\"{}\"", y);
  spans_ += fmt::format("<tspan x=\"{}\"{}>{}</tspan>", x, line, svg_escaped(text));
  y_ = y;
}

std::string SvgSpans::text(const char* css, const std::string& style) const {
  if (spans_.empty()) return "";
  const std::string attribute = style.empty() ? "" : fmt::format(" style=\"{}\"", style);
  return fmt::format("<text class=\"{}\"{}>{}</text>\n", css, attribute, spans_);
}

int svg_width(std::string_view text, double font) {
  return static_cast<int>(std::ceil(static_cast<double>(text.size()) * svg_character * font));
}

std::string svg_class(int group) {
  return group < 0 ? "b n" : fmt::format("b g{}", group % figure_colours);
}

}  // namespace hone

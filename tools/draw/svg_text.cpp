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

int svg_width(std::string_view text, double font) {
  return static_cast<int>(std::ceil(static_cast<double>(text.size()) * svg_character * font));
}

std::string svg_class(int group) {
  return group < 0 ? "b n" : fmt::format("b g{}", group % figure_colours);
}

}  // namespace hone

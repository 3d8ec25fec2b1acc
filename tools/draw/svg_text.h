// Text in SVG: the pieces that figures and their panels share.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hone {

/// Heights of a line and of a label's font, in pixels.
inline constexpr int svg_line_height = 16, svg_label_font = 11;

/// The width of a character, in heights of its font.
inline constexpr double svg_character = 0.6;

/// The text with &, <, > and " as entities.
std::string svg_escaped(std::string_view text);

/// A <text> of these CSS classes.
std::string svg_text(int x, int y, const char* css, std::string_view text);

/// Texts of one style in one <text>, each at a place of its own.
class SvgSpans {
 public:
  /// Adds nothing for an empty text.
  void add(int x, int y, std::string_view text);

  /// Empty without texts.
  std::string text(const char* css, const std::string& style) const;

 private:
  std::string spans_;
  std::optional<int> y_;  ///< of the last one, which those behind it share until they say another
};

/// The width of a text, in pixels.
int svg_width(std::string_view text, double font);

/// The CSS classes of a box in the colour of a group; -1: of none.
std::string svg_class(int group);

}  // namespace hone

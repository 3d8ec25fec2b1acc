// The difference of two texts, line by line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone {

/// A line of two texts, with its end: ' ' in both of them, '-' in the old one, '+' in the new one.
struct LineEdit {
  char kind;
  std::string_view line;
};

/// All lines of both texts, in order; those of `old_text` that are gone stand before those that
/// take their place. Both texts end in a newline or are empty, and outlive the result.
std::vector<LineEdit> line_edits(std::string_view old_text, std::string_view new_text);

/// A unified diff with three lines of context, as patch reads it; empty for equal texts. Both texts
/// end in a newline or are empty.
std::string unified_diff(std::string_view old_name, std::string_view new_name,
                         std::string_view old_text, std::string_view new_text);

}  // namespace hone

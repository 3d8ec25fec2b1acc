// The difference of two texts, line by line.
#pragma once

#include <string>
#include <string_view>

namespace hone {

/// A unified diff with three lines of context, as patch reads it; empty for equal texts. Both texts
/// end in a newline or are empty.
std::string unified_diff(std::string_view old_name, std::string_view new_name,
                         std::string_view old_text, std::string_view new_text);

}  // namespace hone

// The code of a text of C++.
#pragma once

#include <string>

namespace hone {

/// The text with blanks in place of comments, of what stands in strings and characters, and of
/// preprocessor lines; every position and every line stays where it was.
std::string code_of(const std::string& text);

}  // namespace hone

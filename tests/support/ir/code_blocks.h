// The code blocks of our pages, which tests run.
#pragma once

#include <string>
#include <vector>

namespace hone {

/// The text between two lines of ```.
struct CodeBlock {
  std::string language;  ///< as the first line says it: "cpp"; often nothing
  std::string text;      ///< without the end of its last line
};

/// Of a page, in order; none where it cannot be read.
std::vector<CodeBlock> code_blocks(const std::string& path);

/// The text without what follows // in a line, and the blanks before that.
std::string without_comments(const std::string& text);

}  // namespace hone

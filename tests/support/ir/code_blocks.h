// The code blocks of our pages, which tests run.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace hone {

/// The text between two lines of ```.
struct CodeBlock {
  std::string language;  ///< as the first line says it: "cpp"; may be nothing
  std::string text;      ///< without the end of its last line
  std::map<std::string, std::string> notes = {};  ///< of comments in the lines above, as
                                                  ///< <!-- test: Split.GuardsTheTail -->

  /// The note of that name; empty where there is none.
  std::string note(const std::string& name) const;
};

/// Of a page, in order; none where it cannot be read.
std::vector<CodeBlock> code_blocks(const std::string& path);

/// The pages that tests run: README.md, docs/*.md and docs/guide/*.md, in order of their names.
std::vector<std::string> pages();

/// The text without what follows // in a line, and the blanks before that.
std::string without_comments(const std::string& text);

/// Expects `made` to be the text of a page's block `number`, from 0, blanks at the ends of lines
/// aside. A line `...` of the page stands for any number of lines, and one that ends so for any
/// that starts so. With UPDATE_GOLDEN=1 in the environment, it writes what differs into the page,
/// unless a line is so.
void expect_block(const std::string& path, int number, const std::string& made);

}  // namespace hone

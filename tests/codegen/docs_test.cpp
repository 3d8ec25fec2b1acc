// The loop IR and kernel IR of our pages is what the parsers read and the printers write.

#include <gtest/gtest.h>

#include "codegen/parse_kernel.h"
#include "codegen/verify_kernel.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/verify/verifier.h"
#include "tests/support/ir/code_blocks.h"

namespace hone {
namespace docs_test {

/// The blocks of all pages in a language, comments aside. A page of its own has them in `path`.
std::vector<std::string> texts(const std::string& language, const std::string& path = "") {
  std::vector<std::string> result;
  for (const std::string& page : path.empty() ? pages() : std::vector<std::string>{path})
    for (const CodeBlock& block : code_blocks(page))
      if (block.language == language) result.push_back(without_comments(block.text));
  return result;
}

TEST(Pages, LoopIrPrintsAsItStands) {
  for (const std::string& text : texts("ir")) {
    SCOPED_TRACE(text);
    const Function function = parse_function(text);
    EXPECT_EQ(to_string(function), text);
    EXPECT_EQ(verify(function), std::nullopt);
  }
  EXPECT_GE(texts("ir", "docs/ir-text.md").size(), 3u) << "it was not found, or shows too few";
}

TEST(Pages, KernelIrPrintsAsItStands) {
  for (const std::string& text : texts("kernel")) {
    SCOPED_TRACE(text);
    EXPECT_EQ(to_string(parse_kernel(text)), text);
    EXPECT_EQ(verify(parse_kernel(text)), std::nullopt);
  }
  EXPECT_GE(texts("kernel", "docs/ir-text.md").size(), 1u) << "it shows no kernel";
}

}  // namespace docs_test
}  // namespace hone

// The examples of docs/ir-text.md are what the parser reads and the printer writes.

#include <gtest/gtest.h>

#include "codegen/parse_kernel.h"
#include "codegen/verify_kernel.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/support/ir/code_blocks.h"

namespace hone {
namespace {

/// The text blocks of a page, comments aside.
std::vector<std::string> texts(const std::string& path) {
  std::vector<std::string> result;
  for (const CodeBlock& block : code_blocks(path)) result.push_back(without_comments(block.text));
  return result;
}

TEST(IrText, ExamplesPrintAsTheyStand) {
  int functions = 0, kernels = 0;
  for (const std::string& text : texts("docs/ir-text.md")) {
    const bool declares = text.starts_with("operator ");
    if (declares || text.starts_with("func ")) {
      const Function function = parse_function(text);
      EXPECT_EQ(to_string(function), text);
      EXPECT_EQ(verify(function), std::nullopt) << text;
      ++functions;
    }
    if (text.starts_with("kernel ")) {
      EXPECT_EQ(to_string(parse_kernel(text)), text);
      EXPECT_EQ(verify(parse_kernel(text)), std::nullopt) << text;
      ++kernels;
    }
  }
  EXPECT_GE(functions, 3) << "docs/ir-text.md shows too few functions, or was not found";
  EXPECT_GE(kernels, 1) << "docs/ir-text.md shows no kernel";
}

}  // namespace
}  // namespace hone

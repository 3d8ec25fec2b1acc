// The examples of docs/ir-text.md are what the parser reads and the printer writes.

#include <gtest/gtest.h>

#include <fstream>

#include "codegen/parse_kernel.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"

namespace hone {
namespace {

/// `line` without its comment and the blanks before that.
std::string without_comment(llvm::StringRef line) {
  return line.take_front(line.find("//")).rtrim().str();
}

/// What stands between ``` lines, comments aside.
std::vector<std::string> code_blocks(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> blocks;
  bool is_inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) {
      is_inside = !is_inside;
      if (is_inside) blocks.emplace_back();
    } else if (is_inside) {
      blocks.back() += (blocks.back().empty() ? "" : "\n") + without_comment(line);
    }
  }
  return blocks;
}

TEST(IrText, ExamplesPrintAsTheyStand) {
  int functions = 0, kernels = 0;
  for (const std::string& text : code_blocks("docs/ir-text.md")) {
    const bool declares = text.starts_with("operator ");
    if (declares || text.starts_with("func ")) {
      const Function function = parse_function(text);
      EXPECT_EQ(to_string(function), text);
      EXPECT_EQ(verify(function), std::nullopt) << text;
      ++functions;
    }
    if (text.starts_with("kernel ")) {
      EXPECT_EQ(to_string(parse_kernel(text)), text);
      ++kernels;
    }
  }
  EXPECT_GE(functions, 3) << "docs/ir-text.md shows too few functions, or was not found";
  EXPECT_GE(kernels, 1) << "docs/ir-text.md shows no kernel";
}

}  // namespace
}  // namespace hone

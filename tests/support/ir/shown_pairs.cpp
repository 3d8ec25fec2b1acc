#include "tests/support/ir/shown_pairs.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/ir/code_blocks.h"

namespace hone {
namespace {

constexpr const char* page = "docs/guide/primitives.md";

/// "Split.GuardsTheTail"
std::string name_of_test() {
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  return std::string(test->test_suite_name()) + "." + test->name();
}

}  // namespace

void expect_shown_pair(const std::string& before, const std::string& after) {
  static const std::vector<CodeBlock> blocks = code_blocks(page);
  static std::set<std::string> seen;
  const std::string test = name_of_test();
  if (!seen.insert(test).second) return;
  for (size_t first = 0; first < blocks.size(); ++first) {
    if (blocks[first].note("test") != test) continue;
    size_t second = first + 1;
    while (second < blocks.size() && blocks[second].language != "ir") ++second;
    expect_block(page, static_cast<int>(first), before);
    expect_block(page, static_cast<int>(second), after);
  }
}

}  // namespace hone

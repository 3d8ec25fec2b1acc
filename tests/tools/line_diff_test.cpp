#include "tools/cli/line_diff.h"

#include <cstdio>
#include <random>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace hone {
namespace line_diff_test {

std::string numbers(int first, int last) {
  std::string text;
  for (int n = first; n <= last; ++n) text += fmt::format("{}\n", n);
  return text;
}

TEST(LineDiff, OfEqualTextsIsEmpty) {
  EXPECT_EQ(unified_diff("a", "b", "x\ny\n", "x\ny\n"), "");
  EXPECT_EQ(unified_diff("a", "b", "", ""), "");
}

TEST(LineDiff, ShowsThreeLinesAroundAChange) {
  EXPECT_EQ(unified_diff("a", "b", numbers(1, 9), numbers(1, 4) + "five\n" + numbers(6, 9)),
            "--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(LineDiff, CountsFromTheLineBeforeWhereOneSideIsEmpty) {
  EXPECT_EQ(unified_diff("a", "b", "", "x\n"), "--- a\n+++ b\n@@ -0,0 +1,1 @@\n+x\n");
  EXPECT_EQ(unified_diff("a", "b", "x\n", ""), "--- a\n+++ b\n@@ -1,1 +0,0 @@\n-x\n");
}

TEST(LineDiff, JoinsChangesThatShareContext) {
  const std::string far = unified_diff("a", "b", numbers(1, 9), "0\n" + numbers(1, 7) + "9\n");
  EXPECT_EQ(far,
            "--- a\n+++ b\n@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n@@ -5,5 +6,4 @@\n 5\n 6\n 7\n-8\n 9\n");
  const std::string near = unified_diff("a", "b", numbers(1, 8), "0\n" + numbers(1, 6) + "8\n");
  EXPECT_EQ(near, "--- a\n+++ b\n@@ -1,8 +1,8 @@\n+0\n 1\n 2\n 3\n 4\n 5\n 6\n-7\n 8\n");
}

std::vector<std::string> lines_of(const std::string& text) {
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n', -1, /*KeepEmpty=*/false);
  std::vector<std::string> result;
  for (const llvm::StringRef line : lines) result.push_back(line.str());
  return result;
}

/// The patched `text`: checks the ranges and every line that the diff says is there.
std::string patched(const std::string& text, const std::string& diff) {
  const std::vector<std::string> before = lines_of(text);
  std::string after;
  size_t position = 0, old_left = 0, new_left = 0;
  for (const std::string& line : lines_of(diff)) {
    int start = 0, old_count = 0, new_start = 0, new_count = 0;
    const bool in_hunk = old_left + new_left > 0;
    if (!in_hunk && std::sscanf(line.c_str(), "@@ -%d,%d +%d,%d @@", &start, &old_count, &new_start,
                                &new_count) == 4) {
      const size_t first = static_cast<size_t>(old_count == 0 ? start : start - 1);
      while (position < first) after += before[position++] + "\n";
      old_left = static_cast<size_t>(old_count);
      new_left = static_cast<size_t>(new_count);
      EXPECT_EQ(lines_of(after).size(), static_cast<size_t>(new_start - (new_count == 0 ? 0 : 1)));
    } else if (in_hunk) {
      if (line[0] != '+') {
        EXPECT_EQ(before.at(position++), line.substr(1));
      }
      if (line[0] != '-') after += line.substr(1) + "\n";
      old_left -= line[0] != '+' ? 1 : 0;
      new_left -= line[0] != '-' ? 1 : 0;
    }
  }
  while (position < before.size()) after += before[position++] + "\n";
  return after;
}

std::string random_text(std::mt19937& engine) {
  std::string text;
  for (unsigned count = engine() % 30; count > 0; --count)
    text += fmt::format("line {}\n", engine() % 4);
  return text;
}

TEST(LineDiff, TurnsTheOldTextIntoTheNewOne) {
  std::mt19937 engine(7);
  for (int round = 0; round < 500; ++round) {
    const std::string before = random_text(engine), after = random_text(engine);
    const std::string diff = unified_diff("a", "b", before, after);
    ASSERT_EQ(patched(before, diff), after) << diff;
  }
}

}  // namespace line_diff_test
}  // namespace hone

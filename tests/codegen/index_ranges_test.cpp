// Ranges of index arithmetic, step by step.
#include "codegen/contract/index_ranges.h"

#include <gtest/gtest.h>

#include "codegen/parse_kernel.h"

namespace hone {
namespace index_ranges_test {

std::string text_of(int64_t end) {
  if (end == Interval::no_low || end == Interval::no_high) return "?";
  return std::to_string(end);
}

/// "i + 1: 1..64; i*n: 0..126", in the order of the text, of a kernel of 64 threads t; variables
/// count where `with_variables` says so.
std::string steps(const std::string& body, const Sizes& sizes, LoopForm form = LoopForm::plain,
                  bool with_variables = false) {
  const KernelFunction kernel = parse_kernel(
      "kernel f[n](A: i32[n], C: i32[n]) grid(1, 1, 1) block(64, 1, 1) @index32 { let t = "
      "thread.x " +
      body + " }");
  std::string text;
  for_each_index_step(kernel, sizes.empty() ? nullptr : &sizes, form, [&](const IndexStep& step) {
    if (step.is_variable() && !with_variables) return;
    text += fmt::format("{}{}: {}..{}", text.empty() ? "" : "; ", step.expr,
                        text_of(step.range.low), text_of(step.range.high));
  });
  return text;
}

TEST(IndexRanges, AreThoseOfOperators) {
  EXPECT_EQ(steps("C[t + 1] = 0i32", {}), "t + 1: 1..64");
  EXPECT_EQ(steps("C[t*n] = 0i32", {{"n", 3}}), "t*n: 0..189");
  EXPECT_EQ(steps("C[t*n] = 0i32", {}), "t*n: 0..?");
  EXPECT_EQ(steps("C[(t - 1)*n] = 0i32", {{"n", 3}}), "t - 1: -1..62; (t - 1)*n: -3..186");
}

TEST(IndexRanges, EndWhereGuardsDo) {
  EXPECT_EQ(steps("if (t < n) { C[t*n] = 0i32 }", {{"n", 3}}), "t*n: 0..6");
  EXPECT_EQ(steps("if (t*2 < n) { C[t + 1] = 0i32 }", {{"n", 9}}), "t*2: 0..126; t + 1: 1..5");
  EXPECT_EQ(steps("if (t*t < n) { C[t*t] = 0i32 }", {{"n", 9}}), "t*t: 0..3969; t*t: 0..8");
  EXPECT_EQ(steps("C[0] = select(n <= t, 0i32, A[t + 1])", {{"n", 3}}), "t + 1: 1..3");
  EXPECT_EQ(steps("if (64 <= t) { C[t + 1] = 0i32 }", {}), "");
}

TEST(IndexRanges, OfLoopsAsTheyCount) {
  const std::string loop = "for k in 0..n { C[k*8 + t] = 0i32 }";
  EXPECT_EQ(steps(loop, {{"n", 5}}), "k*8: 0..32; k*8 + t: 0..95");
  EXPECT_EQ(steps(loop, {{"n", 5}}, LoopForm::stepped, true),
            "n: 5..5; t: 0..63; n*8: 40..40; k: 0..40; k + t: 0..95");
  EXPECT_EQ(steps("for k in 0..n { C[k + 1] = 0i32 }", {{"n", 0}}), "");
}

TEST(IndexRanges, OfElementsLieWithinWhatIsRead) {
  EXPECT_EQ(steps("C[index(A[t])*2 + 1] = 0i32", {{"n", 9}}),
            "index(A[t])*2: -1..7; index(A[t])*2 + 1: 0..8");
  EXPECT_EQ(steps("C[index(A[t])*2 + index(A[0])] = 0i32", {{"n", 9}}),
            "index(A[t])*2: 0..8; index(A[t])*2 + index(A[0]): 0..8");
  EXPECT_EQ(steps("C[t] = i32(index(A[t])*2)", {{"n", 9}}),
            "index(A[t])*2: -4294967296..4294967294");
}

TEST(IndexRanges, KnowWhatCallersPromise) {
  const KernelFunction kernel = parse_kernel(
      "kernel f[n](C: i32[n]) where n <= 1000 grid(n, 1, 1) block(1, 1, 1) @index32 { C[block.x * "
      "block.x % n] = 0i32 }");
  for_each_index_step(kernel, nullptr, LoopForm::plain, [](const IndexStep& step) {
    EXPECT_TRUE(step.fits()) << fmt::format("{}", step.expr);
  });
}

}  // namespace index_ranges_test
}  // namespace hone

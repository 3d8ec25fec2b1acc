// Counts of arithmetic and control, for kernels that are small enough to be counted by hand.
#include <gtest/gtest.h>

#include "tests/support/runtime/counted.h"

namespace hone {

namespace sim_count_arithmetic_test {

int64_t flops(const std::string& body, const CountShape& shape = {}) {
  return count_body(body, shape).flops;
}

TEST(CountFlops, OperationsOfFloats) {
  EXPECT_EQ(flops("C[t] = A[t]"), 0);
  EXPECT_EQ(flops("C[t] = A[t]*A[t] + 1.0"), 2 * 32);
  EXPECT_EQ(flops("C[t] += A[t]*A[t]"), 2 * 32);
  EXPECT_EQ(flops("C[t] = fma(A[t], A[t], 1.0)"), 2 * 32);
  EXPECT_EQ(flops("C[t] = max(A[t], 0.0) / 3.0"), 2 * 32);
  EXPECT_EQ(flops("C[t] = exp(A[t] - 1.0)"), 2 * 32);
  EXPECT_EQ(flops("C[t] = -abs(A[t])"), 0);
  EXPECT_EQ(flops("C[t] max= A[t]", {.type = "f16"}), 32);
  EXPECT_EQ(count_body("C[t] += A[t]*A[t]").double_flops, 0);
  EXPECT_EQ(flops("C[t] += A[t]*A[t]", {.type = "f64"}), 2 * 32);
  EXPECT_EQ(count_body("C[t] += A[t]*A[t]", {.type = "f64"}).double_flops, 2 * 32);
}

TEST(CountFlops, NoneOfIntegers) {
  EXPECT_EQ(flops("C[t] = A[t*2 + 1]*A[t] + 3", {.type = "i32"}), 0);
  EXPECT_EQ(flops("C[t] += A[t]", {.type = "i32"}), 0);
}

TEST(CountFlops, TheLongerSideOfASelect) {
  EXPECT_EQ(flops("C[t] = select(A[t] < 0.0, A[t]*2.0 + 1.0, A[t] + 1.0)"), 3 * 32);
}

TEST(CountFlops, OfActiveLanesInEveryTrip) {
  EXPECT_EQ(flops("for n in 0..10 { if (t < 5) { C[t] += A[t] } }"), 50);
}

TEST(CountFlops, OfRegisters) {
  EXPECT_EQ(flops("alloc r: f32[] @registers r[] = 0.0 for n in 0..3 { r[] += A[t]*2.0 } "
                  "C[t] = r[]"),
            6 * 32);
}

TEST(CountFlops, PerByte) {
  const CountReport report = count_body("C[t] = A[t]*A[t] + A[t + 1]");
  EXPECT_DOUBLE_EQ(report.global_intensity(), 64.0 / ((4 + 5 + 4) * 32));
  EXPECT_EQ(report.shared_intensity(), 0);
  const CountReport tile = count_body("alloc s: f32[32] @shared C[t] = s[t]*2.0");
  EXPECT_DOUBLE_EQ(tile.shared_intensity(), 32.0 / 128);
}

TEST(CountBarriers, OfBlocks) {
  const CountReport report =
      count_body("for n in 0..4 { barrier barrier } C[t] = A[t]", {.grid = "3, 2, 1"});
  EXPECT_EQ(report.barriers, 48);
  EXPECT_EQ(report.barriers_per_block(), 8);
  EXPECT_EQ(report.blocks(), 6);
  EXPECT_EQ(report.threads(), 192);
}

TEST(CountBranches, ThatDivergeWithinAWarp) {
  const auto branches = [](const std::string& condition) {
    const CountReport report =
        count_body("if (" + condition + ") { C[t] = A[t] }", {.block = "80, 1, 1"});
    EXPECT_EQ(report.branches.size(), 1u);
    return report.branch_total;
  };
  EXPECT_EQ(branches("t < 40"), (BranchCounts{3, 1}));
  EXPECT_EQ(branches("t < 64"), (BranchCounts{3, 0}));
  EXPECT_EQ(branches("t % 2 == 0"), (BranchCounts{3, 3}));
  EXPECT_EQ(branches("t < 80"), (BranchCounts{3, 0}));
}

TEST(CountBranches, OfActiveLanes) {
  const CountReport report = count_body(
      "if (t < 32) { if (t < 16) { if (t < 16) { C[t] = A[t] } } }", {.block = "64, 1, 1"});
  EXPECT_EQ(report.branch_total, (BranchCounts{2 + 1 + 1, 1}));
}

TEST(CountBranches, NoneWhereABlockGoesOneWay) {
  EXPECT_TRUE(count_body("if (block.x < 1) { C[t] = A[t] }").branches.empty());
}

}  // namespace sim_count_arithmetic_test
}  // namespace hone

// The contract of a launch, computed once.
#include "codegen/contract/launch_contract.h"

#include <gtest/gtest.h>

#include "codegen/contract/index_ranges.h"
#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "ir/text/parser.h"

namespace hone {
namespace launch_contract_test {

constexpr int64_t largest = INT64_MAX, least = INT64_MIN;

// ---- Formulas -----------------------------------------------------------------------------------

int64_t value(const Expr& formula, int64_t n) { return value_of(formula, {{"n", n}}); }

TEST(LaunchContract, FormulasAreComputedWithSaturation) {
  const Expr n = ParamRef::make(make_param("n"));
  EXPECT_EQ(value((n + 31) / 32, 33), 2);
  EXPECT_EQ(value(n + 1, largest), largest);
  EXPECT_EQ(value(n - 1, least), least);
  EXPECT_EQ(value(n - least, 1), largest);
  EXPECT_EQ(value(n * n, int64_t{1} << 32), largest);
  EXPECT_EQ(value(n * -3, largest), least);
  EXPECT_EQ(value(n / 4, -1), -1);
  EXPECT_EQ(value(n % 4, -1), 3);
  EXPECT_EQ(value(Expr(7) / n, 0), 0);
  EXPECT_EQ(value(Expr(7) % n, 0), 0);
  EXPECT_EQ(value(n / -1, least), largest);
  EXPECT_EQ(value(n << 62, 4), largest);
  EXPECT_EQ(value(n >> 63, 4), 0);
}

/// What is beyond 64 bits does not come back by sums and products; quotients of it are numbers.
TEST(LaunchContract, FormulasStayBeyond) {
  const Expr n = ParamRef::make(make_param("n"));
  EXPECT_EQ(value(n - 1, largest), largest);
  EXPECT_EQ(value(n * n - n, int64_t{1} << 32), largest);
  EXPECT_EQ(value(n + 1, least), least);
  EXPECT_EQ(value(n * -1, largest), least);
  EXPECT_EQ(value(n * 0, largest), 0);
  EXPECT_EQ(value(n % 256, largest), 255);
  EXPECT_EQ(value(n / 256, largest), largest / 256);
}

TEST(LaunchContract, ConditionsAreNumbers) {
  const Expr n = ParamRef::make(make_param("n"));
  EXPECT_EQ(value(n % 4 == 0 && n > 3, 8), 1);
  EXPECT_EQ(value(n % 4 == 0 && n > 3, 0), 0);
  EXPECT_EQ(value(n < 1 || n > 3, 2), 0);
  EXPECT_EQ(value(!(n < 1), 2), 1);
  EXPECT_EQ(value(select(n < 1, n + 5, min(n, 3)), 7), 3);
}

TEST(LaunchContract, MessagesTakeValuesInOrder) {
  EXPECT_EQ(filled("{} of {}; {.x = 1}", {"1", "2"}), "1 of 2; {.x = 1}");
  EXPECT_EQ(filled("{}{}", {"a"}), "a{}");
}

// ---- Index arithmetic ---------------------------------------------------------------------------

KernelContract contract_of(const std::string& body) {
  return launch_contract(
             parse_kernel("kernel f[n, m](A: f32[n, m], C: f32[n, m]) grid((n + 255) / 256, 1, 1) "
                          "block(256, 1, 1) @index32 { let i = block.x*256 + thread.x if (i < n) "
                          "{ for k in 0..m { " +
                          body + " } } }"))
      .kernels.front();
}

/// An index that lies within a tensor, and the summands of it, fit where the elements do.
TEST(LaunchContract, ElementsOfTensorsNeedNoCheckOfTheirOwn) {
  EXPECT_EQ(contract_of("C[i*m + k] = A[i*m + k]").index_steps, 0);
  EXPECT_EQ(contract_of("C[i*m + k] = A[i*m + k]").values.size(), 0u);
  EXPECT_EQ(contract_of("C[i*m + k] = A[i*m*2 % n + k]").index_steps, 3);
  EXPECT_EQ(contract_of("C[(i*2 - i)*m + k] = A[i*m + k]").index_steps, 3);
  EXPECT_EQ(contract_of("C[i >> k] = A[i*m + k]").index_steps, 1);
}

TEST(LaunchContract, LimitsThatFollowFromOthersGoWithoutSaying) {
  const KernelContract contract = contract_of("C[i*m + k] = A[i*m + k]");
  std::string text;
  for (const SizeCheck& limit : contract.limits) text += fmt::format("{}\n", limit.holds);
  EXPECT_EQ(text,
            "n <= 2146435072\nm <= 2146435072\nn*m <= 2146435072\n"
            "((n + 255) / 256)*256 <= 2146435072\n");
}

/// A step that guards keep from being computed is not refused.
TEST(LaunchContract, StepsOfIndexArithmeticAreFormulas) {
  const KernelContract contract = contract_of("C[i >> k] = A[i*m + k]");
  const auto refused = [&](int64_t n, int64_t m) -> std::string {
    const Sizes sizes = with_values({{"n", n}, {"m", m}}, contract.values);
    for (const SizeCheck& limit : contract.index_limits)
      if (!value_of(limit.holds, sizes)) return refusal(limit, sizes).substr(0, 49);
    return "";
  };
  EXPECT_EQ(refused(256, 32), "");
  EXPECT_EQ(refused(256, 33), "f: i >> k may leave 32 bits with n = 256, m = 33,");
  EXPECT_EQ(refused(0, 33), "");
}

/// Only what limits need stays, each once.
TEST(LaunchContract, ValuesAreThoseThatLimitsNeed) {
  const Expr n = ParamRef::make(make_param("n"));
  Formulas formulas;
  const Expr sum = formulas.binary(BinaryOp::add, n, 1);
  const Expr square = formulas.binary(BinaryOp::mul, sum, sum);
  const Expr unused = formulas.binary(BinaryOp::mul, n, n);
  EXPECT_TRUE(formulas.binary(BinaryOp::add, n, 1).same_as(sum));
  EXPECT_EQ(formulas.parts_of(unused).size(), 1u);
  const auto parts = formulas.parts_of(square < 5);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(value_of(square, with_values({{"n", 3}}, parts)), 16);
}

// ---- The whole ----------------------------------------------------------------------------------

TEST(LaunchContract, SaysWhatKernelsLeaveToEachOther) {
  const Module module = lower(parse_function(
      "func twice[n](A: f32[n], C: f32[n]) where n % 2 == 0 { alloc T: f32[n]@global "
      "for i in 0..n @block.x { T[i] = A[i] } for j in 0..n @block.x { C[j] = T[j] + T[j] } }"));
  EXPECT_EQ(to_string(launch_contract(module)),
            "twice\n"
            "  A: f32[n], read\n"
            "  C: f32[n], written\n"
            "  n, a size\n"
            "promised: n % 2 == 0\n"
            "promised: A and C share no memory\n"
            "workspace: T: f32[n], ((n + 63) / 64)*256 bytes\n"
            "2 kernels, one after the other:\n"
            "twice_0: grid (n, 1, 1), block (1, 1, 1), no shared memory, 32-bit indices\n"
            "  takes A, T, n\n"
            "  limit: n <= 2146435072\n"
            "twice_1: grid (n, 1, 1), block (1, 1, 1), no shared memory, 32-bit indices\n"
            "  takes C, T, n\n"
            "  limit: n <= 2146435072\n");
}

}  // namespace launch_contract_test
}  // namespace hone

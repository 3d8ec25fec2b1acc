// Index arithmetic that the width does not hold: launches refuse it, and check mode finds it.
#include <gtest/gtest.h>

#include "codegen/parse_kernel.h"
#include "dsl/schedule.h"
#include "runtime/compile.h"
#include "runtime/sim/check/check.h"
#include "tests/support/runtime/errors.h"

namespace hone {
namespace index_width_refusal_test {

std::string refusal(const KernelFunction& kernel, const Sizes& sizes) {
  return thrown_message<RuntimeError>([&] { launch_dims(kernel, sizes); });
}

/// C[i] = A[`index`] for i in 0..n.
KernelFunction reading(const std::string& index, const std::string& bits) {
  return parse_kernel(
      "kernel f[n](A: f32[n], C: f32[n]) grid((n + 255) / 256, 1, 1) "
      "block(256, 1, 1) @index" +
      bits + " { let i = block.x*256 + thread.x if (i < n) { C[i] = A[" + index + "] } }");
}

TEST(IndexWidthRefusals, NameTheOperatorThatNeedsMore) {
  const KernelFunction narrow = reading("i*i % n", "32");
  EXPECT_EQ(refusal(narrow, {{"n", 46341}}), "nothing was thrown");
  EXPECT_EQ(
      refusal(narrow, {{"n", 46342}}),
      "f: i*i may reach 2147488281 with n = 46342, more than the 2147483647 that 32 bits hold, "
      "in: C[i] = A[i*i % n]; compile with {.index_bits = 64}, or export with --index-bits=64");
  EXPECT_EQ(refusal(reading("(0 - i - i - 2000000000) * 0", "32"), {{"n", 80000000}}),
            "f: 0 - i - i - 2000000000 may reach -2159999998 with n = 80000000, less than the "
            "-2147483648 that 32 bits hold, in: C[i] = A[(0 - i - i - 2000000000)*0]; compile with "
            "{.index_bits = 64}, or export with --index-bits=64");
  EXPECT_EQ(refusal(reading("i*i % n", "64"), {{"n", 46342}}), "nothing was thrown");
}

TEST(IndexWidthRefusals, KnowThatGuardsHold) {
  const KernelFunction narrow = reading("i", "32");
  EXPECT_EQ(refusal(narrow, {{"n", 2146435072}}), "nothing was thrown");
}

TEST(IndexWidthRefusals, NameWhatSixtyFourBitsDoNotHold) {
  EXPECT_EQ(
      refusal(reading("i*i*i*i*i % n", "64"), {{"n", 8192}}),
      "f: i*i*i*i*i may leave the 64 bits of an index with n = 8192, in: C[i] = A[i*i*i*i*i % "
      "n]; use smaller sizes");
  const Param n("n");
  const Tensor w("w", f32, {n}), y("y", f32, {n});
  const Axis i("i", n);
  const Schedule s(Program("each", y(i) = w(i * i * i * i * i % n)));
  const Array<float> array({8192});
  EXPECT_EQ(thrown_message<RuntimeError>(
                [&] { compile(s, {.device = Device::host()})(array, array.clone()); }),
            "each: i*i*i*i*i may leave the 64 bits of an index with n = 8192, in: y[i] = "
            "w[i*i*i*i*i % n]; use smaller sizes");
}

TEST(IndexWidthRefusals, ALoopCountsBeyondItsEnd) {
  const KernelFunction kernel = parse_kernel(
      "kernel f[n](C: u8[16]) grid(1, 1, 1) block(16, 1, 1) @index32 { let t = thread.x "
      "for k in 0..n { C[(k*16 + t) % 16] = 1u8 } }");
  EXPECT_EQ(refusal(kernel, {{"n", 1 << 26}}), "nothing was thrown");
  EXPECT_EQ(
      refusal(kernel, {{"n", 1 << 27}}),
      "f: n*16 may reach 2147483648 with n = 134217728, more than the 2147483647 that 32 bits "
      "hold, in: for k in 0..n; compile with {.index_bits = 64}, or export with --index-bits=64");
}

// ---- The simulated device -----------------------------------------------------------------------

std::string found(const KernelFunction& kernel, int64_t n, const CheckOptions& options) {
  std::vector<float> a(static_cast<size_t>(n), 1), c(a);
  const SimArgument arguments[] = {{"A", a.data(), n, false}, {"C", c.data(), n, true}};
  std::string text;
  for (const Finding& finding : check(kernel, {{"n", n}}, arguments, options).findings)
    text += to_string(finding);
  return text;
}

/// The same whether or not proofs leave something out.
std::string found(const KernelFunction& kernel, int64_t n) {
  const std::string text = found(kernel, n, {});
  EXPECT_EQ(found(kernel, n, {.every_index = true}), text);
  return text;
}

TEST(IndexWidthChecks, FindWhatLeavesThirtyTwoBits) {
  EXPECT_EQ(found(reading("i*i % n", "32"), 46341), "");
  EXPECT_EQ(found(reading("i*i % n", "32"), 46343),
            "index overflow: 46341 * 46341 leaves 32 bits\n"
            "  block (181, 0, 0), thread (5, 0, 0) computes i*i\n"
            "    in: C[i] = A[i*i % n]\n"
            "  and 1 more like it");
  EXPECT_EQ(found(reading("(i - n*46341) * 0", "32"), 46342).substr(0, 45),
            "index overflow: 46342 * 46341 leaves 32 bits\n");
  EXPECT_EQ(found(reading("(1 << i % 32) % n", "32"), 64),
            "index overflow: 1 << 31 leaves 32 bits\n"
            "  block (0, 0, 0), thread (31, 0, 0) computes 1 << i % 32\n"
            "    in: C[i] = A[(1 << i % 32) % n]\n"
            "  and 1 more like it");
  EXPECT_EQ(found(reading("index(i64(i))*i % n", "32"), 46343), "");
  EXPECT_EQ(found(reading("i*i % n", "64"), 46343), "");
}

TEST(IndexWidthChecks, FindWhatLeavesSixtyFourBits) {
  EXPECT_EQ(found(reading("(i*4611686018427387904 + 1) * 0", "64"), 4),
            "index overflow: 2 * 4611686018427387904 leaves 64 bits\n"
            "  block (0, 0, 0), thread (2, 0, 0) computes i*4611686018427387904\n"
            "    in: C[i] = A[(i*4611686018427387904 + 1)*0]\n"
            "  and 1 more like it");
}

TEST(IndexWidthChecks, FindNothingInWhatGuardsKeepFromBeingComputed) {
  EXPECT_EQ(found(reading("select(i < 100, i*i, 0) % n", "32"), 46343), "");
}

}  // namespace index_width_refusal_test
}  // namespace hone

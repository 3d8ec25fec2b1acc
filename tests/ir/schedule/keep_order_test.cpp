// Loops whose statements reach the machine code in the order of the text.
#include <gtest/gtest.h>

#include "fmt/format.h"
#include "tests/support/ir/expect_rewrite.h"

namespace hone {
namespace keep_order_test {

Rewriting keeps_order_of(llvm::StringRef name) {
  return [=](const Function& f) { return keep_order(f, axis(f, name)).function; };
}

/// Sums of products in registers; `options` are those of the loop over k.
std::string sums(const char* type, const char* options, const char* value = "A[k] * B[k]") {
  return fmt::format(R"(func f(A: {0}[4], B: {0}[4], C: {0}[1]) {{
  alloc C.reg: {0}[1] @registers
  C.reg[0] = 0.0
  reduce k in 0..4{1} {{
    C.reg[0] += {2}
  }}
  C[0] = C.reg[0]
}})",
                     type, options, value);
}

TEST(KeepOrder, IsSaidOfAnUnrolledLoop) {
  expect_rewrite(sums("f32", " @unroll"), keeps_order_of("k"), sums("f32", " @unroll @ordered"));
  expect_rewrite(sums("f64", " @unroll"), keeps_order_of("k"), sums("f64", " @unroll @ordered"));
}

TEST(KeepOrder, IsSaidOfLoadsFromSharedMemory) {
  const auto loads = [](const char* options) {
    return fmt::format(R"(func f(A: f32[4], C: f32[4]) {{
  alloc T: f32[4] @shared
  copy T[0 .. +4] <- A[0 .. +4]
  alloc R: f32[4] @registers
  for i in 0..4 @unroll{} {{
    R[i] = T[i]
  }}
  for j in 0..4 @unroll {{
    C[j] = R[j]
  }}
}})",
                       options);
  };
  expect_rewrite(loads(""), keeps_order_of("i"), loads(" @ordered"));
}

TEST(KeepOrderRefusals, OfLoopsThatAreNotUnrolled) {
  expect_refusal(
      sums("f32", ""), keeps_order_of("k"),
      R"(error: keep_order: k is not unrolled in full, and its statements stand in the machine code once for several iterations
  reduce k in 0..4 {                 <-- here
    C.reg[0] += A[k] * B[k]
note: unroll(k) first)");
}

TEST(KeepOrderRefusals, OfLoopsWithNothingToOrder) {
  expect_refusal(
      sums("f32", " @unroll", "A[k]"), keeps_order_of("k"),
      R"(error: keep_order: k sums no products of f32 or f64 in registers, and loads none of these from shared memory to registers
  reduce k in 0..4 @unroll {         <-- here
    C.reg[0] += A[k]
note: cache_registers of the result and of the operands first)");
}

TEST(KeepOrderRefusals, OfASecondTime) {
  expect_refusal(sums("f32", " @unroll @ordered"), keeps_order_of("k"),
                 R"(error: keep_order: the statements of k keep their order already
  reduce k in 0..4 @unroll @ordered {  <-- here
    C.reg[0] += A[k] * B[k])");
}

}  // namespace keep_order_test
}  // namespace hone

// The arithmetic that a program's speed is measured against.
#include "tools/cli/judge/arithmetic.h"

#include <gtest/gtest.h>

#include "dsl/schedule.h"
#include "examples/ladders/ladders.h"
#include "ir/text/parser.h"

namespace hone {
namespace arithmetic_test {

Arithmetic arithmetic_of_sum(const char* value) {
  return hone::arithmetic_of(parse_function(std::string(R"(
func f(S: f32[], A: f16[8], B: f16[8], C: bf16[8], X: f32[8], N: i8[8], T: tf32[8], E: f8e4m3[8]) {
  reduce k in 0..8 {
    S[] += )") + value + "\n  }\n}\n"));
}

TEST(Arithmetic, OfProductsOf16BitsIsThatOfTensorCores) {
  EXPECT_EQ(arithmetic_of_sum("f32(A[k]) * f32(B[k])"), Arithmetic::tensor);
  EXPECT_EQ(arithmetic_of_sum("f32(A[k] * B[k])"), Arithmetic::fp32);
  EXPECT_EQ(arithmetic_of_sum("f32(A[k]) * f32(C[k])"), Arithmetic::fp32);
  EXPECT_EQ(arithmetic_of_sum("f32(A[k]) * X[k]"), Arithmetic::fp32);
  EXPECT_EQ(arithmetic_of_sum("X[k] * X[k]"), Arithmetic::fp32);
  EXPECT_EQ(arithmetic_of_sum("f32(A[k])"), Arithmetic::fp32);
  EXPECT_EQ(arithmetic_of_sum("f32(N[k]) * f32(N[k])"), Arithmetic::int8);
  EXPECT_EQ(arithmetic_of_sum("f32(N[k]) * X[k]"), Arithmetic::fp32);
  EXPECT_EQ(arithmetic_of_sum("f32(T[k]) * f32(T[k])"), Arithmetic::tf32);
  EXPECT_EQ(arithmetic_of_sum("f32(E[k]) * f32(E[k])"), Arithmetic::fp8);
  EXPECT_EQ(arithmetic_of_sum("X[k] * X[k] * (f32(E[k]) * f32(E[k]))"), Arithmetic::fp8);
  EXPECT_EQ(arithmetic_of_sum("X[k] * f32(E[k])"), Arithmetic::fp32);
  EXPECT_EQ(arithmetic_of_sum("X[k] * X[k] * f32(E[k])"), Arithmetic::fp32);
}

TEST(Arithmetic, OfLaddersIsThatOfTheirPrograms) {
  for (const Ladder& ladder : all_ladders()) {
    const bool is_of_bf16 = llvm::StringRef(ladder.name).startswith("hgemm") ||
                            ladder.name == "gemm-bias-gelu" || ladder.name == "conv2d-nhwc";
    const bool is_of_fp8 = llvm::StringRef(ladder.name).startswith("gemm-fp8");
    const Arithmetic expected = is_of_bf16                       ? Arithmetic::tensor
                                : ladder.name == "igemm-s8"      ? Arithmetic::int8
                                : ladder.name == "gemm-tf32"     ? Arithmetic::tf32
                                : is_of_fp8                      ? Arithmetic::fp8
                                : ladder.name == "matmul-double" ? Arithmetic::fp64
                                                                 : Arithmetic::fp32;
    EXPECT_EQ(hone::arithmetic_of(ladder.program({}).function()), expected) << ladder.name;
  }
}

}  // namespace arithmetic_test
}  // namespace hone

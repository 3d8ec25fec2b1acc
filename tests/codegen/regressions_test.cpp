// Regressions that random schedules have found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "fmt/format.h"
#include "ir/text/parser.h"

namespace hone {
namespace regressions_test {

std::string lowered(const char* text) {
  return to_string(lower(parse_function(text)).kernels.front());
}

/// The grid has one block, so that i.0*5 is 0 also where it is part of a sum with a name.
TEST(Regressions, AnIndexOfWhichThereIsOneKeepsVectorsAligned) {
  EXPECT_EQ(lowered(R"(func f(A: f32[1], C: f32[2]) {
                         for i.0 in 0..1 @block.x { for i.1 in 0..3 @thread.x {
                           alloc C.reg: f32[2] @registers
                           for v in 0..2 @unroll { C.reg[v] = A[0] }
                           copy C[i.0*5 + i.1*2 .. +2] <- C.reg[0 .. +2]
                         } }
                       })"),
            "kernel f(A: f32[1], C: f32[2]) grid(1, 1, 1) block(3, 1, 1) @index32 {\n"
            "  let i.0 = block.x\n"
            "  let i.1 = thread.x\n"
            "  alloc C.reg: f32[2] @registers\n"
            "  for v in 0..2 @unroll {\n"
            "    C.reg[v] = A[0]\n"
            "  }\n"
            "  let i = i.0*5 + i.1*2\n"
            "  if (i < 2) {\n"
            "    copy C[i .. +2] <- C.reg[0 .. +2] @vector(2)\n"
            "  }\n"
            "}");
}

/// Beside the int that a literal is, the call would fit several overloads.
TEST(Regressions, MinAndMaxOfWideIntegersHaveWideLiterals) {
  KernelFunction kernel = lower(parse_function("func f[n](A: i64[n], C: i64[n]) {\n"
                                               "for i in 0..n @block.x {\n"
                                               "C[i] = min(max(A[i], -3i64), i64(max(n, 7)))\n"
                                               "} }"),
                                {64})
                              .kernels.front();
  EXPECT_THAT(emit_cuda(kernel), testing::HasSubstr("C[i] = min(max(A[i], -3LL), max(n, 7LL));"));
}

/// A conversion to an int ends what is unsigned.
TEST(Regressions, AnIntThatIsMadeOfAThreadIndexIsConvertedOnce) {
  const KernelFunction kernel = parse_kernel(
      "kernel f(A: f32[32], C: f32[32]) grid(1, 1, 1) block(32, 1, 1) @index32 {\n"
      "  C[index(i32(thread.x))] = A[index(i32(floor(f32(thread.x) * 0.5)))]\n"
      "}");
  EXPECT_THAT(emit_cuda(kernel),
              testing::HasSubstr("C[(int)(threadIdx.x)] = "
                                 "A[(int)(floorf((float)(threadIdx.x) * 0.5f))];"));
}

/// -2^63 has no absolute value among 64-bit integers.
TEST(Regressions, TheLeastIntegerIsAFactorOfAnIndex) {
  for (const char* text :
       {"func f(A: f32[100], B: f32[2]) { for i in 0..2 { B[i] = A[i*-9223372036854775808] } }",
        "func f(A: f32[9], B: f32[2]) { for i in 0..2 { B[i] = A[-(i*-9223372036854775808)] } }",
        "func f[n](A: f32[n], B: f32[n]) { for i in 0..n { if (i*-9223372036854775808 < 4) "
        "{ B[i] = A[i] } } }",
        "func f[n](A: f32[n], B: f32[n]) { for i in 0..n @thread.x { for j in 0..4 { "
        "B[i] = A[(i*-9223372036854775808 + j*8) % 16 + j] } } }"}) {
    EXPECT_THAT(lowered(text), testing::HasSubstr("kernel f")) << text;
    EXPECT_THAT(emit_cuda(lower(parse_function(text)).kernels.front()),
                testing::HasSubstr("f(const float* __restrict__ A"))
        << text;
  }
}

TEST(Regressions, TheLeastIntegerIsAFactorInATextOfAKernel) {
  const auto indexed = [](const char* index) {
    const std::string text = emit_cuda(
        parse_kernel(fmt::format("kernel f(A: f32[64], C: f32[64]) grid(1, 1, 1) block(32, 1, 1) "
                                 "@index64 {{ for i in 0..2 {{ C[i] = A[{}] }} }}",
                                 index)));
    const size_t start = text.find("A[", text.find("C[i]")) + 2;
    return text.substr(start, text.find("];", start) - start);
  };
  EXPECT_EQ(indexed("i*-9223372036854775808"), "i * ((-9223372036854775807LL - 1))");
  EXPECT_EQ(indexed("(i*-9223372036854775808 + i*4) % 8 + i"),
            "(i * ((-9223372036854775807LL - 1)) + i * 4) % 8 + i");
  EXPECT_EQ(indexed("-(i*-9223372036854775808) % 5"), "-(i * ((-9223372036854775807LL - 1))) % 5");
}

}  // namespace regressions_test
}  // namespace hone

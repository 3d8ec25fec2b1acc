// Kernels that overlap: which of them waits, and where.

#include <gmock/gmock.h>

#include "codegen/contract/launch_contract.h"
#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "codegen/verify_kernel.h"
#include "ir/text/parser.h"

namespace hone {
namespace launch_early_test {

using testing::HasSubstr;

Module three_kernels() {
  return lower(
      parse_function(R"(func f[M](A: f32[M], B: f32[M], C: f32[M], D: f32[M]) @launch_early {
    for i in 0..M @block.x { B[i] = A[i] }
    for j in 0..M @block.x { C[j] = B[j] }
    for k in 0..M @block.x {
      for t in 0..32 @thread.x {
        alloc T: f32[32] @shared
        copy T[0 .. +32] <- B[0 .. +32]
        D[k] = T[0] + C[k] } } })"));
}

TEST(EarlyLaunches, WaitForTheKernelBefore) {
  for (const KernelFunction& kernel : three_kernels().kernels)
    EXPECT_THAT(to_string(kernel), HasSubstr("  wait_kernel_before\n"));
}

/// Work in shared memory alone goes on beside the end of the kernel before.
TEST(EarlyLaunches, SetUpSharedMemoryMeanwhile) {
  const Module module = lower(parse_function(R"(func f(B: f32[32], D: f32[32]) @launch_early {
      for i in 0..1 @block.x {
        alloc T: f32[64] @shared
        for t in 0..32 @thread.x { T[t] = 1.0 }
        for u in 0..32 @thread.x { D[u] = B[31 - u] + T[31 - u] } } })"));
  EXPECT_EQ(to_string(module.kernels.front()),
            R"(kernel f(B: f32[32], D: f32[32]) grid(1, 1, 1) block(32, 1, 1) @index32 {
  alloc T: f32[64] @shared(0)
  let t = thread.x
  T[t] = 1.0
  barrier
  wait_kernel_before
  let u = thread.x
  D[u] = B[31 - u] + T[31 - u]
})");
}

/// A value is set right behind its alloc.
TEST(EarlyLaunches, WaitBetweenNamedValues) {
  const Module module = lower(parse_function(R"(func f(B: f32[32], D: f32[32]) @launch_early {
      for i in 0..32 @block.x {
        let x = f32(i) * 2.0
        let y = B[i] + x
        D[i] = x * y } })"));
  EXPECT_EQ(to_string(module.kernels.front()),
            R"(kernel f(B: f32[32], D: f32[32]) grid(32, 1, 1) block(1, 1, 1) @index32 {
  let i = block.x
  alloc x: f32[] @value
  x[] = f32(i) * 2.0
  wait_kernel_before
  alloc y: f32[] @value
  y[] = B[i] + x[]
  D[i] = x[] * y[]
})");
}

/// Of a kernel that some one has written.
std::string problem_of(const std::string& body) {
  const std::string head =
      "kernel f(B: f32[32], D: f32[32]) grid(1, 1, 1) block(32, 1, 1) @index32";
  return verify(parse_kernel(head + " { " + body + " }")).value_or("");
}

TEST(EarlyLaunches, WaitBeforeTheyComeToMemory) {
  const std::string late =
      "the kernel may come to global memory before it waits for the kernel before";
  EXPECT_EQ(problem_of("let t = thread.x wait_kernel_before D[t] = B[t]"), "");
  EXPECT_EQ(problem_of("let t = thread.x D[t] = B[t] wait_kernel_before"), late);
  EXPECT_EQ(problem_of("let t = thread.x if (t < 8) { wait_kernel_before } D[t] = B[t]"), late);
  EXPECT_EQ(problem_of("let t = select(B[0] < 1.0, 1, 0) wait_kernel_before D[t] = 1.0"), late);
}

TEST(EarlyLaunches, AreReadBackInTheTextOfAKernel) {
  for (const KernelFunction& kernel : three_kernels().kernels) {
    const KernelFunction again = parse_kernel(to_string(kernel));
    EXPECT_EQ(to_string(again), to_string(kernel));
  }
}

TEST(EarlyLaunches, AreFactsOfTheContract) {
  const LaunchContract contract = launch_contract(three_kernels());
  for (const KernelContract& kernel : contract.kernels) EXPECT_TRUE(kernel.starts_early);
  EXPECT_THAT(to_string(contract), HasSubstr("f_0: grid (M, 1, 1), block (1, 1, 1), no shared "
                                             "memory, 32-bit indices, starts before the kernel "
                                             "before it ends"));
  EXPECT_THAT(to_string(contract), HasSubstr("f_1: grid (M, 1, 1), block (1, 1, 1), no shared "
                                             "memory, 32-bit indices, starts before f_0 ends"));
}

/// The nest that sets up the results of the last block is a part of its kernel, which overlaps with
/// that of the launch before.
TEST(EarlyLaunches, AreOfOneKernel) {
  const Module module = lower(parse_function(R"(func f[M](A: f32[M, 32], S: f32[]) @launch_early {
      S[] = 0.0
      reduce i in 0..M @block.x combine(last_block) {
        reduce t in 0..32 @thread.x combine(shuffle) { S[] += A[i, t] } } })"));
  ASSERT_EQ(module.kernels.size(), 1u);
  EXPECT_THAT(emit_cuda(module.kernels.front()), HasSubstr("griddepcontrol.wait"));
}

TEST(EarlyLaunches, AreSaidOfAFunctionOnlyOnce) {
  EXPECT_THROW(parse_kernel("kernel f() @launch_early grid(1, 1, 1) block(1, 1, 1) @index32 { }"),
               ParseError);
}

}  // namespace launch_early_test
}  // namespace hone

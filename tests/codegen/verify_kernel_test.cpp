#include "codegen/verify_kernel.h"

#include <gtest/gtest.h>

#include "codegen/parse_kernel.h"
#include "tests/support/codegen/passes.h"

namespace hone {
namespace verify_kernel_test {

/// The problem with a kernel that has this body.
std::string problem_of(const std::string& body,
                       const std::string& sizes = "grid(n, 1, 1) block(32, 1, 1)") {
  const std::string head = "kernel f[n](A: f32[n], c: i32[]) ";
  return verify(parse_kernel(head + sizes + " @index32 { " + body + " }")).value_or("");
}

TEST(VerifyKernel, TakesWhatLoweringMakes) {
  EXPECT_EQ(problem_of("let i = block.x*32 + thread.x if (i < n) { atomic A[i] += 1.0 } barrier"),
            "");
  EXPECT_EQ(problem_of("alloc S: f32[32] @shared(16) for k in 0..4 @unroll { S[k] = A[k] }"), "");
}

/// Their numbers come from thread.x.
TEST(VerifyKernel, RefusesBarriersOfWarpgroupsInRowsOfThreads) {
  const std::string barrier = "barrier @warpgroup";
  EXPECT_EQ(problem_of(barrier, "grid(n, 1, 1) block(256, 1, 1)"), "");
  EXPECT_EQ(problem_of(barrier, "grid(n, 1, 1) block(n, 1, 1)"), "");
  EXPECT_EQ(problem_of(barrier, "grid(n, 1, 1) block(256, 2, 1)"),
            "barrier @warpgroup stands in a block of 256 x 2 x 1 threads; it takes one row");
  EXPECT_EQ(problem_of(barrier, "grid(n, 1, 1) block(128, 1, n)"),
            "barrier @warpgroup stands in a block of 128 x 1 x n threads; it takes one row");
  EXPECT_EQ(problem_of("barrier @warp", "grid(n, 1, 1) block(256, 2, 1)"), "");
}

TEST(VerifyKernel, RefusesValuesThatAreNotSetOnce) {
  const char* const problem =
      "x is a value, which the statement behind its alloc sets, and no other";
  EXPECT_EQ(problem_of("alloc x: f32[] @value x[] = A[0] A[1] = x[]"), "");
  EXPECT_EQ(problem_of("alloc x: f32[] @value A[0] = 1.0 x[] = A[0] A[1] = x[]"), problem);
  EXPECT_EQ(problem_of("alloc x: f32[] @value x[] = A[0] x[] += 1.0 A[1] = x[]"), problem);
  EXPECT_EQ(problem_of("alloc x: f32[] @value A[1] = 1.0"), problem);
}

TEST(VerifyKernel, RefusesNamedBarriersThatABlockHasNot) {
  EXPECT_EQ(problem_of("barrier @warp barrier @named(1, 32) barrier @named(7, 1024)"), "");
  EXPECT_EQ(problem_of("barrier @named(0, 64)"),
            "a named barrier has the number 0; there are 1 to 7");
  EXPECT_EQ(problem_of("barrier @named(8, 64)"),
            "a named barrier has the number 8; there are 1 to 7");
  EXPECT_EQ(problem_of("barrier @named(1, 48)"),
            "barrier 1 waits for 48 threads; whole warps come to it, 32 threads each");
  EXPECT_EQ(problem_of("barrier @named(1, 0)"),
            "barrier 1 waits for 0 threads; whole warps come to it, 32 threads each");
}

/// The problem with a kernel that copies a box to S, which `tile` is the type of.
std::string problem_of_box(const std::string& argument, const std::string& tile,
                           const std::string& box) {
  return verify(parse_kernel("kernel f(A: " + argument +
                             ") grid(1, 1, 1) block(32, 1, 1) @index32 { alloc m: i64[1] "
                             "@shared alloc S: " +
                             tile + " @shared copy_bulk S[0, 0] <- A[" + box + " full m[0] }"))
      .value_or("");
}

TEST(VerifyKernel, RefusesBoxesThatNoTensorMapHas) {
  EXPECT_EQ(problem_of_box("f32[4, 32]", "f32[4, 32]", "0, 0] of 4 x 32 swizzle 128"), "");
  EXPECT_EQ(problem_of_box("f32[4, 32]", "f32[4, 32]", "0, 0] of 4 x 16 swizzle 128"),
            "the rows of a box are 64 bytes, and its swizzle is one of rows of 128, in: copy_bulk "
            "S[0, 0] <- A[0, 0] of 4 x 16 swizzle 128 full m[0]");
  EXPECT_EQ(problem_of_box("f32[4, 30]", "f32[4, 30]", "0, 0] of 4 x 30"),
            "the rows of a box are 120 bytes, no multiple of 16, in: copy_bulk S[0, 0] <- A[0, 0] "
            "of 4 x 30 full m[0]");
  EXPECT_EQ(problem_of_box("f32[4, 64]", "f32[4, 64]", "0, 0] of 4 x 64 swizzle 128"),
            "the rows of a box are 256 bytes, and its swizzle is one of rows of 128, in: copy_bulk "
            "S[0, 0] <- A[0, 0] of 4 x 64 swizzle 128 full m[0]");
  EXPECT_EQ(problem_of_box("f32[4, 32] @order(1, 0)", "f32[32, 3]", "0, 0] of 3 x 32"),
            "the rows of a box are 12 bytes, no multiple of 16, in: copy_bulk S[0, 0] <- A[0, 0] "
            "of 3 x 32 full m[0]");
  EXPECT_EQ(problem_of_box("f16[100]", "f16[1, 100]", "0] of 100"),
            "the rows of a box are 200 bytes, no multiple of 16, in: copy_bulk S[0, 0] <- A[0] of "
            "100 full m[0]");
  EXPECT_EQ(problem_of_box("f32[4, 32]", "f32[4, 32]", "0] of 32"),
            "a box has 1 dimensions, and A has 2, in: copy_bulk S[0, 0] <- A[0] of 32 full m[0]");
  EXPECT_EQ(problem_of_box("(f64, f64)[4, 8]", "(f64, f64)[4, 8]", "0, 0] of 4 x 8"),
            "a bulk copy to S moves elements of 16 bytes; there are those of 1, 2, 4 and 8");
}

TEST(VerifyKernel, RefusesTestsThatSetNoFlag) {
  const auto testing = [](const std::string& flag, const std::string& parity = "0") {
    return problem_of("alloc m: i64[2] @shared alloc e: " + flag +
                      " test_mbarrier e[] <- m[1] parity " + parity);
  };
  EXPECT_EQ(testing("bool[] @registers"), "");
  EXPECT_EQ(testing("i32[] @registers"),
            "e is i32 @registers, and a test of an mbarrier sets a bool in registers");
  EXPECT_EQ(testing("bool[] @shared"),
            "e is bool @shared, and a test of an mbarrier sets a bool in registers");
  EXPECT_EQ(testing("bool[] @registers", "1.0"), "the parity 1.0 of a phase of m is no index");
}

TEST(VerifyKernel, RefusesBoundLoops) {
  const std::string rest = ", and the loops of a kernel are serial or unrolled";
  EXPECT_EQ(problem_of("reduce k in 0..4 @thread.x combine(shuffle) { A[0] += 1.0 }"),
            "k is bound to thread.x" + rest);
  EXPECT_EQ(problem_of("for k in 0..4 @block.y { A[k] = 1.0 }"), "k is bound to block.y" + rest);
  EXPECT_EQ(problem_of("for k in 0..4 @vectorize { A[k] = 1.0 }"),
            "k is bound to vectorize" + rest);
  EXPECT_EQ(problem_of("for k in 0..4 @parallel { A[k] = 1.0 }"), "k is bound to parallel" + rest);
  EXPECT_EQ(problem_of("for k in 0..n @unroll { A[k] = 1.0 }"),
            "k is unrolled in full, and its extent n is not constant");
}

TEST(VerifyKernel, TakesWhatPassesMakeOnTheWay) {
  const KernelFunction nest = unlowered(R"(func f[n](A: f32[n, 8]) {
    for i in 0..n @block.x { for j in 0..8 @thread.x { A[i, j] = 1.0 } } })");
  EXPECT_EQ(verify(nest, KernelForm::nest), std::nullopt);
  EXPECT_EQ(verify(nest, KernelForm::flat), "A: f32[n*8] @global is used as A: f32[n, 8] @global");
  EXPECT_EQ(verify(nest),
            "i is bound to block.x, and the loops of a kernel are serial or unrolled");
  const KernelFunction clipped = unlowered(R"(func f[n](A: f32[n]) {
    for i in 0..n @parallel { for j in 0..min(8, n - i) { A[i + j] = 1.0 } } })");
  EXPECT_EQ(verify(clipped, KernelForm::flat), std::nullopt);
  EXPECT_EQ(verify(clipped),
            "i is bound to parallel, and the loops of a kernel are serial or unrolled");
}

TEST(VerifyKernel, RefusesOnTheWayWhatNoKernelHas) {
  EXPECT_EQ(
      verify(unlowered(
                 "func f(A: f32[8]) { for i in 0..8 { A[0] = 1.0 } for i in 0..8 { A[i] = 1.0 } }"),
             KernelForm::nest),
      "two axes are named i");
  EXPECT_EQ(verify(unlowered("func f(A: i32[8]) { for i in 0..index(A[0]) { A[i] = 1i32 } }"),
                   KernelForm::nest),
            "the extent index(A[0]) of i depends on A[0]; it may contain params and constants");
}

TEST(VerifyKernel, RefusesExtentsThatThreadsDifferIn) {
  EXPECT_EQ(problem_of("for k in 0..thread.x { A[k] = 1.0 }"),
            "the extent thread.x of k depends on thread.x; it may contain params and constants");
  EXPECT_EQ(problem_of("A[0] = 1.0", "grid(block.x, 1, 1) block(32, 1, 1)"),
            "the size block.x of the grid depends on block.x; it may contain params and constants");
  EXPECT_EQ(problem_of("A[0] = 1.0", "grid(1, 1, 1) block(n < 4, 1, 1)"),
            "the size n < 4 of a block is bool, not an index");
}

TEST(VerifyKernel, RefusesAllocationsThatNoGpuHas) {
  EXPECT_EQ(problem_of("alloc S: f32[n] @shared"), "the extent n of S is not a positive constant");
  EXPECT_EQ(problem_of("alloc S: f32[0] @registers"),
            "the extent 0 of S is not a positive constant");
  EXPECT_EQ(problem_of("alloc S: f32[4294967296, 4294967296] @shared"),
            "S takes 9223372036854775807 bytes, and a block has at most 1048576");
  EXPECT_EQ(problem_of("alloc R: f32[200000] @registers"),
            "R takes 800000 bytes, and a thread has at most 524288");
  EXPECT_EQ(problem_of("alloc T: f32[4] @global"),
            "T is allocated @global, and a kernel has arguments");
  EXPECT_EQ(problem_of("alloc S: f32[4, 4] @order(1, 0) @shared"),
            "S is allocated with a layout, which is in the indices");
  EXPECT_EQ(problem_of("alloc S: f32[4] @shared(3)"),
            "the address 3 of S is no multiple of 4, the bytes of its elements");
  EXPECT_EQ(problem_of("alloc S: f32[4] @shared(4294967296)"),
            "the address 4294967296 of S is beyond the 1048576 bytes of a block");
}

TEST(VerifyKernel, RefusesCopiesThatAreNoVectors) {
  EXPECT_EQ(problem_of("alloc R: f32[4] @registers copy R[0 .. +4] <- A[0 .. +4]"),
            "a copy to R moves 0 elements at once, and a vector has 2 to 16");
  EXPECT_EQ(problem_of("alloc R: f32[8] @registers copy R[0 .. +8] <- A[0 .. +8] @vector(4)"),
            "a copy of R moves something else than 4 neighbours");
}

TEST(VerifyKernel, RefusesAtomicUpdatesOfRegistersAndPlainStores) {
  EXPECT_EQ(problem_of("alloc R: f32[] @registers atomic R[] += 1.0"),
            "an atomic store to R, which is in registers");
  EXPECT_EQ(problem_of("atomic A[0] = 1.0"), "an atomic store to A without an update");
}

TEST(VerifyKernel, RefusesArrivalsThatCountInSharedMemory) {
  EXPECT_EQ(
      problem_of("alloc l: bool[] @shared alloc s: i32[] @shared arrive l[] at s[] of n after A"),
      "s of an arrive is not in global memory");
  EXPECT_EQ(problem_of("alloc l: bool[] @registers arrive l[] at c[0] of n after A"),
            "the flag l of an arrive is not shared");
}

}  // namespace verify_kernel_test
}  // namespace hone

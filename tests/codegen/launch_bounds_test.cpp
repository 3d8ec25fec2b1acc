// Facts that a kernel tells the compiler about its block, and that its threads know of themselves.

#include <gtest/gtest.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "fmt/format.h"
#include "ir/algebra/interval.h"
#include "ir/text/parser.h"
#include "tests/support/codegen/passes.h"

namespace hone {
namespace launch_bounds_test {

/// The line before the kernel's name, of a kernel with that block and body.
std::string head(const std::string& block, const std::string& body) {
  const std::string source =
      emit_cuda(parse_kernel("kernel f[n](A: f32[n], C: f32[n]) grid(1, 1, 1) block(" + block +
                             ") @index32 { " + body + " }"));
  const size_t start = source.find("extern"), end = source.find("\nf(");
  return source.substr(start, end - start);
}

constexpr const char* tile = "alloc r: f32[4] @registers\nr[0] = A[0]\nC[0] = r[0]";
constexpr const char* element = "alloc r: f32[] @registers\nr[] = A[0]\nC[0] = r[]";
constexpr const char* shared_tile = "alloc s: f32[4] @shared\ns[0] = A[0]\nC[0] = s[0]";

TEST(LaunchBounds, AreForThreadsThatHoldATileInRegisters) {
  EXPECT_EQ(head("32, 8, 1", tile), "extern \"C\" __global__ void __launch_bounds__(256)");
  EXPECT_EQ(head("4, 4, 4", tile), "extern \"C\" __global__ void __launch_bounds__(64)");
  EXPECT_EQ(head("1, 1, 1", tile), "extern \"C\" __global__ void __launch_bounds__(1)");
}

TEST(LaunchBounds, AreNotForThreadsWithoutOne) {
  for (const char* body : {element, shared_tile, "C[0] = A[0]"})
    EXPECT_EQ(head("32, 8, 1", body), "extern \"C\" __global__ void");
}

TEST(LaunchBounds, FindATileInsideOfALoop) {
  EXPECT_EQ(head("64, 1, 1", "for k in 0..n { if (k > 2) { " + std::string(tile) + " } }"),
            "extern \"C\" __global__ void __launch_bounds__(64)");
}

TEST(LaunchBounds, AreThoseOfAnyBlockWhereTheLaunchSaysHowLargeItIs) {
  for (const char* body : {tile, element, "C[0] = A[0]"})
    EXPECT_EQ(head("n, 1, 1", body), "extern \"C\" __global__ void __launch_bounds__(1024)");
  EXPECT_EQ(head("32, max(n, 1), 1", element),
            "extern \"C\" __global__ void __launch_bounds__(1024)");
}

/// The same of each kernel of a program.
std::string heads(const std::string& function) {
  std::string text;
  for (const KernelFunction& kernel : lower(parse_function(function)).kernels) {
    const std::string source = emit_cuda(kernel);
    const size_t start = source.find("__global__ void");
    text += source.substr(start, source.find('(', source.find('\n', start)) - start) + "\n";
  }
  return text;
}

TEST(LaunchBounds, SayHowManyBlocksAMultiprocessorHolds) {
  EXPECT_EQ(heads(R"(func f[M](C: f32[M, 512], D: f32[M], E: f32[M]) {
              for i in 0..M @block.x @resident(4) {
                for t in 0..512 @thread.x { C[i, t] = 1.0 } }
              for j in 0..M @block.y { for k in 0..1 @block.x @resident(2) { D[j] = C[j, k] } }
              for l in 0..M @block.x { E[l] = D[l] } })"),
            "__global__ void __launch_bounds__(512, 4)\nf_0\n"
            "__global__ void __launch_bounds__(1, 2)\nf_1\n"
            "__global__ void\nf_2\n");
}

TEST(LaunchBounds, AreTheLargestOfNestsThatBecomeOneKernel) {
  EXPECT_EQ(heads(R"(func f[M](A: f32[M, 32], S: f32[]) {
              S[] = 0.0
              reduce i in 0..M @block.x @resident(8) combine(last_block) {
                reduce t in 0..32 @thread.x combine(shuffle) { S[] += A[i, t] } } })"),
            "__global__ void __launch_bounds__(32, 8)\nf\n");
}

TEST(LaunchBounds, OfRolesLeaveRoomForOneBlockUnlessMoreAreAsked) {
  const auto head = [](const char* blocks, int registers) {
    return heads(fmt::format(R"(func f[K](A: f32[K, 128], C: f32[128, 2]) {{
  for b in 0..2 @block.x{} {{
    for t in 0..128 @thread.x {{
      alloc T: f32[2, 128] @shared
      reduce k in 0..K @roles(4, 40, {}) {{
        copy T[k % 2, 0 .. +128] <- A[k, 0 .. +128] @async @by(producers)
        C[t, b] += T[k % 2, 127 - t]
      }}
    }}
  }}
}})",
                             blocks, registers));
  };
  EXPECT_EQ(head("", 232), "__global__ void __launch_bounds__(256, 1)\nf\n");
  EXPECT_EQ(head(" @resident(2)", 216), "__global__ void __launch_bounds__(256, 2)\nf\n");
}

// ---- What is known of thread indices ------------------------------------------------------------

/// "low..high" of an index of the kernel's thread.
std::string range(const KernelFunction& kernel, IndexSpace space, unsigned dim) {
  const Interval interval = interval_of(ThreadIndex::make(space, dim), facts_in(kernel));
  return fmt::format("{}..{}", interval.low,
                     interval.has_high() ? std::to_string(interval.high) : "");
}

TEST(FactsOfAKernel, AreTheRangesOfItsIndices) {
  const KernelFunction kernel =
      parse_kernel("kernel f[n](C: f32[n]) grid(n, 5, 1) block(32, 8, 1) @index32 { C[0] = 1.0 }");
  EXPECT_EQ(range(kernel, IndexSpace::thread, 0), "0..31");
  EXPECT_EQ(range(kernel, IndexSpace::thread, 1), "0..7");
  EXPECT_EQ(range(kernel, IndexSpace::thread, 2), "0..0");
  EXPECT_EQ(range(kernel, IndexSpace::block, 0), "0..");
  EXPECT_EQ(range(kernel, IndexSpace::block, 1), "0..4");
}

TEST(FactsOfAKernel, AreFewBeforeItsThreadsAreMapped) {
  const KernelFunction kernel = unlowered("func f(C: f32[8]) { C[0] = 1.0 }");
  EXPECT_EQ(range(kernel, IndexSpace::thread, 0), "0..");
}

TEST(FactsOfAKernel, MakeRemaindersOfIndicesSuperfluous) {
  EXPECT_EQ(lowered_body(R"(func f(A: f32[4, 8], C: f32[4, 8]) {
              for b in 0..4 @block.x { for t in 0..8 @thread.x {
                C[b % 4, t % 8] = A[b / 4, t / 8] + A[b, t % 16] + A[b % 2, t % 4] } } })"),
            "let b = block.x\n"
            "let t = thread.x\n"
            "C[b*8 + t] = A[0] + A[b*8 + t] + A[(b % 2)*8 + t % 4]");
}

TEST(FactsOfAKernel, LeaveRemaindersThatCount) {
  EXPECT_EQ(lowered_body(R"(func f[M](A: f32[M, 8], C: f32[M, 9]) {
              for b in 0..M @block.x { for t in 0..9 @thread.x {
                C[b % 4, t] = A[b / 4, t % 8] } } })"),
            "let b = block.x\n"
            "let t = thread.x\n"
            "C[(b % 4)*9 + t] = A[(b / 4)*8 + t % 8]");
}

}  // namespace launch_bounds_test
}  // namespace hone

// Names of what a thread works on: the parts of fused axes, and sums of thread axes.

#include <gtest/gtest.h>

#include "codegen/lower.h"
#include "codegen/pass/passes.h"
#include "ir/schedule/primitives.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "tests/support/codegen/passes.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace name_indices_test {

Function fused(const Function& f, llvm::StringRef outer, llvm::StringRef inner) {
  return fuse(f, axis(f, outer), axis(f, inner)).function;
}

std::string lowered_body(const Function& function) {
  return to_string(lower(function).kernels.front().body);
}

/// A, turned round: threads i, j, k of a block, `extent` of each.
Function turned(const std::string& extent) {
  const auto text = [&](const char* loops) { return loops + extent + " {"; };
  return parse_function("func f[N](A: f32[N, N, N], C: f32[N, N, N]) where N < 8 {\n" +
                        text("for i in 0..") + text("for j in 0..") + text("for k in 0..") +
                        " C[i, j, k] = A[k, j, i] } } } }");
}

// ---- Parts of fused axes ------------------------------------------------------------------------

TEST(NameIndices, GivesPartsOfAFusedAxisTheirNamesBack) {
  const Function f = parse_function(R"(func f(A: f32[8, 16], C: f32[8, 16]) {
    for i in 0..8 { for j in 0..16 { C[i, j] = A[i, 15 - j] } } })");
  EXPECT_EQ(lowered_body(bound(fused(f, "i", "j"), "i_j", thread_x)),
            "let i = thread.x / 16\n"
            "let j = thread.x % 16\n"
            "C[i*16 + j] = A[i*16 - j + 15]");
}

TEST(NameIndices, NamesThePartsOfParts) {
  Function f = turned("4");
  f = fused(fused(f, "i", "j"), "i_j", "k");
  EXPECT_EQ(lowered_body(bound(f, "i_j_k", thread_x)),
            "let i = thread.x / 16\n"
            "let j = thread.x / 4 % 4\n"
            "let k = thread.x % 4\n"
            "C[(i*N + j)*N + k] = A[(k*N + j)*N + i]");
  f = turned("4");
  f = fused(f, "j", "k");
  f = fused(f, "i", "j_k");
  EXPECT_EQ(lowered_body(bound(f, "i_j_k", thread_x)),
            "let i = thread.x / 16\n"
            "let j = thread.x % 16 / 4\n"
            "let k = thread.x % 4\n"
            "C[(i*N + j)*N + k] = A[(k*N + j)*N + i]");
}

TEST(NameIndices, LeavesAFusedAxisOfSizesAlone) {
  const Function f = fused(turned("N"), "j", "k");
  EXPECT_EQ(lowered_body(bound(bound(f, "i", block_x), "j_k", thread_x)),
            "let i = block.x\n"
            "let j_k = thread.x\n"
            "C[(i*N + j_k / N)*N + j_k % N] = A[((j_k % N)*N + j_k / N)*N + i]");
}

TEST(NameIndices, NamesThePartsOfBlocks) {
  const Function f = parse_function(R"(func f[M](A: f32[M, 8], C: f32[M, 8]) {
    for i in 0..M { for j in 0..8 { C[i, j] = A[i, 7 - j] } } })");
  EXPECT_EQ(lowered_body(bound(fused(f, "i", "j"), "i_j", block_x)),
            "let i = block.x / 8\n"
            "let j = block.x % 8\n"
            "C[i*8 + j] = A[i*8 - j + 7]");
}

TEST(NameIndices, KeepsAFusedAxisThatIsUsedItself) {
  const Function f = parse_function(R"(func f(A: f32[8, 16], C: f32[128]) {
    for i in 0..8 { for j in 0..16 { C[i*16 + j] = A[i, j] } } })");
  EXPECT_EQ(lowered_body(bound(fused(f, "i", "j"), "i_j", thread_x)),
            "let i_j = thread.x\n"
            "let i = i_j / 16\n"
            "let j = i_j % 16\n"
            "C[i_j] = A[i*16 + j]");
}

TEST(NameIndices, DropsPartsThatNothingUses) {
  const Function f = parse_function(R"(func f(A: f32[8, 16], C: f32[8]) {
    for b in 0..4 { for i in 0..8 { for j in 0..1 { C[i] = A[i, b] } } } })");
  Function g = fused(f, "i", "j");
  EXPECT_EQ(lowered_body(bound(g, "i_j", thread_x)),
            "for b in 0..4 {\n"
            "  let i_j = thread.x\n"
            "  C[i_j] = A[i_j*16 + b]\n"
            "}");
}

// ---- Sums ---------------------------------------------------------------------------------------

TEST(NameIndices, NamesASumRightBeforeItsFirstUse) {
  EXPECT_EQ(after_pass(name_indices, R"(func f[K, M](A: f32[K], C: f32[M], D: f32[M]) {
              let i.0 = block.x
              let i.1 = thread.x
              alloc r: f32[] @registers
              r[] = 0.0
              for k in 0..K { r[] += A[k] }
              if (i.0*32 + i.1 < M) { C[i.0*32 + i.1] = r[] }
              D[0] = r[] })"),
            "let i.0 = block.x\n"
            "let i.1 = thread.x\n"
            "alloc r: f32[] @registers\n"
            "r[] = 0.0\n"
            "for k in 0..K {\n"
            "  r[] += A[k]\n"
            "}\n"
            "let i = i.0*32 + i.1\n"
            "if (i < M) {\n"
            "  C[i] = r[]\n"
            "}\n"
            "D[0] = r[]");
}

TEST(NameIndices, NamesASumOutsideOfTheLoopThatUsesIt) {
  EXPECT_EQ(after_pass(name_indices, R"(func f[K, M](A: f32[M], C: f32[M]) {
              let i.0 = block.x
              let i.1 = thread.x
              for k in 0..K { C[i.0*32 + i.1] += A[i.0*32 + i.1] } })"),
            "let i = block.x*32 + thread.x\n"
            "for k in 0..K {\n"
            "  C[i] += A[i]\n"
            "}");
}

TEST(NameIndices, NamesSumsWhateverTheOrderOfTheirTerms) {
  EXPECT_EQ(after_pass(name_indices, R"(func f[M](A: f32[M], C: f32[M]) {
              let i.0 = block.x
              let i.1 = thread.x
              C[i.0*32 + i.1] = A[i.1 + i.0*32] + A[M - 1 - i.1 - i.0*32] })"),
            "let i.0 = block.x\n"
            "let i.1 = thread.x\n"
            "let i = i.0*32 + i.1\n"
            "C[i] = A[i] + A[M - i.1 - i.0*32 - 1]");
}

TEST(NameIndices, NamesNoSumThatStandsOnce) {
  EXPECT_EQ(after_pass(name_indices, R"(func f[M](A: f32[M], C: f32[M]) {
              let i.0 = block.x
              let i.1 = thread.x
              C[i.0*32 + i.1] = A[i.0*32 + i.1*2] })"),
            "let i.0 = block.x\n"
            "let i.1 = thread.x\n"
            "C[i.0*32 + i.1] = A[i.0*32 + i.1*2]");
}

TEST(NameIndices, TellsBasesOfDifferentAxesApart) {
  EXPECT_EQ(after_pass(name_indices, R"(func f[M](A: f32[M, M], C: f32[M, M]) {
              let i.0 = block.y
              let j.0 = block.x
              let i.1 = thread.y
              let j.1 = thread.x
              for i.2 in 0..2 { for j.2 in 0..2 {
                C[i.0*8 + i.1*2 + i.2, j.0*8 + j.1*2 + j.2] =
                  A[j.0*8 + j.1*2 + j.2, i.0*8 + i.1*2 + i.2] } } })"),
            "let i_base = block.y*8 + thread.y*2\n"
            "let j_base = block.x*8 + thread.x*2\n"
            "for i.2 in 0..2 {\n"
            "  for j.2 in 0..2 {\n"
            "    C[i_base + i.2, j_base + j.2] = A[j_base + j.2, i_base + i.2]\n"
            "  }\n"
            "}");
}

TEST(NameIndices, KeepsTheSignsOfThreadIndicesInDifferences) {
  // threadIdx.x is unsigned, and threadIdx.x - 2 is never less than 0.
  EXPECT_EQ(after_pass(name_indices, R"(func f(A: f32[8], C: f32[8]) {
              let t = thread.x
              let left = max(t - 2, 0)
              C[left] = A[left] })"),
            "let t = thread.x\n"
            "let left = max(t - 2, 0)\n"
            "C[left] = A[left]");
}

// ---- Lets ---------------------------------------------------------------------------------------

TEST(NameIndices, MovesLetsToTheTopThatOnlyThreadsDecide) {
  EXPECT_EQ(after_pass(name_indices, R"(func f[K, M](A: f32[M], C: f32[M]) {
              let t = thread.x
              for k in 0..K {
                let row = t / 8
                let column = t % 8 + k
                let of_size = t / max(M, 1)
                let loaded = index(A[t])
                C[row] += A[column] + A[of_size] + A[loaded] } })"),
            "let t = thread.x\n"
            "let row = t / 8\n"
            "for k in 0..K {\n"
            "  let column = t % 8 + k\n"
            "  let of_size = t / max(M, 1)\n"
            "  let loaded = index(A[t])\n"
            "  C[row] += A[column] + A[of_size] + A[loaded]\n"
            "}");
}

TEST(NameIndices, DropsLetsThatNothingUses) {
  EXPECT_EQ(after_pass(name_indices, R"(func f(A: f32[8], C: f32[8]) {
              let b = block.x
              let t = thread.x
              let row = t / 8
              let twice = row*2
              C[t] = A[t] })"),
            "let t = thread.x\n"
            "C[t] = A[t]");
}

TEST(NameIndices, CallsAnIndexByOneName) {
  EXPECT_EQ(after_pass(name_indices, R"(func f[K](A: f32[64], C: f32[64]) {
              let t = thread.x
              for k in 0..K {
                let s.tx = thread.x
                let s.i = s.tx / 8
                C[s.i] = A[s.tx] }
              C[t] = 1.0 })"),
            "let t = thread.x\n"
            "let s.i = t / 8\n"
            "for k in 0..K {\n"
            "  C[s.i] = A[t]\n"
            "}\n"
            "C[t] = 1.0");
}

}  // namespace name_indices_test
}  // namespace hone

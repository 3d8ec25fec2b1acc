// Kernels whose threads go by the names of what they work on: they compute what the loops mean.

#include <gtest/gtest.h>

#include "codegen/lower.h"
#include "ir/text/parser.h"
#include "tests/support/ir/steps.h"
#include "tests/support/runtime/interpreted.h"

namespace hone {
namespace named_indices_test {

Function fused(const Function& f, llvm::StringRef outer, llvm::StringRef inner) {
  return fuse(f, axis(f, outer), axis(f, inner)).function;
}

bool has_let(const Function& function, const std::string& let) {
  return to_string(lower(function).kernels.front()).find("let " + let) != std::string::npos;
}

TEST(NamedIndices, OfTwoFusedAxes) {
  const Function f = parse_function(R"(func f(A: f32[5, 7], C: f32[5, 7]) {
    for i in 0..5 { for j in 0..7 { C[i, j] = A[4 - i, 6 - j] } } })");
  for (const Binding& binding : {thread_x, block_x}) {
    const Function g = bound(fused(f, "i", "j"), "i_j", binding);
    EXPECT_TRUE(has_let(g, "j = "));
    expect_as_interpreted(g, {});
  }
}

TEST(NamedIndices, OfThreeFusedAxes) {
  const Function f = parse_function(R"(func f(A: f32[7, 5, 3], C: f32[3, 5, 7]) {
    for i in 0..3 { for j in 0..5 { for k in 0..7 { C[i, j, k] = A[k, j, i] } } } })");
  const Function left = fused(fused(f, "i", "j"), "i_j", "k");
  expect_as_interpreted(bound(left, "i_j_k", thread_x), {});
  const Function right = fused(fused(f, "j", "k"), "i", "j_k");
  expect_as_interpreted(bound(right, "i_j_k", thread_x), {});
}

TEST(NamedIndices, OfAFusedAxisOfSizes) {
  const Function f = parse_function(R"(func f[M, N](A: f32[M, N], C: f32[N, M]) {
    for i in 0..M { for j in 0..N { C[j, i] = A[i, j] } } })");
  const Function g = bound(fused(f, "i", "j"), "i_j", thread_x);
  EXPECT_FALSE(has_let(g, "i = "));
  for (const auto& [M, N] : {std::pair(1, 1), std::pair(3, 5), std::pair(7, 1), std::pair(4, 2)})
    expect_as_interpreted(g, {{"M", M}, {"N", N}});
}

/// Tiles of 4 x 8 elements for 2 x 4 threads that are one axis, as blocks are another.
Function tiled_transpose() {
  Function f = parse_function(R"(func f[M, N](A: f32[N, M], C: f32[M, N]) {
    for i in 0..M { for j in 0..N { C[i, j] = A[j, i] } } })");
  f = tile(f, axes(f, {"i", "j"}), {4, 8}, Tail::guard).function;
  return tile(f, axes(f, {"i.1", "j.1"}), {2, 2}, Tail::guard).function;
}

TEST(NamedIndices, OfSumsOverPartsOfAFusedAxis) {
  Function f = fused(tiled_transpose(), "i.1.0", "j.1.0");
  f = bound(bound(f, "i.0", block_y), "j.0", block_x);
  f = bound(f, "i.1.0_j.1.0", thread_x);
  EXPECT_TRUE(has_let(f, "i_base = "));
  EXPECT_TRUE(has_let(f, "j_base = "));
  for (const int64_t M : {0, 1, 4, 6, 13})
    for (const int64_t N : {1, 8, 9, 30}) expect_as_interpreted(f, {{"M", M}, {"N", N}});
}

TEST(NamedIndices, OfMatrixTilesInSharedMemoryAndRegisters) {
  Function f = parse_function(R"(func f[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
    for i in 0..M { for j in 0..N {
      C[i, j] = 0.0
      reduce k in 0..K { C[i, j] += A[i, k] * B[k, j] } } } })");
  f = tile(f, axes(f, {"i", "j"}), {8, 16}, Tail::guard).function;
  f = tile(f, axes(f, {"i.1", "j.1"}), {2, 4}, Tail::guard).function;
  f = parted(f, "k", 4);
  f = reorder(f, axes(f, {"i.0", "j.0", "i.1.0", "j.1.0", "k.0", "k.1", "i.1.1", "j.1.1"}))
          .function;
  f = fused(f, "i.1.0", "j.1.0");
  f = bound(bound(bound(f, "i.0", block_y), "j.0", block_x), "i.1.0_j.1.0", thread_x);
  f = in_registers(f, "C", "i.1.0_j.1.0");
  f = in_shared(in_shared(f, "A", "k.0"), "B", "k.0");
  EXPECT_TRUE(has_let(f, "i.1.0 = "));
  for (const int64_t M : {1, 8, 11})
    for (const int64_t N : {1, 16, 18})
      for (const int64_t K : {0, 1, 4, 6}) expect_as_interpreted(f, {{"M", M}, {"N", N}, {"K", K}});
}

}  // namespace named_indices_test
}  // namespace hone

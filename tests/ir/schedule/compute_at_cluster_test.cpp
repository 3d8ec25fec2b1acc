// Temporaries whose parts lie in the shared memory of the blocks of a cluster.
#include "gtest/gtest.h"
#include "tests/support/ir/combines.h"
#include "tests/support/ir/placed_programs.h"

namespace hone {
namespace compute_at_cluster_test {

/// Sums of rows, of which two blocks take a half each.
std::string sums_in_parts(const std::string& parts = " @cluster.x", const std::string& tile = "") {
  return fmt::format(R"(func sums[n](A: f32[64, n*2], S: f32[64]) {{
  alloc S.rf: f32[2, 64] @global
  for part in 0..2{} {{
    for i.rf in 0..64 {{
      S.rf[part, i.rf] = 0.0
      reduce k in 0..n {{
        S.rf[part, i.rf] += A[i.rf, part*n + k]
      }}
    }}
  }}
  for tile in 0..8{} {{
    for i in 0..8 {{
      S[tile*8 + i] = 0.0
      reduce part.S in 0..2 {{
        S[tile*8 + i] += S.rf[part.S, tile*8 + i]
      }}
    }}
  }}
}})",
                     parts, tile);
}

Rewriting computes_at(llvm::StringRef axis, std::optional<Scope> scope = {}) {
  return computes("S.rf", axis, {scope});
}

TEST(ComputeAtOfClusters, EachBlockHasAPart) {
  expect_rewrite(sums_in_parts(), computes_at("tile"),
                 R"(func sums[n](A: f32[64, n*2], S: f32[64]) {
  for tile in 0..8 {
    alloc S.rf: f32[2, 8] @cluster
    for part in 0..2 @cluster.x {
      for i.rf in 0..8 {
        S.rf[part, i.rf] = 0.0
        reduce k in 0..n {
          S.rf[part, i.rf] += A[tile*8 + i.rf, part*n + k]
        }
      }
    }
    for i in 0..8 {
      S[tile*8 + i] = 0.0
      reduce part.S in 0..2 {
        S[tile*8 + i] += S.rf[part.S, i]
      }
    }
  }
})");
}

TEST(ComputeAtOfClusters, RefusesRegisters) {
  expect_refusal(
      sums_in_parts(), computes_at("tile", Scope::registers),
      R"(error: compute_at: part goes over the blocks of a cluster, and the part of S.rf would lie in registers
  for part in 0..2 @cluster.x {      <-- here
    for i.rf in 0..64 {
      S.rf[part, i.rf] = 0.0
note: say {.scope = Scope::shared})");
}

TEST(ComputeAtOfClusters, RefusesAReaderOfOnePart) {
  expect_refusal(
      sums_in_parts(), computes_at("part.S"),
      R"(error: compute_at: an iteration of part.S reads 1 of the 2 parts of S.rf, and part goes over the blocks of a cluster
  for tile in 0..8 {
    for i in 0..8 {
      reduce part.S in 0..2 {        <-- here
        S[tile*8 + i] += S.rf[part.S, tile*8 + i]
note: compute it at an axis whose iterations read all parts)");
}

TEST(ComputeAtOfClusters, RefusesALoopOverBlocksOfTheCluster) {
  expect_refusal(
      sums_in_parts(" @cluster.x", " @cluster.x"), computes_at("tile"),
      R"(error: compute_at: tile is bound to cluster.x already, and part would stand inside
  for tile in 0..8 @cluster.x {      <-- here
    for i in 0..8 {
      S[tile*8 + i] = 0.0)");
}

}  // namespace compute_at_cluster_test
}  // namespace hone

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

// ---- Tiles in parts -----------------------------------------------------------------------------

/// Two blocks set a part each, and read what stands in `use`.
std::string parts_used(const std::string& tile, const std::string& binding) {
  return fmt::format(R"(func f(A: f32[2, 32], C: f32[32]) {{
  for b in 0..1 @block.x {{
    alloc P: {} @cluster
    for p in 0..2{} {{
      for t in 0..32 @thread.x {{
        P[p, t] = 1.0
      }}
    }}
    for q in 0..1 {{
      for u in 0..32 {{
        C[u] = P[1 - q, u]
      }}
    }}
  }}
}})",
                     tile, binding);
}

Function bound_to_threads(const Function& f) { return bound(f, "u", thread_x); }

TEST(TilesInParts, HaveOneForEachBlock) {
  expect_refusal(parts_used("f32[4, 32]", " @cluster.x"), bound_to_threads,
                 R"(error: bind: P has 4 parts, and the cluster has 2 blocks
  for b in 0..1 @block.x {
    for q in 0..1 {
      for u in 0..32 {               <-- here
        C[u] = P[1 - q, u]
note: its first dimension numbers the blocks)");
}

TEST(TilesInParts, NeedALoopOverTheBlocks) {
  expect_refusal(parts_used("f32[2, 32]", ""), bound_to_threads,
                 R"(error: bind: P has parts in the blocks of a cluster, and no loop goes over them
  for b in 0..1 @block.x {
    for q in 0..1 {
      for u in 0..32 {               <-- here
        C[u] = P[1 - q, u]
note: bind a loop to cluster.x)");
}

TEST(TilesInParts, StayWholeInTheirLayout) {
  expect_refusal(
      parts_used("f32[2, 32] @order(1, 0)", " @cluster.x"), bound_to_threads,
      R"(error: bind: P has a part in each block of the cluster, which its layout takes apart
  for b in 0..1 @block.x {
    for q in 0..1 {
      for u in 0..32 {               <-- here
        C[u] = P[1 - q, u]
note: its first dimension numbers the blocks)");
}

TEST(TilesInParts, AreNotMovedByEngines) {
  expect_refusal(
      R"(func f(A: f32[2, 32], C: f32[32]) {
  for b in 0..1 @block.x {
    alloc P: f32[2, 32] @cluster
    for p in 0..2 @cluster.x {
      copy P[p, 0 .. +32] <- A[p, 0 .. +32] @async
    }
    for u in 0..32 {
      C[u] = P[0, u]
    }
  }
})",
      bound_to_threads,
      R"(error: bind: P has parts in the blocks of a cluster, and engines come to the memory of one block
  for b in 0..1 @block.x {
    for u in 0..32 {                 <-- here
      C[u] = P[0, u]
note: threads move its elements by loads and stores)");
}

/// A plain move gathers them.
TEST(TilesInParts, AreNotReadAcrossBlocksAtOnce) {
  expect_refusal(
      R"(func f(C: f32[4]) {
  for b in 0..1 @block.x {
    alloc P: f32[4] @cluster
    for p in 0..4 @cluster.x {
      P[p] = 1.0
    }
    for v in 0..4 {
      C[v] = P[v] * 2.0
    }
  }
})",
      [](const Function& f) { return vectorize(f, axis(f, "v")).function; },
      R"(error: vectorize: P[v] lies in the shared memory of several blocks
  for b in 0..1 @block.x {
    for v in 0..4 {
      C[v] = P[v] * 2.0              <-- here)");
}

// ---- Roles --------------------------------------------------------------------------------------

/// Sums of a tile that is filled in steps, beside or inside of a loop over blocks that have parts.
std::string steps_beside_parts(const std::string& cluster, const std::string& part) {
  return fmt::format(R"(func f(A: f32[4, 32], C: f32[2, 32]) {{
  for b in 0..1 @block.x {{
    alloc P: f32[2, 32] @cluster
    for p in 0..2 @cluster.x {{
      for t in 0..32 @thread.x {{
        P[p, t] = 1.0
      }}
    }}
    for q in 0..{} {{
      for k in 0..4 {{
        alloc T: f32[32] @shared
        copy T[0 .. +32] <- A[k, 0 .. +32] @async
        for u in 0..32 @thread.x {{
          C[q, u] += T[u] * P[{}, u]
        }}
      }}
    }}
  }}
}})",
                     cluster, part);
}

Function specialized(const Function& f) {
  return specialize(f, axis(f, "k"), 2, {.producer_warps = 1}).function;
}

TEST(SpecializeRefusals, OfALoopBesideThoseOverTheBlocksOfACluster) {
  expect_refusal(
      steps_beside_parts("1", "0"), specialized,
      R"(error: specialize: k stands outside of the loops over the blocks of a cluster, and each block has producers
  for b in 0..1 @block.x {
    for q in 0..1 {
      for k in 0..4 {                <-- here
        alloc T: f32[32] @shared
        copy T[0 .. +32] <- A[k, 0 .. +32] @async
note: specialize a loop inside of one of them)");
}

TEST(SpecializeRefusals, OfPartsThatOtherBlocksHave) {
  expect_refusal(
      steps_beside_parts("2 @cluster.x", "1 - q"), specialized,
      R"(error: specialize: P[1 - q, u] may lie in another block of the cluster, for which the producers of k do not wait
  for b in 0..1 @block.x {
    for q in 0..2 @cluster.x {
      for k in 0..4 {                <-- here
        alloc T: f32[32] @shared
        copy T[0 .. +32] <- A[k, 0 .. +32] @async
note: cache it in registers around k)");
}

}  // namespace compute_at_cluster_test
}  // namespace hone

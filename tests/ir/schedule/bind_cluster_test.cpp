// Loops over the blocks of a cluster: how they are bound, and what is refused beside them.
#include "gtest/gtest.h"
#include "tests/support/ir/combines.h"

namespace hone {
namespace bind_cluster_test {

constexpr CombineLevel by_exchange = {CombineUnit::cluster, CombineMeans::exchange};

/// A sum of rows of 64, of which blocks take a part each.
std::string sums_of_rows(const std::string& outer = "", const std::string& inner = "",
                         const std::string& extent = "2") {
  return fmt::format(R"(func f[n](A: f32[64, n], S: f32[64]) {{
  for i in 0..64 @block.x {{
    S[i] = 0.0
    reduce c in 0..{}{} {{
      reduce k in 0..32{} {{
        if (c*32 + k < n) {{
          S[i] += A[i, c*32 + k]
        }}
      }}
    }}
  }}
}})",
                     extent, outer, inner);
}

TEST(BindToCluster, AnAxisWhoseBlocksExchangeWhatTheyHave) {
  expect_rewrite(sums_of_rows(), binds("c", cluster_x, {by_exchange}),
                 sums_of_rows(" @cluster.x combine(cluster: exchange)"));
}

TEST(BindToCluster, WithThreadsThatCombineInside) {
  const std::string outer = " @cluster.x combine(cluster: exchange)";
  expect_rewrite(sums_of_rows(outer), binds("k", thread_x, {Combine::shuffle}),
                 sums_of_rows(outer, " @thread.x combine(shuffle)"));
}

TEST(BindToCluster, ASpatialAxis) {
  expect_rewrite("func f(C: f32[64]) { for c in 0..2 { for i in 0..32 { C[c*32 + i] = 1.0 } } }",
                 binds("c", cluster_x), R"(func f(C: f32[64]) {
  for c in 0..2 @cluster.x {
    for i in 0..32 {
      C[c*32 + i] = 1.0
    }
  }
})");
}

TEST(BindToClusterRefusals, OfMoreBlocksThanAClusterHas) {
  expect_refusal("func f(C: f32[16]) { for c in 0..16 { C[c] = 1.0 } }", binds("c", cluster_x),
                 R"(error: bind: c has the extent 16, and cluster.x takes at most 8
  for c in 0..16 {                   <-- here
    C[c] = 1.0
note: split it first)");
}

TEST(BindToClusterRefusals, OfANumberOfBlocksThatIsKnownAtLaunch) {
  expect_refusal(
      "func f[n](C: f32[n]) { for c in 0..n { C[c] = 1.0 } }", binds("c", cluster_x),
      R"(error: bind: c has the extent n, which is known at launch only, and a cluster has a constant number of blocks
  for c in 0..n {                    <-- here
    C[c] = 1.0
note: split off a constant number of iterations)");
}

TEST(BindToClusterRefusals, OfLevelsOfThreadsForBlocks) {
  expect_refusal(
      "func f(A: f32[8], S: f32[]) { reduce k in 0..8 { S[] += A[k] } }",
      binds("k", cluster_x, {Combine::sequential}),
      R"(error: bind: combine(sequential) is for threads of a block, and k would be bound to cluster.x
  reduce k in 0..8 {                 <-- here
    S[] += A[k]
note: blocks of a cluster combine by cluster: exchange, and threads by other levels)");
}

TEST(BindToClusterRefusals, OfAnExchangeBetweenBlocksForThreads) {
  expect_refusal(
      "func f(A: f32[8], S: f32[]) { reduce k in 0..8 { S[] += A[k] } }",
      binds("k", thread_x, {by_exchange}),
      R"(error: bind: combine(cluster: exchange) is for blocks of a cluster, and k would be bound to thread.x
  reduce k in 0..8 {                 <-- here
    S[] += A[k]
note: blocks of a cluster combine by cluster: exchange, and threads by other levels)");
}

TEST(BindToClusterRefusals, OfATileInTheMemoryOfOneBlock) {
  expect_refusal(
      R"(func f(A: f32[64], C: f32[64]) {
                      for b in 0..1 @block.x {
                        alloc s: f32[64] @shared
                        copy s[0 .. +64] <- A[0 .. +64]
                        for c in 0..2 { for i in 0..32 { C[c*32 + i] = s[c*32 + i] } } } })",
      binds("c", cluster_x),
      R"(error: bind: s lies in the shared memory of one block, and c goes over the blocks of a cluster
  for b in 0..1 @block.x {
    for c in 0..2 {                  <-- here
      for i in 0..32 {
        C[c*32 + i] = s[c*32 + i]
note: a temporary whose outermost loop is bound to cluster.x has a part in each block where compute_at places it)");
}

TEST(BindToClusterRefusals, OfThreadsThatCombineInOneBlockAlone) {
  expect_refusal(
      R"(func f(A: f32[64], S: f32[], C: f32[64]) {
                      for b in 0..1 @block.x {
                        S[] = 0.0
                        reduce k in 0..64 { S[] += A[k] }
                        for c in 0..2 @cluster.x { for i in 0..32 { C[c*32 + i] = S[] } } } })",
      binds("k", thread_x, {Combine::two_level}),
      R"(error: bind: threads combine over k outside of the loops over the blocks of a cluster, and c is one
  for b in 0..1 @block.x {
    reduce k in 0..64 {              <-- here
      S[] += A[k]
note: bind the reduction's outer part to cluster.x first)");
}

/// Blocks tell each other results in shared memory, one for each thread around.
TEST(BindClusterRefusals, OfThreadsWhoseNumberIsKnownAtLaunch) {
  expect_refusal(
      R"(func f[n](A: f32[n, 2], C: f32[n]) {
  for i in 0..n @thread.x {
    C[i] = 0.0
    reduce c in 0..2 {
      C[i] += A[i, c]
    }
  }
})",
      binds("c", cluster_x, {by_exchange}),
      R"(error: bind: i has the extent n, which is known at launch only, and combine(cluster: exchange) of c needs shared memory for each of its iterations
  for i in 0..n @thread.x {
    reduce c in 0..2 {               <-- here
      C[i] += A[i, c]
note: split off a constant number of iterations)");
}

}  // namespace bind_cluster_test
}  // namespace hone

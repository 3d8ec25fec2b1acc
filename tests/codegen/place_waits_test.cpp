// Waits as data: where they stand while copies are leaves, and the edges that each of them is for.
#include "codegen/pass/place_waits.h"

#include <gmock/gmock.h>

#include "codegen/pass/passes.h"
#include "fmt/format.h"
#include "tests/support/codegen/passes.h"

namespace hone {
namespace place_waits_test {

using testing::ElementsAre;
using testing::IsEmpty;

std::string in_block(const std::string& statements) {
  return "func f[n](A: f32[64], C: f32[64]) {\nfor b in 0..1 @block.x {\n" + statements + "} }";
}

/// A tile of a row of A, which is used in the opposite order.
const std::string reversed_tile = in_block(R"(for k in 0..n {
                                                alloc s: f32[32] @shared
                                                copy s[0 .. +32] <- A[k*32 .. +32]
                                                for t in 0..32 @thread.x { C[t] += s[31 - t] } })");

/// The edges of each wait, as text.
std::vector<std::vector<std::string>> edges_in(const std::string& text) {
  KernelFunction kernel = unlowered(text);
  share_copies(kernel);
  std::vector<std::vector<std::string>> all;
  for (const Wait& wait : waits_of(kernel)) {
    EXPECT_EQ(wait.who, Reach::block);
    all.emplace_back();
    for (const Edge& edge : wait.edges) all.back().push_back(edge.text());
  }
  return all;
}

TEST(ShareCopies, SaysWhoMakesACopy) {
  EXPECT_EQ(after_passes({share_copies}, in_block(R"(alloc s: f32[8, 8] @shared
                                                     for y in 0..8 @thread.y {
                                                       copy s[y, 0 .. +8] <- A[y*8 .. +8]
                                                       for x in 0..8 @thread.x { C[x] = s[y, x] }
                                                     })")),
            R"(for b in 0..1 @block.x {
  alloc s: f32[8, 8] @shared
  for y in 0..8 @thread.y {
    copy s[y, 0 .. +8] <- A[y*8 .. +8] @by(thread.x)
    for x in 0..8 @thread.x {
      C[x] = s[y, x]
    }
  }
})");
}

/// A row of C, or the condition on it, is of one y: the threads of that have the copy to
/// themselves. tests/runtime/conditions_test.cpp runs it.
TEST(ShareCopies, LeavesWhatDiffersBetweenThreadsToThem) {
  EXPECT_EQ(after_passes({share_copies}, in_block(R"(for y in 0..8 @thread.y {
                                                       alloc s: f32[8] @shared
                                                       copy s[0 .. +8] <- A[0 .. +8]
                                                       copy C[y*8 .. +8] <- s[0 .. +8]
                                                       if (y < 3) {
                                                         copy C[32 .. +8] <- s[0 .. +8]
                                                       }
                                                       for x in 0..8 @thread.x { C[56 + x] = 0.0 }
                                                     })")),
            R"(for b in 0..1 @block.x {
  for y in 0..8 @thread.y {
    alloc s: f32[8] @shared
    copy s[0 .. +8] <- A[0 .. +8] @by(thread.x, thread.y)
    copy C[y*8 .. +8] <- s[0 .. +8] @by(thread.x)
    if (y < 3) {
      copy C[32 .. +8] <- s[0 .. +8] @by(thread.x)
    }
    for x in 0..8 @thread.x {
      C[56 + x] = 0.0
    }
  }
})");
}

TEST(PlaceWaits, StandBetweenCopiesThatAreLeaves) {
  EXPECT_EQ(after_passes({share_copies, place_waits}, reversed_tile), R"(for b in 0..1 @block.x {
  for k in 0..n {
    alloc s: f32[32] @shared
    copy s[0 .. +32] <- A[k*32 .. +32] @by(thread.x)
    barrier
    for t in 0..32 @thread.x {
      C[t] += s[31 - t]
    }
    barrier
  }
})");
}

/// A sum in a register, whose scope is the rest of the sequence, may begin before the tile is
/// there.
TEST(PlaceWaits, WhatStandsInAnAllocationFollowsWhatStandsBeforeIt) {
  EXPECT_EQ(after_passes({share_copies, place_waits}, in_block(R"(alloc s: f32[32] @shared
                                                      copy s[0 .. +32] <- A[0 .. +32]
                                                      alloc r: f32[1] @registers
                                                      for t in 0..32 @thread.x { r[0] = A[t] }
                                                      for u in 0..32 @thread.x {
                                                        C[u] = r[0]*s[31 - u]
                                                      })")),
            R"(for b in 0..1 @block.x {
  alloc s: f32[32] @shared
  copy s[0 .. +32] <- A[0 .. +32] @by(thread.x)
  alloc r: f32[1] @registers
  for t in 0..32 @thread.x {
    r[0] = A[t]
  }
  barrier
  for u in 0..32 @thread.x {
    C[u] = r[0] * s[31 - u]
  }
})");
}

TEST(PlaceWaits, EachIsForEdges) {
  EXPECT_THAT(edges_in(reversed_tile),
              ElementsAre(ElementsAre("s[s.tx] is written, then read as s[31 - t]"),
                          ElementsAre("s[31 - t] is read, then written as s[s.tx] in a later "
                                      "iteration of k")));
}

TEST(PlaceWaits, OneIsForTheEdgesOfTwoTiles) {
  EXPECT_THAT(edges_in(in_block(R"(alloc s: f32[64] @shared
                                   alloc u: f32[64] @shared
                                   copy s[0 .. +64] <- A[0 .. +64]
                                   copy u[0 .. +64] <- A[0 .. +64]
                                   for t in 0..64 @thread.x { C[t] = s[63 - t] + u[63 - t] })")),
              ElementsAre(ElementsAre("s[s.tx] is written, then read as s[63 - t]",
                                      "u[u.tx] is written, then read as u[63 - t]")));
}

/// 31 threads go round 3 rows of 11: that they write different elements, remainders hide.
TEST(PlaceWaits, PartsOfACopyHaveNoEdgesAmongThem) {
  const auto edges = edges_in(R"(func f(A: f32[3, 11], C: f32[64]) { for b in 0..1 @block.x {
                                   alloc s: f32[3, 11] @shared
                                   copy s[0 .. +3, 0 .. +11] <- A[0 .. +3, 0 .. +11]
                                   for t in 0..31 @thread.x { C[t] = s[2, 10 - t / 3] } } })");
  ASSERT_EQ(edges.size(), 1u);
  ASSERT_EQ(edges[0].size(), 1u);
  EXPECT_TRUE(llvm::StringRef(edges[0][0]).contains(" is written, then read as s[2, "))
      << edges[0][0];
}

TEST(PlaceWaits, ThreadsThatKeepToTheirOwnHaveNoEdge) {
  EXPECT_THAT(edges_in(in_block(R"(alloc s: f32[64] @shared
                                   copy s[0 .. +64] <- A[0 .. +64]
                                   for t in 0..64 @thread.x { C[t] = s[t] })")),
              IsEmpty());
}

/// A global tensor that one statement writes once is nobody's to wait for; one that it writes again
/// and again, from other threads, is.
TEST(PlaceWaits, AStatementInALoopMeetsItself) {
  const std::string store = "for t in 0..32 @thread.x { C[(t + k) % 32] = A[t] }";
  EXPECT_THAT(edges_in(in_block("let k = 1 " + store)), IsEmpty());
  EXPECT_THAT(edges_in(in_block("for k in 0..2 { " + store + " }")),
              ElementsAre(ElementsAre("C[(t + k) % 32] is written, then written as C[(t + k) % 32] "
                                      "in a later iteration of k")));
}

}  // namespace place_waits_test
}  // namespace hone

// Layouts of tiles in shared memory, and vectors of the copies that fill them.
#include "gtest/gtest.h"
#include "tests/support/ir/cached_matmul.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace cache_shared_options_test {

constexpr const char* rows = R"(func f(A: f32[64, 32], C: f32[64, 32]) {
  for b in 0..4 { for t in 0..16 { for j in 0..32 { C[b*16 + t, j] = A[b*16 + t, j] } } }
})";

TEST(CacheShared, LiesAsTheTensorDoes) {
  constexpr const char* columns = R"(func f(A: f32[32, 4, 16] @order(2, 1, 0), C: f32[32, 4, 16]) {
    for b in 0..4 { for t in 0..32 { for u in 0..16 { C[t, b, u] = A[t, b, u] } } }
  })";
  expect_rewrite(columns, stages("A", "b"),
                 R"(func f(A: f32[32, 4, 16] @order(2, 1, 0), C: f32[32, 4, 16]) {
  for b in 0..4 {
    alloc A.shared: f32[32, 16] @order(1, 0) @shared
    copy A.shared[0 .. +32, 0 .. +16] <- A[0 .. +32, b, 0 .. +16]
    for t in 0..32 {
      for u in 0..16 {
        C[t, b, u] = A.shared[t, u]
      }
    }
  }
})");
  expect_rewrite(columns, stages("A", "b", {.layout = Layout().pad(1)}),
                 R"(func f(A: f32[32, 4, 16] @order(2, 1, 0), C: f32[32, 4, 16]) {
  for b in 0..4 {
    alloc A.shared: f32[32, 16] @order(1, 0) @pad(1) @shared
    copy A.shared[0 .. +32, 0 .. +16] <- A[0 .. +32, b, 0 .. +16]
    for t in 0..32 {
      for u in 0..16 {
        C[t, b, u] = A.shared[t, u]
      }
    }
  }
})");
  expect_rewrite(columns, stages("A", "b", {.layout = Layout::order({0, 1})}),
                 R"(func f(A: f32[32, 4, 16] @order(2, 1, 0), C: f32[32, 4, 16]) {
  for b in 0..4 {
    alloc A.shared: f32[32, 16] @order(0, 1) @shared
    copy A.shared[0 .. +32, 0 .. +16] <- A[0 .. +32, b, 0 .. +16]
    for t in 0..32 {
      for u in 0..16 {
        C[t, b, u] = A.shared[t, u]
      }
    }
  }
})");
}

TEST(CacheShared, LaysTheTileOut) {
  expect_rewrite(R"(func f(A: f32[32, 32], C: f32[32, 32]) {
                      for b in 0..1 { for t in 0..32 { for u in 0..32 { C[t, u] = A[u, t] } } }
                    })",
                 stages("A", "b", {.layout = Layout::order({1, 0}).pad(4)}),
                 R"(func f(A: f32[32, 32], C: f32[32, 32]) {
  for b in 0..1 {
    alloc A.shared: f32[32, 32] @order(1, 0) @pad(4) @shared
    copy A.shared[0 .. +32, 0 .. +32] <- A[0 .. +32, 0 .. +32]
    for t in 0..32 {
      for u in 0..32 {
        C[t, u] = A.shared[u, t]
      }
    }
  }
})");
}

TEST(CacheShared, SwizzlesTheTileAndStillMovesVectors) {
  // Vectors are read from global memory; the shared side of a copy may lie anywhere.
  expect_rewrite(R"(func f(A: f32[32, 32], C: f32[32, 32]) {
                      for b in 0..1 { for t in 0..32 { for u in 0..32 { C[t, u] = A[u, t] } } }
                    })",
                 stages("A", "b", {.vectorize = 4, .layout = Layout().swizzle({1, 32})}),
                 R"(func f(A: f32[32, 32], C: f32[32, 32]) {
  for b in 0..1 {
    alloc A.shared: f32[32, 32] @swizzle(1, 32, 1) @shared
    copy A.shared[0 .. +32, 0 .. +32] <- A[0 .. +32, 0 .. +32] @vector(4)
    for t in 0..32 {
      for u in 0..32 {
        C[t, u] = A.shared[u, t]
      }
    }
  }
})");
}

TEST(CacheShared, CountsThePadding) {
  // 57344 elements fit, with the padding 58368 do not.
  expect_refusal(
      R"(func f(A: f32[1024, 56], C: f32[1024, 56]) {
                      for i in 0..1 { for j in 0..1024 { for l in 0..56 { C[j, l] = A[j, l] } } }
                    })",
      stages("A", "i", {.layout = Layout().pad(1)}),
      R"(error: cache_shared: the part of A that one iteration of i touches, [1024, 56], takes 233472 bytes of shared memory, and no architecture gives a block more than 232448
  for i in 0..1 {                    <-- here
    for j in 0..1024 {
      for l in 0..56 {
note: cache under an inner axis, or split into smaller tiles)");
}

TEST(CacheShared, RefusesALayoutThatDoesNotFit) {
  expect_refusal(
      rows, stages("A", "b", {.layout = Layout::order({0, 2})}),
      R"(error: cache_shared: the layout of A.shared: its order (0, 2) does not name each of 2 dimensions once
  for b in 0..4 {                    <-- here
    for t in 0..16 {
      for j in 0..32 {)");
  expect_refusal(rows, stages("A", "b", {.layout = Layout().pad(-1)}),
                 R"(error: cache_shared: the layout of A.shared: the padding -1 is negative
  for b in 0..4 {                    <-- here
    for t in 0..16 {
      for j in 0..32 {)");
  expect_refusal(rows, stages("A", "b", {.layout = Layout().pitch(40)}),
                 R"(error: cache_shared: A.shared has a pitch of its own
  for b in 0..4 {                    <-- here
    for t in 0..16 {
      for j in 0..32 {
note: say pad: the elements between the rows)");
  expect_refusal(
      rows, stages("A", "b", {.layout = Layout().swizzle({8, 8})}),
      R"(error: cache_shared: the layout of A.shared: 8 chunks of 8 elements change places, and a row of 32 elements is no multiple of 64
  for b in 0..4 {                    <-- here
    for t in 0..16 {
      for j in 0..32 {)");
  // The dimension of one element is none of the tile's.
  expect_refusal(
      rows, stages("A", "t", {.layout = Layout::order({1, 0})}),
      R"(error: cache_shared: the layout of A.shared: its order (1, 0) does not name each of 1 dimensions once
  for b in 0..4 {
    for t in 0..16 {                 <-- here
      for j in 0..32 {
        C[b*16 + t, j] = A[b*16 + t, j])");
}

TEST(CacheShared, TakesATileOfATile) {
  expect_rewrite(
      R"(func f(A: f32[4, 64], C: f32[4, 64]) {
  for b in 0..4 @block.x {
    for p in 0..4 {
      for t in 0..16 @thread.x {
        C[b, p*16 + t] = A[b, p*16 + 15 - t]
      }
    }
  }
})",
      [](const Function& f) { return in_shared(in_shared(f, "A", "b"), "A.shared", "p"); },
      R"(func f(A: f32[4, 64], C: f32[4, 64]) {
  for b in 0..4 @block.x {
    alloc A.shared: f32[64] @shared
    copy A.shared[0 .. +64] <- A[b, 0 .. +64]
    for p in 0..4 {
      alloc A.shared_2: f32[16] @shared
      copy A.shared_2[0 .. +16] <- A.shared[p*16 .. +16]
      for t in 0..16 @thread.x {
        C[b, p*16 + t] = A.shared_2[15 - t]
      }
    }
  }
})");
}

/// A tile of 4 elements a row of one that has 2: half of a vector would lie outside.
constexpr const char* narrow_tile = R"(func f(A: f32[8, 2], C: f32[8, 2]) {
  for b in 0..2 {
    alloc S: f32[4, 2] @shared
    copy S[0 .. +4, 0 .. +2] <- A[b*4 .. +4, 0 .. +2]
    for o in 0..1 {
      for i in 0..4 {
        for j in 0..4 {
          if (o*4 + j < 2) {
            C[b*4 + i, o*4 + j] = S[i, o*4 + j]
          }
        }
      }
    }
  }
})";

TEST(CacheShared, RefusesVectorsThatATileHoldsInPart) {
  expect_refusal(
      narrow_tile, stages("S", "o", {.vectorize = 4}),
      R"(error: cache_shared: S.shared cannot move 4 elements at a time: some of them may lie outside of S, and others inside
  for b in 0..2 {
    for o in 0..1 {                  <-- here
      for i in 0..4 {
        for j in 0..4 {
note: split by a number that divides the rows of the tile)");
  expect_refusal(
      narrow_tile, [](const Function& f) { return in_registers(f, "S", "o", {.vectorize = 4}); },
      R"(error: cache_registers: S cannot move 4 elements at a time: rows of S are 2 elements apart, which is not a multiple of 4
  for b in 0..2 {
    for o in 0..1 {                  <-- here
      for i in 0..4 {
        for j in 0..4 {)");
}

TEST(CacheShared, VectorsTakeTheRestOfThoseThatHoldTheHalo) {
  expect_rewrite(R"(func f(A: f32[64], C: f32[56]) {
  for b in 0..7 @block.x {
    for t in 0..8 @thread.x {
      C[b*8 + t] = A[b*8 + t + 3] + A[b*8 + t + 5]
    }
  }
})",
                 stages("A", "b", {.vectorize = 4}), R"(func f(A: f32[64], C: f32[56]) {
  for b in 0..7 @block.x {
    alloc A.shared: f32[16] @shared
    copy A.shared[0 .. +16] <- A[b*8 .. +16] @vector(4)
    for t in 0..8 @thread.x {
      C[b*8 + t] = A.shared[t + 3] + A.shared[t + 5]
    }
  }
})");
}

TEST(CacheShared, VectorsTakeNoMoreThanTheTileOfWhatIsWritten) {
  expect_refusal(
      R"(func f(A: f32[64], C: f32[64]) {
  for b in 0..8 {
    for t in 0..6 {
      C[b*8 + t] += A[t]
    }
  }
})",
      stages("C", "b", {.vectorize = 4}),
      R"(error: cache_shared: C cannot move 4 elements at a time: the copy takes 6 elements of each row
  for b in 0..8 {                    <-- here
    for t in 0..6 {
      C[b*8 + t] += A[t])");
}

TEST(CacheShared, RefusesVectorsThatAreNotProved) {
  expect_refusal(
      R"(func f[N, P](A: f32[N, 32], C: f32[N]) {
                      for b in 0..N { reduce k in 0..6 { C[b] += A[b, k + P] } }
                    })",
      stages("A", "b", {.vectorize = 4}),
      R"(error: cache_shared: A cannot move 4 elements at a time: the copy takes 6 elements of each row
  for b in 0..N {                    <-- here
    reduce k in 0..6 {
      C[b] += A[b, k + P])");
  expect_refusal(
      R"(func f[P](A: f32[64, 32], C: f32[64]) {
                      for b in 0..64 { reduce k in 0..8 { C[b] += A[b, k + P] } }
                    })",
      stages("A", "b", {.vectorize = 4}),
      R"(error: cache_shared: A cannot move 4 elements at a time: A[b, P + .vector*4 + .lane] starts at P + .vector*4, which is not proved to be a multiple of 4
  for b in 0..64 {                   <-- here
    reduce k in 0..8 {
      C[b] += A[b, k + P])");
  expect_refusal(
      R"(func f[M, K](A: f32[M, K], C: f32[M]) {
                      for b in 0..M { reduce k.0 in 0..K / 8 { reduce k.1 in 0..8 {
                        C[b] += A[b, k.0*8 + k.1]
                      } } }
                    })",
      stages("A", "k.0", {.vectorize = 4}),
      R"(error: cache_shared: A cannot move 4 elements at a time: rows of A are K elements apart, which is not proved to be a multiple of 4
  for b in 0..M {
    reduce k.0 in 0..K / 8 {         <-- here
      reduce k.1 in 0..8 {
        C[b] += A[b, k.0*8 + k.1]
note: assume(K % 4 == 0) promises it, and launches check it)");
  expect_refusal(
      rows, stages("A", "b", {.vectorize = 8}),
      R"(error: cache_shared: A cannot move 8 elements at a time: 8 elements of A are 32 bytes, and a vector access moves 2, 4, 8 or 16
  for b in 0..4 {                    <-- here
    for t in 0..16 {
      for j in 0..32 {)");
  expect_refusal(
      rows, stages("A", "b", {.vectorize = 3}),
      R"(error: cache_shared: A cannot move 3 elements at a time: 3 elements of A are 12 bytes, and a vector access moves 2, 4, 8 or 16
  for b in 0..4 {                    <-- here
    for t in 0..16 {
      for j in 0..32 {)");
}

TEST(CacheShared, RefusesVectorsOfATransposedArgument) {
  expect_refusal(
      R"(func f(A: f32[64, 32] @order(1, 0), C: f32[64]) {
                      for b in 0..64 { reduce k in 0..32 { C[b] += A[b, k] } }
                    })",
      stages("A", "b", {.vectorize = 4}),
      R"(error: cache_shared: A cannot move 4 elements at a time: the copy takes one element of each row
  for b in 0..64 {                   <-- here
    reduce k in 0..32 {
      C[b] += A[b, k])");
}

TEST(CacheShared, RefusesVectorsOfOneElement) {
  expect_refusal(
      "func f(A: f32[8], C: f32[8]) { for i in 0..8 { C[i] = A[i] } }",
      stages("A", "i", {.vectorize = 4}),
      R"(error: cache_shared: the part of A that one iteration of i touches is one element, and 4 cannot move at a time
  for i in 0..8 {                    <-- here
    C[i] = A[i])");
}

TEST(CacheShared, RefusesANegativeWidth) {
  expect_refusal(rows, stages("A", "b", {.vectorize = -4}),
                 R"(error: cache_shared: an access moves 1 element or more, got -4
  for b in 0..4 {                    <-- here
    for t in 0..16 {
      for j in 0..32 {
note: 0 leaves it to what can be proved)");
}

}  // namespace cache_shared_options_test
}  // namespace hone

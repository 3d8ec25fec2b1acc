// Other steps on the loops of a copy.
#include "gtest/gtest.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace copy_loops_steps_test {

constexpr const char* exact_rows = R"(func f(A: f32[32, 8], C: f32[32, 8]) {
  for b in 0..8 { for t in 0..4 { for j in 0..8 { C[b*4 + t, j] = A[b*4 + t, j] * 2.0 } } }
})";

/// exact_rows with A in shared memory, and the copy that fills it as loops.
Function filled(const Function& f) { return with_copy_loops(in_shared(f, "A", "b"), "A.shared"); }

TEST(CopyLoops, TakeTheWordsOfOtherLoops) {
  expect_rewrite(
      exact_rows,
      [](const Function& f) {
        Function g = bound(bound(f, "b", block_x), "t", thread_x);
        g = with_copy_loops(in_shared(g, "A", "b"), "A.shared");
        g = fuse(g, axis(g, "A.shared.0"), axis(g, "A.shared.1")).function;
        g = parted(g, "A.shared.0_A.shared.1", 4);
        g = parted(g, "A.shared.0_A.shared.1.0", 4);
        g = vectorized(g, "A.shared.0_A.shared.1.1");
        g = unroll(g, axis(g, "A.shared.0_A.shared.1.0.0"), 0).function;
        return bound(g, "A.shared.0_A.shared.1.0.1", thread_x);
      },
      R"(func f(A: f32[32, 8], C: f32[32, 8]) {
  for b in 0..8 @block.x {
    alloc A.shared: f32[4, 8] @shared
    for A.shared.0_A.shared.1.0.0 in 0..2 @unroll {
      for A.shared.0_A.shared.1.0.1 in 0..4 @thread.x {
        for A.shared.0_A.shared.1.1 in 0..4 @vectorize {
          A.shared[A.shared.0_A.shared.1.0.0*2 + A.shared.0_A.shared.1.0.1 / 2, (A.shared.0_A.shared.1.0.1*4 + A.shared.0_A.shared.1.1) % 8] = A[b*4 + A.shared.0_A.shared.1.0.0*2 + A.shared.0_A.shared.1.0.1 / 2, (A.shared.0_A.shared.1.0.1*4 + A.shared.0_A.shared.1.1) % 8]
        }
      }
    }
    for t in 0..4 @thread.x {
      for j in 0..8 {
        C[b*4 + t, j] = A.shared[t, j] * 2.0
      }
    }
  }
})");
}

TEST(CopyLoops, ChangePlaces) {
  expect_rewrite(
      exact_rows,
      [](const Function& f) {
        const Function g = filled(f);
        return reorder(g, axes(g, {"A.shared.1", "A.shared.0"})).function;
      },
      R"(func f(A: f32[32, 8], C: f32[32, 8]) {
  for b in 0..8 {
    alloc A.shared: f32[4, 8] @shared
    for A.shared.1 in 0..8 {
      for A.shared.0 in 0..4 {
        A.shared[A.shared.0, A.shared.1] = A[b*4 + A.shared.0, A.shared.1]
      }
    }
    for t in 0..4 {
      for j in 0..8 {
        C[b*4 + t, j] = A.shared[t, j] * 2.0
      }
    }
  }
})");
}

TEST(CopyLoops, AreDealtOutInsideTheLoopsOfThreads) {
  // All threads of the block fill the tile together: its loops are bound anew.
  expect_rewrite(
      R"(func f(A: f32[4, 8], C: f32[8]) {
        for t in 0..8 @thread.x { reduce k in 0..4 { reduce l in 0..8 { C[t] += A[k, l] } } }
      })",
      [](const Function& f) {
        const Function g = with_copy_loops(in_shared(f, "A", "k"), "A.shared");
        return bound(g, "A.shared.0", thread_x);
      },
      R"(func f(A: f32[4, 8], C: f32[8]) {
  for t in 0..8 @thread.x {
    reduce k in 0..4 {
      alloc A.shared: f32[8] @shared
      for A.shared.0 in 0..8 @thread.x {
        A.shared[A.shared.0] = A[k, A.shared.0]
      }
      reduce l in 0..8 {
        C[t] += A.shared[l]
      }
    }
  }
})");
}

}  // namespace copy_loops_steps_test
}  // namespace hone

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

/// Registers of threads move in the loops over these threads, digit by digit.
TEST(CopyLoops, GoOverTheThreadsThatHaveTheRegisters) {
  expect_rewrite(
      R"(func f[M](A: f32[M, 64], C: f32[M, 64]) {
  for i in 0..M @block.x {
    for o in 0..2 { for j in 0..16 @thread.x { for v in 0..2 { C[i, o*32 + j*2 + v] = A[i, o*32 + j*2 + v] } } }
  }
})",
      [](const Function& f) {
        const Rewrite cached = cache_registers(f, tensor(f, "A"), axis(f, "i"));
        return copy_loops(cached.function, cached.tensor, Direction::fill).function;
      },
      R"(func f[M](A: f32[M, 64], C: f32[M, 64]) {
  for i in 0..M @block.x {
    alloc A.reg: f32[64] @registers
    for A.reg.0 in 0..2 @unroll {
      for A.reg.1 in 0..16 @thread.x {
        for A.reg.2 in 0..2 @unroll {
          A.reg[A.reg.0*32 + A.reg.1*2 + A.reg.2] = A[i, A.reg.0*32 + A.reg.1*2 + A.reg.2]
        }
      }
    }
    for o in 0..2 @unroll {
      for j in 0..16 @thread.x {
        for v in 0..2 @unroll {
          C[i, o*32 + j*2 + v] = A.reg[o*32 + j*2 + v]
        }
      }
    }
  }
})");
}

/// An unrolled loop is split to unrolled loops.
TEST(CopyLoops, OfRegistersAreSplit) {
  expect_rewrite(
      "func f(A: f32[8], C: f32[8]) { for i in 0..1 { for j in 0..8 @unroll { C[j] = A[j] } } }",
      [](const Function& f) { return parted(f, "j", 4); },
      R"(func f(A: f32[8], C: f32[8]) {
  for i in 0..1 {
    for j.0 in 0..2 @unroll {
      for j.1 in 0..4 @unroll {
        C[j.0*4 + j.1] = A[j.0*4 + j.1]
      }
    }
  }
})");
}

}  // namespace copy_loops_steps_test
}  // namespace hone

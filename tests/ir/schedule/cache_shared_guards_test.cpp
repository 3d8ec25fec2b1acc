// Guards around what a block stages, and what lies beside the tensor.
#include "gtest/gtest.h"
#include "tests/support/ir/cached_matmul.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace cache_shared_guards_test {

TEST(CacheShared, GuardsWhatStandsBesideTheAxis) {
  expect_rewrite(R"(func f[N, K](A: f32[K], C: f32[N]) {
                      for b in 0..(N + 7) / 8 @block.x { for t in 0..8 @thread.x {
                        if (b*8 + t < N) {
                          C[b*8 + t] = 0.0
                          reduce k.0 in 0..K / 4 { reduce k.1 in 0..4 {
                            C[b*8 + t] += A[k.0*4 + k.1]
                          } }
                          C[b*8 + t] *= 2.0
                        }
                      } }
                    })",
                 stages("A", "k.0"), R"(func f[N, K](A: f32[K], C: f32[N]) {
  for b in 0..(N + 7) / 8 @block.x {
    for t in 0..8 @thread.x {
      if (b*8 + t < N) {
        C[b*8 + t] = 0.0
      }
      reduce k.0 in 0..K / 4 {
        alloc A.shared: f32[4] @shared
        copy A.shared[0 .. +4] <- A[k.0*4 .. +4]
        if (b*8 + t < N) {
          reduce k.1 in 0..4 {
            C[b*8 + t] += A.shared[k.1]
          }
        }
      }
      if (b*8 + t < N) {
        C[b*8 + t] *= 2.0
      }
    }
  }
})");
}

/// A tile that sticks out is filled, though the tensor has no values yet: a copy inside takes what
/// lies beyond the ends as 0.
TEST(CacheShared, FillsATileThatACopyTakesMoreOfThanThereIs) {
  expect_rewrite(R"(func f[N](T: f32[3], C: f32[N]) {
                      alloc U: f32[N] @global
                      for l.0 in 0..(N + 1) / 2 @block.x {
                        for l.init in 0..2 { if (l.0*2 + l.init < N) { U[l.0*2 + l.init] = 0.0 } }
                        reduce k in 0..3 {
                          alloc U.reg: f32[2] @registers
                          copy U.reg[0 .. +2] <- U[l.0*2 .. +2]
                          for l.1 in 0..2 { U.reg[l.1] += T[k] }
                          copy U[l.0*2 .. +2] <- U.reg[0 .. +2]
                        }
                      }
                      for m in 0..N { C[m] = U[m] }
                    })",
                 stages("U", "l.0"), R"(func f[N](T: f32[3], C: f32[N]) {
  alloc U: f32[N] @global
  for l.0 in 0..(N + 1) / 2 @block.x {
    alloc U.shared: f32[2] @shared
    copy U.shared[0 .. +2] <- U[l.0*2 .. +2]
    for l.init in 0..2 {
      if (l.0*2 + l.init < N) {
        U.shared[l.init] = 0.0
      }
    }
    reduce k in 0..3 {
      alloc U.reg: f32[2] @registers
      copy U.reg[0 .. +2] <- U.shared[0 .. +2]
      for l.1 in 0..2 {
        U.reg[l.1] += T[k]
      }
      copy U.shared[0 .. +2] <- U.reg[0 .. +2]
    }
    copy U[l.0*2 .. +2] <- U.shared[0 .. +2]
  }
  for m in 0..N {
    C[m] = U[m]
  }
})");
}

TEST(CacheShared, LeavesAGuardOutsideThatAllThreadsShare) {
  expect_rewrite(R"(func f[N](P: i32[4], A: f32[4, 8], C: f32[4, 8]) {
                      for b in 0..4 @block.x { if (P[b] > 0i32) { if (b < N) {
                        for t in 0..8 @thread.x { reduce k in 0..8 { C[b, t] += A[b, k] } }
                      } } }
                    })",
                 stages("A", "b"), R"(func f[N](P: i32[4], A: f32[4, 8], C: f32[4, 8]) {
  for b in 0..4 @block.x {
    alloc A.shared: f32[8] @shared
    copy A.shared[0 .. +8] <- A[b, 0 .. +8]
    if (P[b] > 0i32) {
      if (b < N) {
        for t in 0..8 @thread.x {
          reduce k in 0..8 {
            C[b, t] += A.shared[k]
          }
        }
      }
    }
  }
})");
  expect_rewrite(R"(func f[N](A: f32[4, 8], C: f32[4, 8]) {
                      for b in 0..4 @block.x { for t in 0..8 @thread.x { if (b < N) {
                        reduce k in 0..8 { C[b, t] += A[b, k] }
                      } } }
                    })",
                 stages("A", "k"), R"(func f[N](A: f32[4, 8], C: f32[4, 8]) {
  for b in 0..4 @block.x {
    for t in 0..8 @thread.x {
      if (b < N) {
        reduce k in 0..8 {
          alloc A.shared: f32[] @shared
          A.shared[] = A[b, k]
          C[b, t] += A.shared[]
        }
      }
    }
  }
})");
}

TEST(CacheShared, SinksAGuardOnALet) {
  expect_rewrite(R"(func f[N](A: f32[64], C: f32[N]) {
                      for t in 0..32 @thread.x {
                        let i = t*2
                        if (i < N) { reduce k in 0..8 { reduce l in 0..8 {
                          C[i] += A[k*8 + l]
                        } } }
                      }
                    })",
                 stages("A", "k"), R"(func f[N](A: f32[64], C: f32[N]) {
  for t in 0..32 @thread.x {
    let i = t*2
    reduce k in 0..8 {
      alloc A.shared: f32[8] @shared
      copy A.shared[0 .. +8] <- A[k*8 .. +8]
      if (i < N) {
        reduce l in 0..8 {
          C[i] += A.shared[l]
        }
      }
    }
  }
})");
}

TEST(CacheShared, HoldsTheHaloOfAStencil) {
  expect_rewrite(
      R"(func f[N](A: f32[N, N], C: f32[N, N]) {
        for i in 0..N { for j in 0..N {
          if (i >= 1 && i + 1 < N) { if (j >= 1 && j + 1 < N) {
            C[i, j] = A[i - 1, j - 1] + A[i - 1, j + 1] + A[i, j] + A[i + 1, j - 1] + A[i + 1, j + 1]
          } }
        } }
      })",
      [](const Function& f) {
        const Function g = tile(f, axes(f, {"i", "j"}), {4, 8}, Tail::guard).function;
        return in_shared(bound(bound(g, "i.1", thread_y), "j.1", thread_x), "A", "j.0");
      },
      R"(func f[N](A: f32[N, N], C: f32[N, N]) {
  for i.0 in 0..(N + 3) / 4 {
    for j.0 in 0..(N + 7) / 8 {
      alloc A.shared: f32[6, 10] @shared
      copy A.shared[0 .. +6, 0 .. +10] <- A[i.0*4 - 1 .. +6, j.0*8 - 1 .. +10]
      for i.1 in 0..4 @thread.y {
        for j.1 in 0..8 @thread.x {
          if (i.0*4 + i.1 < N) {
            if (i.0*4 + i.1 >= 1 && i.0*4 + i.1 + 1 < N) {
              if (j.0*8 + j.1 >= 1 && j.0*8 + j.1 + 1 < N) {
                C[i.0*4 + i.1, j.0*8 + j.1] = A.shared[i.1, j.1] + A.shared[i.1, j.1 + 2] + A.shared[i.1 + 1, j.1 + 1] + A.shared[i.1 + 2, j.1] + A.shared[i.1 + 2, j.1 + 2]
              }
            }
          }
        }
      }
    }
  }
})");
}

TEST(CacheShared, ReadsZerosBesideTheTensor) {
  expect_rewrite(R"(func f[N](A: f32[N], C: f32[N]) {
                      for b in 0..(N + 7) / 8 { for t in 0..8 { if (b*8 + t < N) {
                        C[b*8 + t] = select(b*8 + t >= 1, A[b*8 + t - 1], 0.0) +
                                     select(b*8 + t + 1 < N, A[b*8 + t + 1], 0.0)
                      } } }
                    })",
                 stages("A", "b"), R"(func f[N](A: f32[N], C: f32[N]) {
  for b in 0..(N + 7) / 8 {
    alloc A.shared: f32[10] @shared
    copy A.shared[0 .. +10] <- A[b*8 - 1 .. +10]
    for t in 0..8 {
      if (b*8 + t < N) {
        C[b*8 + t] = A.shared[t] + A.shared[t + 2]
      }
    }
  }
})");
}

TEST(CacheShared, KeepsAnotherValueBesideTheTensor) {
  expect_rewrite(R"(func f[N](A: f32[N], C: f32[N]) {
                      for b in 0..(N + 7) / 8 { for t in 0..8 { if (b*8 + t < N) {
                        C[b*8 + t] = select(b*8 + t + 1 < N, A[b*8 + t + 1], 7.0)
                      } } }
                    })",
                 stages("A", "b"), R"(func f[N](A: f32[N], C: f32[N]) {
  for b in 0..(N + 7) / 8 {
    alloc A.shared: f32[8] @shared
    copy A.shared[0 .. +8] <- A[b*8 + 1 .. +8]
    for t in 0..8 {
      if (b*8 + t < N) {
        C[b*8 + t] = select(b*8 + t + 1 < N, A.shared[t], 7.0)
      }
    }
  }
})");
}

}  // namespace cache_shared_guards_test
}  // namespace hone

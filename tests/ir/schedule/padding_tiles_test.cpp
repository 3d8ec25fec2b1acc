// Guards around tiles of several operands, and around what padding may not reach.
#include "gtest/gtest.h"
#include "ir/schedule/staging/padding.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace padding_tiles_test {

/// Both operands of `value` in tiles.
Rewriting stages_both() {
  return [](const Function& f) { return in_shared(in_shared(f, "A", "k.0"), "B", "k.0"); };
}

TEST(Padding, OfBothOperandsOfAProduct) {
  expect_rewrite(R"(func f[N](A: f32[N], B: f32[N], C: f32[1]) {
                      reduce k.0 in 0..(N + 7) / 8 { reduce k.1 in 0..8 {
                        if (k.0*8 + k.1 < N) { C[0] += A[k.0*8 + k.1] * B[k.0*8 + k.1] }
                      } }
                    })",
                 stages_both(), R"(func f[N](A: f32[N], B: f32[N], C: f32[1]) {
  reduce k.0 in 0..(N + 7) / 8 {
    alloc A.shared: f32[8] @shared
    copy A.shared[0 .. +8] <- A[k.0*8 .. +8]
    alloc B.shared: f32[8] @shared
    copy B.shared[0 .. +8] <- B[k.0*8 .. +8]
    reduce k.1 in 0..8 {
      C[0] += A.shared[k.1] * B.shared[k.1]
    }
  }
})");
}

TEST(Padding, OfOneOperandMeetsAnElementThatMayBeInfinite) {
  // 0 * B[...] is no number where B holds an infinity.
  expect_rewrite(R"(func f[N](A: f32[N], B: f32[64], C: f32[1]) {
                      reduce k.0 in 0..8 { reduce k.1 in 0..8 {
                        if (k.0*8 + k.1 < N) { C[0] += A[k.0*8 + k.1] * B[k.0*8 + k.1] }
                      } }
                    })",
                 stages_both(), R"(func f[N](A: f32[N], B: f32[64], C: f32[1]) {
  reduce k.0 in 0..8 {
    alloc A.shared: f32[8] @shared
    copy A.shared[0 .. +8] <- A[k.0*8 .. +8]
    alloc B.shared: f32[8] @shared
    copy B.shared[0 .. +8] <- B[k.0*8 .. +8]
    reduce k.1 in 0..8 {
      if (k.0*8 + k.1 < N) {
        C[0] += A.shared[k.1] * B.shared[k.1]
      }
    }
  }
})");
}

TEST(Padding, DoesNotDivideByIt) {
  expect_rewrite(R"(func f[N](A: i32[N], B: i32[N], C: i32[1]) {
                      reduce k.0 in 0..(N + 7) / 8 { reduce k.1 in 0..8 {
                        if (k.0*8 + k.1 < N) { C[0] += A[k.0*8 + k.1] / (B[k.0*8 + k.1] + 1i32) }
                      } }
                    })",
                 stages_both(), R"(func f[N](A: i32[N], B: i32[N], C: i32[1]) {
  reduce k.0 in 0..(N + 7) / 8 {
    alloc A.shared: i32[8] @shared
    copy A.shared[0 .. +8] <- A[k.0*8 .. +8]
    alloc B.shared: i32[8] @shared
    copy B.shared[0 .. +8] <- B[k.0*8 .. +8]
    reduce k.1 in 0..8 {
      if (k.0*8 + k.1 < N) {
        C[0] += A.shared[k.1] / (B.shared[k.1] + 1i32)
      }
    }
  }
})");
}

TEST(Padding, DoesNotLeadToAnotherElement) {
  // I[...] is read to find the row, also where the guard does not hold.
  expect_rewrite(R"(func f[M](A: f32[16, 4], I: i32[M], C: f32[M]) {
                      for b in 0..(M + 3) / 4 { for t in 0..4 { if (b*4 + t < M) {
                        alloc A.reg: f32[4] @registers
                        copy A.reg[0 .. +4] <- A[index(I[b*4 + t]), 0 .. +4]
                        C[b*4 + t] = A.reg[0] + A.reg[3]
                      } } }
                    })",
                 [](const Function& f) { return in_registers(f, "C", "b"); },
                 R"(func f[M](A: f32[16, 4], I: i32[M], C: f32[M]) {
  for b in 0..(M + 3) / 4 {
    alloc C.reg: f32[4] @registers
    for t in 0..4 @unroll {
      if (b*4 + t < M) {
        alloc A.reg: f32[4] @registers
        copy A.reg[0 .. +4] <- A[index(I[b*4 + t]), 0 .. +4]
        C.reg[t] = A.reg[0] + A.reg[3]
      }
    }
    copy C[b*4 .. +4] <- C.reg[0 .. +4]
  }
})");
}

TEST(Padding, ClipsAwayWhatStandsOnlyInTheTile) {
  expect_rewrite(R"(func f[M](A: f32[64], C: f32[M]) {
                      for b in 0..(M + 3) / 4 { if (b < 16) { for t in 0..4 { if (b*4 + t < M) {
                        C[b*4 + t] = A[b*4 + t]
                      } } } }
                    })",
                 [](const Function& f) { return in_registers(f, "C", "b"); },
                 R"(func f[M](A: f32[64], C: f32[M]) {
  for b in 0..(M + 3) / 4 {
    if (b < 16) {
      alloc C.reg: f32[4] @registers
      for t in 0..4 @unroll {
        C.reg[t] = A[b*4 + t]
      }
      copy C[b*4 .. +4] <- C.reg[0 .. +4]
    }
  }
})");
}

TEST(Padding, ClipsAwayWhatIsReadUnderTheSameGuard) {
  expect_rewrite(R"(func f[M](A: f32[64], C: f32[M], D: f32[16]) {
                      for b in 0..16 { for t in 0..4 { if (b*4 + t < M) {
                        C[b*4 + t] = A[b*4 + t]
                      } } for u in 0..4 { if (b*4 + u < M) { D[b] += C[b*4 + u] } } }
                    })",
                 [](const Function& f) { return in_registers(f, "C", "b"); },
                 R"(func f[M](A: f32[64], C: f32[M], D: f32[16]) {
  for b in 0..16 {
    alloc C.reg: f32[4] @registers
    for t in 0..4 @unroll {
      C.reg[t] = A[b*4 + t]
    }
    for u in 0..4 @unroll {
      if (b*4 + u < M) {
        D[b] += C.reg[u]
      }
    }
    copy C[b*4 .. +4] <- C.reg[0 .. +4]
  }
})");
}

TEST(Padding, DoesNotClipAwayWhatIsReadAgain) {
  // The sum reads C.reg in another order: nothing says that it is the same elements.
  expect_rewrite(R"(func f[M](A: f32[64], C: f32[M], D: f32[16]) {
                      for b in 0..16 { for t in 0..4 { if (b*4 + t < M) {
                        C[b*4 + t] = A[b*4 + t]
                      } } for u in 0..4 { if (b*4 + 3 - u < M) { D[b] += C[b*4 + 3 - u] } } }
                    })",
                 [](const Function& f) { return in_registers(f, "C", "b"); },
                 R"(func f[M](A: f32[64], C: f32[M], D: f32[16]) {
  for b in 0..16 {
    alloc C.reg: f32[4] @registers
    for t in 0..4 @unroll {
      if (b*4 + t < M) {
        C.reg[t] = A[b*4 + t]
      }
    }
    for u in 0..4 @unroll {
      if (b*4 + 3 - u < M) {
        D[b] += C.reg[3 - u]
      }
    }
    copy C[b*4 .. +4] <- C.reg[0 .. +4]
  }
})");
}

/// A tile without the gaps between its runs is written back by loops.
TEST(Padding, IsClippedAwayByLoopsThatWriteBack) {
  expect_rewrite(R"(func f[M](A: f32[4, M], C: f32[M]) {
  for b in 0..(M + 31) / 32 {
    alloc T: f32[4, 2] @registers
    for q in 0..4 {
      for v in 0..2 {
        if (b*32 + q*8 + v < M) {
          T[q, v] = 1.0
        }
      }
    }
    for k in 0..4 {
      alloc S: f32[32] @shared
      copy S[0 .. +32] <- A[k, b*32 .. +32]
      for q.2 in 0..4 {
        for v.2 in 0..2 {
          if (b*32 + q.2*8 + v.2 < M) {
            T[q.2, v.2] += S[q.2*8 + v.2]
          }
        }
      }
    }
    for q.3 in 0..4 {
      for v.3 in 0..2 {
        if (b*32 + q.3*8 + v.3 < M) {
          C[b*32 + q.3*8 + v.3] = T[q.3, v.3]
        }
      }
    }
  }
})",
                 drop_padding_guards, R"(func f[M](A: f32[4, M], C: f32[M]) {
  for b in 0..(M + 31) / 32 {
    alloc T: f32[4, 2] @registers
    for q in 0..4 {
      for v in 0..2 {
        T[q, v] = 1.0
      }
    }
    for k in 0..4 {
      alloc S: f32[32] @shared
      copy S[0 .. +32] <- A[k, b*32 .. +32]
      for q.2 in 0..4 {
        for v.2 in 0..2 {
          T[q.2, v.2] += S[q.2*8 + v.2]
        }
      }
    }
    for q.3 in 0..4 {
      for v.3 in 0..2 {
        if (b*32 + q.3*8 + v.3 < M) {
          C[b*32 + q.3*8 + v.3] = T[q.3, v.3]
        }
      }
    }
  }
})");
}

/// Registers that are copied from a tile hold no more than that: what sets it stands behind the
/// guard.
TEST(Padding, KeepsAGuardOfUpdatesOfWhatOnlyACopyFills) {
  expect_rewrite(
      R"(func f[N](A: f32[2, N], S: f32[N]) {
                      for j in 0..(N + 3) / 4 {
                        alloc T: f32[4] @shared
                        for x in 0..2 {
                          for u in 0..2 { if (j*4 + x*2 + u < N) { T[x*2 + u] = 0.0 } }
                          reduce k in 0..2 { for v in 0..2 { if (j*4 + x*2 + v < N) {
                            T[x*2 + v] += A[k, j*4 + x*2 + v] } } }
                        }
                        for t in 0..4 { if (j*4 + t < N) { S[j*4 + t] = T[t] } }
                      }
                    })",
      [](const Function& f) { return in_registers(in_registers(f, "T", "x"), "A", "k"); },
      R"(func f[N](A: f32[2, N], S: f32[N]) {
  for j in 0..(N + 3) / 4 {
    alloc T: f32[4] @shared
    for x in 0..2 {
      alloc T.reg: f32[2] @registers
      copy T.reg[0 .. +2] <- T[x*2 .. +2]
      for u in 0..2 @unroll {
        if (j*4 + x*2 + u < N) {
          T.reg[u] = 0.0
        }
      }
      reduce k in 0..2 {
        alloc A.reg: f32[2] @registers
        copy A.reg[0 .. +2] <- A[k, j*4 + x*2 .. +2]
        for v in 0..2 @unroll {
          if (j*4 + x*2 + v < N) {
            T.reg[v] += A.reg[v]
          }
        }
      }
      copy T[x*2 .. +2] <- T.reg[0 .. +2]
    }
    for t in 0..4 {
      if (j*4 + t < N) {
        S[j*4 + t] = T[t]
      }
    }
  }
})");
}

}  // namespace padding_tiles_test
}  // namespace hone

#include "fmt/format.h"
#include "gtest/gtest.h"
#include "tests/support/ir/cached_matmul.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace cache_shared_test {

/// Blocks of 2 x 4 elements of C, one a thread, in k-steps of 8.
Function matmul_of_threads(const Function& f) {
  const Rewrite tiles = tile(f, axes(f, {"i", "j"}), {2, 4}, Tail::guard);
  Function g = parted(tiles.function, "k", 8);
  g = bound(bound(g, "i.0", block_y), "j.0", block_x);
  return bound(bound(g, "i.1", thread_y), "j.1", thread_x);
}

TEST(CacheShared, StagesBothOperandsOfAMatmul) {
  expect_rewrite(
      matmul,
      [](const Function& f) {
        const Function g = in_registers(matmul_of_threads(f), "C", "j.1");
        return in_shared(in_shared(g, "A", "k.0"), "B", "k.0");
      },
      R"(func f[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
  for i.0 in 0..(M + 1) / 2 @block.y {
    for j.0 in 0..(N + 3) / 4 @block.x {
      for i.1 in 0..2 @thread.y {
        for j.1 in 0..4 @thread.x {
          alloc C.reg: f32[] @registers
          C.reg[] = 0.0
          reduce k.0 in 0..(K + 7) / 8 {
            alloc A.shared: f32[2, 8] @shared
            copy A.shared[0 .. +2, 0 .. +8] <- A[i.0*2 .. +2, k.0*8 .. +8]
            alloc B.shared: f32[8, 4] @shared
            copy B.shared[0 .. +8, 0 .. +4] <- B[k.0*8 .. +8, j.0*4 .. +4]
            reduce k.1 in 0..8 {
              C.reg[] += A.shared[i.1, k.1] * B.shared[k.1, j.1]
            }
          }
          if (i.0*2 + i.1 < M) {
            if (j.0*4 + j.1 < N) {
              C[i.0*2 + i.1, j.0*4 + j.1] = C.reg[]
            }
          }
        }
      }
    }
  }
})");
}

/// Nothing moves in an iteration that the guard leaves out.
TEST(CacheShared, StandsInsideAGuardThatThreadsShare) {
  expect_rewrite(
      R"(func f[N](A: f32[N], C: f32[N]) {
  for o in 0..2 @block.x {
    for t in 0..(N + 15) / 16 {
      if (t*2 + o < (N + 7) / 8) {
        for i in 0..8 @thread.x {
          if ((t*2 + o)*8 + i < N) {
            C[(t*2 + o)*8 + i] = A[(t*2 + o)*8 + i]
          }
        }
      }
    }
  }
})",
      [](const Function& f) { return in_shared(f, "C", "t"); },
      R"(func f[N](A: f32[N], C: f32[N]) {
  for o in 0..2 @block.x {
    for t in 0..(N + 15) / 16 {
      if (t*2 + o < (N + 7) / 8) {
        alloc C.shared: f32[8] @shared
        for i in 0..8 @thread.x {
          if ((t*2 + o)*8 + i < N) {
            C.shared[i] = A[(t*2 + o)*8 + i]
          }
        }
        copy C[t*16 + o*8 .. +8] <- C.shared[0 .. +8]
      }
    }
  }
})");
}

TEST(CacheShared, KeepsTheGuardWhereOneOperandIsNotPadded) {
  expect_rewrite(
      matmul, [](const Function& f) { return in_shared(matmul_of_threads(f), "A", "k.0"); },
      R"(func f[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
  for i.0 in 0..(M + 1) / 2 @block.y {
    for j.0 in 0..(N + 3) / 4 @block.x {
      for i.1 in 0..2 @thread.y {
        for j.1 in 0..4 @thread.x {
          if (i.0*2 + i.1 < M) {
            if (j.0*4 + j.1 < N) {
              C[i.0*2 + i.1, j.0*4 + j.1] = 0.0
            }
          }
          reduce k.0 in 0..(K + 7) / 8 {
            alloc A.shared: f32[2, 8] @shared
            copy A.shared[0 .. +2, 0 .. +8] <- A[i.0*2 .. +2, k.0*8 .. +8]
            if (i.0*2 + i.1 < M) {
              if (j.0*4 + j.1 < N) {
                reduce k.1 in 0..8 {
                  if (k.0*8 + k.1 < K) {
                    C[i.0*2 + i.1, j.0*4 + j.1] += A.shared[i.1, k.1] * B[k.0*8 + k.1, j.0*4 + j.1]
                  }
                }
              }
            }
          }
        }
      }
    }
  }
})");
}

TEST(CacheShared, HoldsAnAccumulatorUnderABlock) {
  expect_rewrite(
      R"(func f[K](A: f32[32, K], C: f32[32]) {
        for b in 0..4 @block.x {
          for t in 0..8 { C[b*8 + t] = 0.0 }
          reduce k in 0..K { for u in 0..8 { C[b*8 + u] += A[b*8 + u, k] } }
        }
      })",
      [](const Function& f) {
        return bound(bound(in_shared(f, "C", "b"), "t", thread_x), "u", thread_x);
      },
      R"(func f[K](A: f32[32, K], C: f32[32]) {
  for b in 0..4 @block.x {
    alloc C.shared: f32[8] @shared
    for t in 0..8 @thread.x {
      C.shared[t] = 0.0
    }
    reduce k in 0..K {
      for u in 0..8 @thread.x {
        C.shared[u] += A[b*8 + u, k]
      }
    }
    copy C[b*8 .. +8] <- C.shared[0 .. +8]
  }
})");
}

TEST(CacheShared, HoldsATemporaryThatThreadsExchange) {
  expect_rewrite(R"(func f(A: f32[32], T: f32[32], C: f32[32]) {
                      for b in 0..4 @block.x {
                        for t in 0..8 @thread.x { T[b*8 + t] = A[b*8 + t] * 2.0 }
                        for u in 0..8 @thread.x { C[b*8 + u] = T[b*8 + 7 - u] }
                      }
                    })",
                 stages("T", "b"), R"(func f(A: f32[32], T: f32[32], C: f32[32]) {
  for b in 0..4 @block.x {
    alloc T.shared: f32[8] @shared
    for t in 0..8 @thread.x {
      T.shared[t] = A[b*8 + t] * 2.0
    }
    for u in 0..8 @thread.x {
      C[b*8 + u] = T.shared[7 - u]
    }
    copy T[b*8 .. +8] <- T.shared[0 .. +8]
  }
})");
}

TEST(CacheShared, FillsATileThatIsWrittenInPart) {
  expect_rewrite(R"(func f(C: f32[32]) {
                      for b in 0..4 @block.x { for t in 0..4 @thread.x { C[b*8 + t*2] += 1.0 } }
                    })",
                 stages("C", "b"), R"(func f(C: f32[32]) {
  for b in 0..4 @block.x {
    alloc C.shared: f32[7] @shared
    copy C.shared[0 .. +7] <- C[b*8 .. +7]
    for t in 0..4 @thread.x {
      C.shared[t*2] += 1.0
    }
    copy C[b*8 .. +7] <- C.shared[0 .. +7]
  }
})");
}

TEST(CacheShared, FillsWhatACopyReadsBeyondTheEnd) {
  // Elements of T.reg beyond the end of T are 0, not what nothing has written.
  expect_rewrite(
      R"(func f[M](A: f32[M], T: f32[M], C: f32[M]) {
        for b in 0..(M + 7) / 8 {
          for t in 0..8 { if (b*8 + t < M) { T[b*8 + t] = A[b*8 + t] } }
          for h in 0..2 { for j in 0..4 {
            if (b*8 + h*4 + j < M) { C[b*8 + h*4 + j] = T[b*8 + h*4 + j] * 2.0 }
          } }
        }
      })",
      [](const Function& f) { return in_shared(in_registers(f, "T", "h"), "T", "b"); },
      R"(func f[M](A: f32[M], T: f32[M], C: f32[M]) {
  for b in 0..(M + 7) / 8 {
    alloc T.shared: f32[8] @shared
    copy T.shared[0 .. +8] <- T[b*8 .. +8]
    for t in 0..8 {
      if (b*8 + t < M) {
        T.shared[t] = A[b*8 + t]
      }
    }
    for h in 0..2 {
      alloc T.reg: f32[4] @registers
      copy T.reg[0 .. +4] <- T.shared[h*4 .. +4]
      for j in 0..4 @unroll {
        if (b*8 + h*4 + j < M) {
          C[b*8 + h*4 + j] = T.reg[j] * 2.0
        }
      }
    }
    copy T[b*8 .. +8] <- T.shared[0 .. +8]
  }
})");
}

TEST(CacheShared, DoesNotFillWhatCopiesReadWithinTheTensor) {
  expect_rewrite(
      R"(func f(A: f32[32], T: f32[32], C: f32[32]) {
        for b in 0..4 {
          for t in 0..8 { T[b*8 + t] = A[b*8 + t] }
          for h in 0..2 { for j in 0..4 { C[b*8 + h*4 + j] = T[b*8 + h*4 + j] * 2.0 } }
        }
      })",
      [](const Function& f) { return in_shared(in_registers(f, "T", "h"), "T", "b"); },
      R"(func f(A: f32[32], T: f32[32], C: f32[32]) {
  for b in 0..4 {
    alloc T.shared: f32[8] @shared
    for t in 0..8 {
      T.shared[t] = A[b*8 + t]
    }
    for h in 0..2 {
      alloc T.reg: f32[4] @registers
      copy T.reg[0 .. +4] <- T.shared[h*4 .. +4]
      for j in 0..4 @unroll {
        C[b*8 + h*4 + j] = T.reg[j] * 2.0
      }
    }
    copy T[b*8 .. +8] <- T.shared[0 .. +8]
  }
})");
}

TEST(CacheShared, HoldsOneElement) {
  expect_rewrite(R"(func f(A: f32[4], C: f32[4, 8]) {
                      for b in 0..4 @block.x { for t in 0..8 @thread.x { C[b, t] = A[b] } }
                    })",
                 stages("A", "b"), R"(func f(A: f32[4], C: f32[4, 8]) {
  for b in 0..4 @block.x {
    alloc A.shared: f32[] @shared
    A.shared[] = A[b]
    for t in 0..8 @thread.x {
      C[b, t] = A.shared[]
    }
  }
})");
}

TEST(CacheShared, HoldsTheGapsOfAStridedPart) {
  expect_rewrite(R"(func f(A: f32[64], C: f32[4, 4]) {
                      for b in 0..4 @block.x { for t in 0..4 @thread.x { C[b, t] = A[b*16 + t*4] } }
                    })",
                 stages("A", "b"), R"(func f(A: f32[64], C: f32[4, 4]) {
  for b in 0..4 @block.x {
    alloc A.shared: f32[13] @shared
    copy A.shared[0 .. +13] <- A[b*16 .. +13]
    for t in 0..4 @thread.x {
      C[b, t] = A.shared[t*4]
    }
  }
})");
}

TEST(CacheShared, HoldsWhatAllThreadsTouchUnderOneOfThem) {
  expect_rewrite(R"(func f(A: f32[32], C: f32[32]) {
                      for t in 0..32 @thread.x { C[t] = A[31 - t] }
                    })",
                 stages("A", "t"), R"(func f(A: f32[32], C: f32[32]) {
  for t in 0..32 @thread.x {
    alloc A.shared: f32[32] @shared
    copy A.shared[0 .. +32] <- A[0 .. +32]
    C[t] = A.shared[31 - t]
  }
})");
}

/// Bins that data choose may be any: the tile is all of them.
TEST(CacheShared, HoldsTheWholeDimensionThatElementsIndex) {
  expect_rewrite(
      R"(func f[N](A: u8[N, 8], H: i32[N, 256]) {
        for i in 0..N {
          for b in 0..256 { H[i, b] = 0 }
          reduce k in 0..8 { H[i, index(A[i, k])] += 1 } } })",
      stages("H", "i"),
      R"(func f[N](A: u8[N, 8], H: i32[N, 256]) {
  for i in 0..N {
    alloc H.shared: i32[256] @shared
    for b in 0..256 {
      H.shared[b] = 0i32
    }
    reduce k in 0..8 {
      H.shared[index(A[i, k])] += 1i32
    }
    copy H[i, 0 .. +256] <- H.shared[0 .. +256]
  }
})");
}

TEST(CacheShared, HoldsATableThatIsLookedUp) {
  expect_rewrite(
      "func f[N](A: u8[N], T: f32[256], C: f32[N]) "
      "{ for j in 0..1 { for i in 0..N { C[i] = T[index(A[i])] } } }",
      stages("T", "j"), R"(func f[N](A: u8[N], T: f32[256], C: f32[N]) {
  for j in 0..1 {
    alloc T.shared: f32[256] @shared
    copy T.shared[0 .. +256] <- T[0 .. +256]
    for i in 0..N {
      C[i] = T.shared[index(A[i])]
    }
  }
})");
}

TEST(CacheShared, HoldsAPartOfATile) {
  expect_rewrite(
      R"(func f(A: f32[32], C: f32[4, 32]) {
        for b in 0..4 { for h in 0..4 { for t in 0..8 { C[b, h*8 + t] = A[h*8 + t] } } }
      })",
      [](const Function& f) { return in_registers(in_shared(f, "A", "b"), "A.shared", "h"); },
      R"(func f(A: f32[32], C: f32[4, 32]) {
  for b in 0..4 {
    alloc A.shared: f32[32] @shared
    copy A.shared[0 .. +32] <- A[0 .. +32]
    for h in 0..4 {
      alloc A.reg: f32[8] @registers
      copy A.reg[0 .. +8] <- A.shared[h*8 .. +8]
      for t in 0..8 @unroll {
        C[b, h*8 + t] = A.reg[t]
      }
    }
  }
})");
}

/// The copies of all threads set the tile, so nothing fills it first; where they leave elements as
/// they were, something does.
TEST(CacheShared, TakesWhatRegistersAreCopiedTo) {
  const auto rows = [](const char* extent) {
    return fmt::format(R"(func f[N](A: f32[N], C: f32[N]) {{
  for b in 0..(N + 31) / 32 @block.x {{
    for t in 0..8 @thread.x {{
      alloc C.reg: f32[4] @registers
      for i in 0..4 @unroll {{
        if (b*32 + t*4 + i < N) {{
          C.reg[i] = A[b*32 + t*4 + i]
        }}
      }}
      copy C[b*32 + t*4 .. +{0}] <- C.reg[0 .. +{0}]
    }}
  }}
}})",
                       extent);
  };
  const auto staged = [](const char* extent, const char* box, const char* fill) {
    return fmt::format(R"(func f[N](A: f32[N], C: f32[N]) {{
  for b in 0..(N + 31) / 32 @block.x {{
    alloc C.shared: f32[{1}] @shared
{2}    for t in 0..8 @thread.x {{
      alloc C.reg: f32[4] @registers
      for i in 0..4 @unroll {{
        if (b*32 + t*4 + i < N) {{
          C.reg[i] = A[b*32 + t*4 + i]
        }}
      }}
      copy C.shared[t*4 .. +{0}] <- C.reg[0 .. +{0}]
    }}
    copy C[b*32 .. +{1}] <- C.shared[0 .. +{1}]
  }}
}})",
                       extent, box, fill);
  };
  expect_rewrite(rows("4"), stages("C", "b"), staged("4", "32", ""));
  expect_rewrite(rows("3"), stages("C", "b"),
                 staged("3", "31", "    copy C.shared[0 .. +31] <- C[b*32 .. +31]\n"));
}

}  // namespace cache_shared_test
}  // namespace hone

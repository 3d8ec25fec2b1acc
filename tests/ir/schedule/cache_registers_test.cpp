#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "tests/support/ir/cached_matmul.h"

namespace hone {
namespace cache_registers_test {

TEST(CacheRegisters, AccumulatesAScalar) {
  expect_rewrite(matmul, caches("C", "j"),
                 R"(func f[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
  for i in 0..M {
    for j in 0..N {
      alloc C.reg: f32[] @registers
      C.reg[] = 0.0
      reduce k in 0..K {
        C.reg[] += A[i, k] * B[k, j]
      }
      C[i, j] = C.reg[]
    }
  }
})");
}

TEST(CacheRegisters, AccumulatesATileWithGuards) {
  expect_rewrite(
      matmul, [](const Function&) { return caches("C", "j.0")(tiled_matmul()); },
      R"(func f[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
  for i.0 in 0..(M + 1) / 2 {
    for j.0 in 0..(N + 3) / 4 {
      alloc C.reg: f32[2, 4] @registers
      for i.1.init in 0..2 @unroll {
        for j.1.init in 0..4 @unroll {
          C.reg[i.1.init, j.1.init] = 0.0
        }
      }
      reduce k in 0..K {
        for i.1 in 0..2 @unroll {
          for j.1 in 0..4 @unroll {
            if (i.0*2 + i.1 < M) {
              if (j.0*4 + j.1 < N) {
                C.reg[i.1, j.1] += A[i.0*2 + i.1, k] * B[k, j.0*4 + j.1]
              }
            }
          }
        }
      }
      copy C[i.0*2 .. +2, j.0*4 .. +4] <- C.reg[0 .. +2, 0 .. +4]
    }
  }
})");
}

TEST(CacheRegisters, AccumulatesATileWithoutGuards) {
  expect_rewrite(R"(func f(A: f32[8, 6], B: f32[6, 8], C: f32[8, 8]) {
                      for i.0 in 0..4 { for j.0 in 0..2 {
                        for i.init in 0..2 { for j.init in 0..4 {
                          C[i.0*2 + i.init, j.0*4 + j.init] = 0.0
                        } }
                        reduce k in 0..6 {
                          for i.1 in 0..2 { for j.1 in 0..4 {
                            C[i.0*2 + i.1, j.0*4 + j.1] += A[i.0*2 + i.1, k] * B[k, j.0*4 + j.1]
                          } }
                        }
                      } }
                    })",
                 caches("C", "j.0"), R"(func f(A: f32[8, 6], B: f32[6, 8], C: f32[8, 8]) {
  for i.0 in 0..4 {
    for j.0 in 0..2 {
      alloc C.reg: f32[2, 4] @registers
      for i.init in 0..2 @unroll {
        for j.init in 0..4 @unroll {
          C.reg[i.init, j.init] = 0.0
        }
      }
      reduce k in 0..6 {
        for i.1 in 0..2 @unroll {
          for j.1 in 0..4 @unroll {
            C.reg[i.1, j.1] += A[i.0*2 + i.1, k] * B[k, j.0*4 + j.1]
          }
        }
      }
      copy C[i.0*2 .. +2, j.0*4 .. +4] <- C.reg[0 .. +2, 0 .. +4]
    }
  }
})");
}

TEST(CacheRegisters, ReadsAColumn) {
  expect_rewrite(
      matmul, [](const Function&) { return caches("A", "k")(tiled_matmul()); },
      R"(func f[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
  for i.0 in 0..(M + 1) / 2 {
    for j.0 in 0..(N + 3) / 4 {
      for i.1.init in 0..2 {
        for j.1.init in 0..4 {
          if (i.0*2 + i.1.init < M) {
            if (j.0*4 + j.1.init < N) {
              C[i.0*2 + i.1.init, j.0*4 + j.1.init] = 0.0
            }
          }
        }
      }
      reduce k in 0..K {
        alloc A.reg: f32[2] @registers
        copy A.reg[0 .. +2] <- A[i.0*2 .. +2, k]
        for i.1 in 0..2 @unroll {
          for j.1 in 0..4 {
            if (i.0*2 + i.1 < M) {
              if (j.0*4 + j.1 < N) {
                C[i.0*2 + i.1, j.0*4 + j.1] += A.reg[i.1] * B[k, j.0*4 + j.1]
              }
            }
          }
        }
      }
    }
  }
})");
}

TEST(CacheRegisters, ReadsAScalar) {
  expect_rewrite(R"(func f[M, N](A: f32[M], C: f32[M, N]) {
                      for i in 0..M { for j in 0..N { C[i, j] = A[i] } }
                    })",
                 caches("A", "i"), R"(func f[M, N](A: f32[M], C: f32[M, N]) {
  for i in 0..M {
    alloc A.reg: f32[] @registers
    A.reg[] = A[i]
    for j in 0..N {
      C[i, j] = A.reg[]
    }
  }
})");
}

TEST(CacheRegisters, UnderAParallelAxis) {
  expect_rewrite(R"(func f(A: f32[8, 6], C: f32[8]) {
                      for i in 0..8 @thread.x {
                        C[i] = 0.0
                        reduce k in 0..6 { C[i] += A[i, k] }
                      }
                    })",
                 caches("C", "i"), R"(func f(A: f32[8, 6], C: f32[8]) {
  for i in 0..8 @thread.x {
    alloc C.reg: f32[] @registers
    C.reg[] = 0.0
    reduce k in 0..6 {
      C.reg[] += A[i, k]
    }
    C[i] = C.reg[]
  }
})");
}

TEST(CacheRegisters, KeepsGuardsAroundTheTileOutside) {
  expect_rewrite(R"(func f[N](A: f32[N, 6], C: f32[N]) {
                      for i.0 in 0..(N + 3) / 4 { for i.1 in 0..4 {
                        if (i.0*4 + i.1 < N) {
                          C[i.0*4 + i.1] = 0.0
                          reduce k in 0..6 { C[i.0*4 + i.1] += A[i.0*4 + i.1, k] }
                        }
                      } }
                    })",
                 caches("C", "i.1"), R"(func f[N](A: f32[N, 6], C: f32[N]) {
  for i.0 in 0..(N + 3) / 4 {
    for i.1 in 0..4 {
      if (i.0*4 + i.1 < N) {
        alloc C.reg: f32[] @registers
        C.reg[] = 0.0
        reduce k in 0..6 {
          C.reg[] += A[i.0*4 + i.1, k]
        }
        C[i.0*4 + i.1] = C.reg[]
      }
    }
  }
})");
}

TEST(CacheRegisters, OfATileInsideALargerOne) {
  expect_rewrite(
      matmul,
      [](const Function&) {
        const Function g = caches("C", "j.0")(tiled_matmul());
        return caches("B", "k")(g);
      },
      R"(func f[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
  for i.0 in 0..(M + 1) / 2 {
    for j.0 in 0..(N + 3) / 4 {
      alloc C.reg: f32[2, 4] @registers
      for i.1.init in 0..2 @unroll {
        for j.1.init in 0..4 @unroll {
          C.reg[i.1.init, j.1.init] = 0.0
        }
      }
      reduce k in 0..K {
        alloc B.reg: f32[4] @registers
        copy B.reg[0 .. +4] <- B[k, j.0*4 .. +4]
        for i.1 in 0..2 @unroll {
          for j.1 in 0..4 @unroll {
            if (i.0*2 + i.1 < M) {
              C.reg[i.1, j.1] += A[i.0*2 + i.1, k] * B.reg[j.1]
            }
          }
        }
      }
      copy C[i.0*2 .. +2, j.0*4 .. +4] <- C.reg[0 .. +2, 0 .. +4]
    }
  }
})");
}

TEST(CacheRegisters, OfOneOfTwoCopiesOfAStatement) {
  // Both loops hold the very same statement.
  expect_rewrite(
      "func f[N](C: f32[1]) { reduce k in 0..N { C[0] += 1.0 } }",
      [](const Function& f) {
        const Rewrite parts = split(f, axis(f, "k"), 4, Tail::peel);
        const Function& g = parts.function;
        return cache_registers(g, tensor(g, "C"), parts.axes[2]).function;
      },
      R"(func f[N](C: f32[1]) {
  reduce k.0 in 0..N / 4 {
    reduce k.1 in 0..4 {
      C[0] += 1.0
    }
  }
  reduce k.tail in 0..N % 4 {
    alloc C.reg: f32[] @registers
    C.reg[] = C[0]
    C.reg[] += 1.0
    C[0] = C.reg[]
  }
})");
}

TEST(CacheRegisters, OfAGatheredRow) {
  expect_rewrite(R"(func f[N](P: i32[N], E: f32[4, 4], C: f32[N, 4]) {
                      for i in 0..N { for j in 0..4 { C[i, j] = E[index(P[i]), j] } }
                    })",
                 caches("E", "i"), R"(func f[N](P: i32[N], E: f32[4, 4], C: f32[N, 4]) {
  for i in 0..N {
    alloc E.reg: f32[4] @registers
    copy E.reg[0 .. +4] <- E[index(P[i]), 0 .. +4]
    for j in 0..4 @unroll {
      C[i, j] = E.reg[j]
    }
  }
})");
}

TEST(CacheRegisters, ReturnsTheTile) {
  const Function f = parse_function(matmul);
  const Rewrite result = cache_registers(f, tensor(f, "C"), axis(f, "j"));
  EXPECT_EQ(result.tensor->name, "C.reg");
  EXPECT_EQ(result.tensor->scope, Scope::registers);
}

}  // namespace cache_registers_test
}  // namespace hone

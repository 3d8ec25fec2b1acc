#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace reorder_test {

constexpr const char* matmul = R"(func f[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
  for i in 0..M {
    for j in 0..N {
      C[i, j] = 0.0
      reduce k in 0..K { C[i, j] += A[i, k] * B[k, j] }
    }
  }
})";

TEST(Reorder, TwoLoops) {
  expect_rewrite(R"(func f[M, N](A: f32[M, N], C: f32[M, N]) {
                      for i in 0..M { for j in 0..N { C[i, j] = A[i, j] } }
                    })",
                 reorders({"j", "i"}), R"(func f[M, N](A: f32[M, N], C: f32[M, N]) {
  for j in 0..N {
    for i in 0..M {
      C[i, j] = A[i, j]
    }
  }
})");
}

TEST(Reorder, ToTheSameOrderChangesNothing) {
  const Function f = parse_function(matmul);
  EXPECT_TRUE(reorder(f, axes(f, {"i", "k"})).function.body.same_as(f.body));
}

TEST(Reorder, LeavesLoopsBetweenInTheirPlaces) {
  expect_rewrite(R"(func f[L, M, N](C: f32[L, M, N]) {
                      for i in 0..L { for j in 0..M { for k in 0..N { C[i, j, k] = 1.0 } } }
                    })",
                 reorders({"k", "i"}), R"(func f[L, M, N](C: f32[L, M, N]) {
  for k in 0..N {
    for j in 0..M {
      for i in 0..L {
        C[i, j, k] = 1.0
      }
    }
  }
})");
}

TEST(Reorder, SpatialLoopsTakeTheInitialisationAlong) {
  expect_rewrite(matmul, reorders({"j", "i"}),
                 R"(func f[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
  for j in 0..N {
    for i in 0..M {
      C[i, j] = 0.0
      reduce k in 0..K {
        C[i, j] += A[i, k] * B[k, j]
      }
    }
  }
})");
}

TEST(Reorder, LiftsAReductionOverOneLoop) {
  expect_rewrite(matmul, reorders({"k", "j"}),
                 R"(func f[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
  for i in 0..M {
    for j.init in 0..N {
      C[i, j.init] = 0.0
    }
    reduce k in 0..K {
      for j in 0..N {
        C[i, j] += A[i, k] * B[k, j]
      }
    }
  }
})");
}

TEST(Reorder, LiftsAReductionOverTwoLoops) {
  expect_rewrite(matmul, reorders({"k", "i", "j"}),
                 R"(func f[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
  for i.init in 0..M {
    for j.init in 0..N {
      C[i.init, j.init] = 0.0
    }
  }
  reduce k in 0..K {
    for i in 0..M {
      for j in 0..N {
        C[i, j] += A[i, k] * B[k, j]
      }
    }
  }
})");
}

TEST(Reorder, LiftsAReductionBetweenSwappedLoops) {
  expect_rewrite(matmul, reorders({"j", "k", "i"}),
                 R"(func f[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
  for j in 0..N {
    for i.init in 0..M {
      C[i.init, j] = 0.0
    }
    reduce k in 0..K {
      for i in 0..M {
        C[i, j] += A[i, k] * B[k, j]
      }
    }
  }
})");
}

TEST(Reorder, LiftsAReductionPastGuards) {
  expect_rewrite(
      matmul,
      [](const Function& f) {
        const Rewrite rows = split(f, axis(f, "i"), 4, Tail::guard);
        const Rewrite columns = split(rows.function, axis(rows.function, "j"), 8, Tail::guard);
        return reorder(columns.function,
                       {rows.axes[0], columns.axes[0], axis(columns.function, "k"), rows.axes[1],
                        columns.axes[1]})
            .function;
      },
      R"(func f[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
  for i.0 in 0..(M + 3) / 4 {
    for j.0 in 0..(N + 7) / 8 {
      for i.1.init in 0..4 {
        for j.1.init in 0..8 {
          if (i.0*4 + i.1.init < M) {
            if (j.0*8 + j.1.init < N) {
              C[i.0*4 + i.1.init, j.0*8 + j.1.init] = 0.0
            }
          }
        }
      }
      reduce k in 0..K {
        for i.1 in 0..4 {
          for j.1 in 0..8 {
            if (i.0*4 + i.1 < M) {
              if (j.0*8 + j.1 < N) {
                C[i.0*4 + i.1, j.0*8 + j.1] += A[i.0*4 + i.1, k] * B[k, j.0*8 + j.1]
              }
            }
          }
        }
      }
    }
  }
})");
}

TEST(Reorder, LiftsPartOfAReduction) {
  expect_rewrite(
      matmul,
      [](const Function& f) {
        const Rewrite steps = split(f, axis(f, "k"), 4, Tail::guard);
        const Function& g = steps.function;
        return reorder(g, {steps.axes[0], axis(g, "j"), steps.axes[1]}).function;
      },
      R"(func f[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
  for i in 0..M {
    for j.init in 0..N {
      C[i, j.init] = 0.0
    }
    reduce k.0 in 0..(K + 3) / 4 {
      for j in 0..N {
        reduce k.1 in 0..4 {
          if (k.0*4 + k.1 < K) {
            C[i, j] += A[i, k.0*4 + k.1] * B[k.0*4 + k.1, j]
          }
        }
      }
    }
  }
})");
}

TEST(Reorder, MovesBindings) {
  expect_rewrite(R"(func f(A: f32[8, 4], C: f32[8]) {
                      for i in 0..8 @thread.x { reduce k in 0..4 { C[i] += A[i, k] } }
                    })",
                 reorders({"k", "i"}), R"(func f(A: f32[8, 4], C: f32[8]) {
  reduce k in 0..4 {
    for i in 0..8 @thread.x {
      C[i] += A[i, k]
    }
  }
})");
}

}  // namespace reorder_test
}  // namespace hone

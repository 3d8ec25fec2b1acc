#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "tests/support/ir/expect_rewrite.h"

namespace hone {
namespace {

Rewriting reorders(std::initializer_list<llvm::StringRef> names) {
  const std::vector<llvm::StringRef> order(names);
  return [=](const Function& f) {
    llvm::SmallVector<AxisPtr, 4> named;
    for (llvm::StringRef name : order) named.push_back(axis(f, name));
    return reorder(f, named).function;
  };
}

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

TEST(Reorder, DistributesStatementsAfterTheReduction) {
  expect_rewrite(R"(func f[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N], D: f32[M, N]) {
                      for i in 0..M {
                        for j in 0..N {
                          C[i, j] = 0.0
                          reduce k in 0..K { C[i, j] += A[i, k] * B[k, j] }
                          D[i, j] = max(C[i, j], 0.0)
                          C[i, j] = 1.0
                        }
                      }
                    })",
                 reorders({"k", "i", "j"}),
                 R"(func f[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N], D: f32[M, N]) {
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
  for i.post in 0..M {
    for j.post in 0..N {
      D[i.post, j.post] = max(C[i.post, j.post], 0.0)
    }
  }
  for i.post_2 in 0..M {
    for j.post_2 in 0..N {
      C[i.post_2, j.post_2] = 1.0
    }
  }
})");
}

TEST(Reorder, DistributesStatementsOfTwoDepths) {
  expect_rewrite(R"(func f[M, N, K](A: f32[M, N, K], C: f32[M, N], R: f32[M]) {
                      for i in 0..M {
                        R[i] = 0.0
                        for j in 0..N {
                          C[i, j] = 0.0
                          reduce k in 0..K { C[i, j] += A[i, j, k] }
                          R[i] += C[i, j]
                        }
                        R[i] *= 2.0
                      }
                    })",
                 reorders({"k", "j"}),
                 R"(func f[M, N, K](A: f32[M, N, K], C: f32[M, N], R: f32[M]) {
  for i in 0..M {
    R[i] = 0.0
    for j.init in 0..N {
      C[i, j.init] = 0.0
    }
    reduce k in 0..K {
      for j in 0..N {
        C[i, j] += A[i, j, k]
      }
    }
    for j.post in 0..N {
      R[i] += C[i, j.post]
    }
    R[i] *= 2.0
  }
})");
}

/// Both stand in the loops over i and j alone: the one under the guard came first.
TEST(Reorder, KeepsStatementsBehindThoseOfAnInnerSequence) {
  expect_rewrite(R"(func f[M, N, K](A: f32[M, N, K], C: f32[M, N], R: f32[M, N]) {
                      for i in 0..M {
                        for j in 0..N {
                          if (i < 4) {
                            for k in 0..K { C[i, j] += A[i, j, k] }
                            C[i, j] *= 2.0
                          }
                          R[i, j] = C[i, j]
                        }
                      }
                    })",
                 reorders({"k", "j"}),
                 R"(func f[M, N, K](A: f32[M, N, K], C: f32[M, N], R: f32[M, N]) {
  for i in 0..M {
    for k in 0..K {
      for j in 0..N {
        if (i < 4) {
          C[i, j] += A[i, j, k]
        }
      }
    }
    for j.post in 0..N {
      if (i < 4) {
        C[i, j.post] *= 2.0
      }
    }
    for j.post_2 in 0..N {
      R[i, j.post_2] = C[i, j.post_2]
    }
  }
})");
}

TEST(Reorder, DistributesStatementsOfTwoDepthsOverBothLoops) {
  expect_rewrite(R"(func f[M, N, K](A: f32[M, N, K], C: f32[M, N], R: f32[M]) {
                      for i in 0..M {
                        R[i] = 0.0
                        for j in 0..N {
                          C[i, j] = 0.0
                          reduce k in 0..K { C[i, j] += A[i, j, k] }
                          R[i] += C[i, j]
                        }
                        R[i] *= 2.0
                      }
                    })",
                 reorders({"k", "i", "j"}),
                 R"(func f[M, N, K](A: f32[M, N, K], C: f32[M, N], R: f32[M]) {
  for i.init in 0..M {
    R[i.init] = 0.0
  }
  for i.init_2 in 0..M {
    for j.init in 0..N {
      C[i.init_2, j.init] = 0.0
    }
  }
  reduce k in 0..K {
    for i in 0..M {
      for j in 0..N {
        C[i, j] += A[i, j, k]
      }
    }
  }
  for i.post in 0..M {
    for j.post in 0..N {
      R[i.post] += C[i.post, j.post]
    }
  }
  for i.post_2 in 0..M {
    R[i.post_2] *= 2.0
  }
})");
}

TEST(Reorder, KeepsANeighbourUnderTheLoopsThatStayOutside) {
  // S is used again for every i: what stays outside keeps the order of its iterations.
  expect_rewrite(R"(func f[M, N, K](A: f32[M, N, K], S: f32[N], C: f32[M, N]) {
                      for i in 0..M {
                        for j in 0..N {
                          S[j] = 0.0
                          reduce k in 0..K { S[j] += A[i, j, k] }
                          C[i, j] = S[j]
                        }
                      }
                    })",
                 reorders({"k", "j"}),
                 R"(func f[M, N, K](A: f32[M, N, K], S: f32[N], C: f32[M, N]) {
  for i in 0..M {
    for j.init in 0..N {
      S[j.init] = 0.0
    }
    reduce k in 0..K {
      for j in 0..N {
        S[j] += A[i, j, k]
      }
    }
    for j.post in 0..N {
      C[i, j.post] = S[j.post]
    }
  }
})");
}

TEST(Reorder, KeepsAReductionThatIsLiftedOverItself) {
  expect_rewrite(R"(func f[K, L](A: f32[K, L], C: f32[1]) {
                      reduce k in 0..K { reduce l in 0..L { C[0] max= A[k, l] } }
                    })",
                 reorders({"l", "k"}), R"(func f[K, L](A: f32[K, L], C: f32[1]) {
  reduce l in 0..L {
    reduce k in 0..K {
      C[0] max= A[k, l]
    }
  }
})");
}

TEST(Reorder, KeepsADependenceOfTheLoopsThatStay) {
  expect_rewrite(R"(func f[N](A: f32[N + 1, N, N]) {
                      for t in 0..N { for i in 0..N { for j in 0..N {
                        A[t + 1, i, j] = A[t, i, j] + 1.0
                      } } }
                    })",
                 reorders({"j", "i"}), R"(func f[N](A: f32[N + 1, N, N]) {
  for t in 0..N {
    for j in 0..N {
      for i in 0..N {
        A[t + 1, i, j] = A[t, i, j] + 1.0
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

}  // namespace
}  // namespace hone

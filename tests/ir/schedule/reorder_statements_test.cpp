// Reordering past statements beside the reduction: it distributes them, or leaves them where they
// are.
#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace reorder_statements_test {

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

constexpr const char* statements_of_two_depths =
    R"(func f[M, N, K](A: f32[M, N, K], C: f32[M, N], R: f32[M]) {
  for i in 0..M {
    R[i] = 0.0
    for j in 0..N {
      C[i, j] = 0.0
      reduce k in 0..K { C[i, j] += A[i, j, k] }
      R[i] += C[i, j]
    }
    R[i] *= 2.0
  }
})";

TEST(Reorder, DistributesStatementsOfTwoDepths) {
  expect_rewrite(statements_of_two_depths, reorders({"k", "j"}),
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
  expect_rewrite(statements_of_two_depths, reorders({"k", "i", "j"}),
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

}  // namespace reorder_statements_test
}  // namespace hone

#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "tests/support/ir/expect_rewrite.h"

namespace hone {
namespace fuse_test {

Rewriting fuses(llvm::StringRef outer, llvm::StringRef inner) {
  return [=](const Function& f) { return fuse(f, axis(f, outer), axis(f, inner)).function; };
}

TEST(Fuse, TwoLoops) {
  expect_rewrite(R"(func f(A: f32[4, 6], C: f32[4, 6]) {
                      for i in 0..4 { for j in 0..6 { C[i, j] = A[i, j] } }
                    })",
                 fuses("i", "j"), R"(func f(A: f32[4, 6], C: f32[4, 6]) {
  for i_j in 0..24 {
    C[i_j / 6, i_j % 6] = A[i_j / 6, i_j % 6]
  }
})");
}

TEST(Fuse, TwoSymbolicLoops) {
  expect_rewrite(R"(func f[M, N](A: f32[M, N], C: f32[M, N]) {
                      for i in 0..M { for j in 0..N { C[i, j] = A[i, j] } }
                    })",
                 fuses("i", "j"), R"(func f[M, N](A: f32[M, N], C: f32[M, N]) {
  for i_j in 0..M*N {
    C[i_j / N, i_j % N] = A[i_j / N, i_j % N]
  }
})");
}

TEST(Fuse, UndoesASplit) {
  expect_rewrite(
      "func f[N](C: f32[N]) { for i in 0..N { C[i] = 1.0 } }",
      [](const Function& f) {
        const Rewrite parts = split(f, axis(f, "i"), 4, Tail::guard);
        return fuse(parts.function, parts.axes[0], parts.axes[1]).function;
      },
      R"(func f[N](C: f32[N]) {
  for i.0_i.1 in 0..((N + 3) / 4)*4 {
    if (i.0_i.1 < N) {
      C[i.0_i.1] = 1.0
    }
  }
})");
}

TEST(Fuse, UndoesAnExactSplit) {
  expect_rewrite(
      "func f(C: f32[12]) { for i in 0..12 { C[i] = 1.0 } }",
      [](const Function& f) {
        const Rewrite parts = split(f, axis(f, "i"), 4, Tail::guard);
        return fuse(parts.function, parts.axes[0], parts.axes[1]).function;
      },
      R"(func f(C: f32[12]) {
  for i.0_i.1 in 0..12 {
    C[i.0_i.1] = 1.0
  }
})");
}

TEST(Fuse, TakesTheGuardBetweenIn) {
  expect_rewrite(R"(func f[M, N](C: f32[M, N]) {
                      for i in 0..M { if (i % 2 == 0) { for j in 0..N { C[i, j] = 1.0 } } }
                    })",
                 fuses("i", "j"), R"(func f[M, N](C: f32[M, N]) {
  for i_j in 0..M*N {
    if (i_j / N % 2 == 0) {
      C[i_j / N, i_j % N] = 1.0
    }
  }
})");
}

TEST(Fuse, TakesAGuardInThatReadsWhatStays) {
  expect_rewrite(R"(func f[M, N](A: f32[M], C: f32[M, N]) {
                      for i in 0..M { if (A[i] > 0.0) { for j in 0..N { C[i, j] = 1.0 } } }
                    })",
                 fuses("i", "j"), R"(func f[M, N](A: f32[M], C: f32[M, N]) {
  for i_j in 0..M*N {
    if (A[i_j / N] > 0.0) {
      C[i_j / N, i_j % N] = 1.0
    }
  }
})");
}

TEST(Fuse, TwoReductions) {
  expect_rewrite(R"(func f[K, L](A: f32[K, L], C: f32[1]) {
                      reduce k in 0..K { reduce l in 0..L { C[0] += A[k, l] } }
                    })",
                 fuses("k", "l"), R"(func f[K, L](A: f32[K, L], C: f32[1]) {
  reduce k_l in 0..K*L {
    C[0] += A[k_l / L, k_l % L]
  }
})");
}

TEST(Fuse, ThreeLoops) {
  expect_rewrite(R"(func f[L, M, N](C: f32[L, M, N]) {
                      for i in 0..L { for j in 0..M { for k in 0..N { C[i, j, k] = 1.0 } } }
                    })",
                 [](const Function& f) {
                   const Rewrite outer = fuse(f, axis(f, "i"), axis(f, "j"));
                   return fuse(outer.function, outer.axes[0], axis(f, "k")).function;
                 },
                 R"(func f[L, M, N](C: f32[L, M, N]) {
  for i_j_k in 0..L*M*N {
    C[i_j_k / N / M, i_j_k / N % M, i_j_k % N] = 1.0
  }
})");
}

TEST(Fuse, JoinsTheRoots) {
  const Function f = parse_function(
      "func f(C: f32[4, 6]) { for i.0 in 0..4 { for j.1 in 0..6 { C[i.0, j.1] = 1.0 } } }");
  const AxisPtr fused = fuse(f, axis(f, "i.0"), axis(f, "j.1")).axes[0];
  EXPECT_EQ(fused->name, "i.0_j.1");
  EXPECT_EQ(std::vector<std::string>(fused->roots.begin(), fused->roots.end()),
            (std::vector<std::string>{"i", "j"}));
}

TEST(Fuse, RefusesLoopsTheWrongWayRound) {
  expect_refusal("func f(C: f32[4, 6]) { for i in 0..4 { for j in 0..6 { C[i, j] = 1.0 } } }",
                 fuses("j", "i"), R"(error: fuse: j stands inside i
  for i in 0..4 {                    <-- here
    for j in 0..6 {
      C[i, j] = 1.0
note: the outer axis comes first: fuse(i, j))");
}

TEST(Fuse, RefusesAnAxisWithItself) {
  expect_refusal("func f(C: f32[4]) { for i in 0..4 { C[i] = 1.0 } }", fuses("i", "i"),
                 R"(error: fuse: i is not the only statement of i
  for i in 0..4 {                    <-- here
    C[i] = 1.0
note: fuse takes two loops of which one directly encloses the other; reorder or fission brings them together)");
}

TEST(Fuse, RefusesAnotherStatementBetween) {
  expect_refusal(R"(func f(C: f32[4], D: f32[4, 6]) {
                      for i in 0..4 { C[i] = 1.0 for j in 0..6 { D[i, j] = 2.0 } }
                    })",
                 fuses("i", "j"), R"(error: fuse: j is not the only statement of i
  for i in 0..4 {                    <-- here
    C[i] = 1.0
    for j in 0..6 {
note: fuse takes two loops of which one directly encloses the other; reorder or fission brings them together)");
}

TEST(Fuse, RefusesAxesOfTwoKinds) {
  expect_refusal(R"(func f(A: f32[4, 6], C: f32[4]) {
                      for i in 0..4 { reduce k in 0..6 { C[i] += A[i, k] } }
                    })",
                 fuses("i", "k"), R"(error: fuse: i is a spatial axis and k is a reduction axis
  for i in 0..4 {                    <-- here
    reduce k in 0..6 {
      C[i] += A[i, k]
note: only axes of one kind fuse)");
}

TEST(Fuse, RefusesABoundAxis) {
  expect_refusal(
      "func f(C: f32[4, 6]) { for i in 0..4 @block.x { for j in 0..6 { C[i, j] = 1.0 } } }",
      fuses("i", "j"), R"(error: fuse: i is bound to block.x already
  for i in 0..4 @block.x {           <-- here
    for j in 0..6 {
      C[i, j] = 1.0
note: fuse it before binding it)");
}

TEST(Fuse, RefusesAGuardThatTheBodyChanges) {
  expect_refusal(
      R"(func f(A: f32[4], C: f32[4, 6]) {
                      for i in 0..4 {
                        if (A[i] > 0.0) { for j in 0..6 { C[i, j] = 1.0 A[i] = -1.0 } }
                      }
                    })",
      fuses("i", "j"),
      R"(error: fuse: the guard A[i] > 0.0 stands between i and j, and A[i] changes what it reads
  for i in 0..4 {
    if (A[i] > 0.0) {
      for j in 0..6 {
        A[i] = -1.0                  <-- here)");
}

TEST(Fuse, RefusesExtentsThatOverflow) {
  expect_refusal(
      R"(func f(C: f32[1]) {
                      reduce k in 0..4611686018427387904 { reduce l in 0..4 { C[0] += 1.0 } }
                    })",
      fuses("k", "l"),
      R"(error: fuse: the extents 4611686018427387904 and 4 multiply to more than 63 bits hold
  reduce k in 0..4611686018427387904 {  <-- here
    reduce l in 0..4 {
      C[0] += 1.0)");
}

}  // namespace fuse_test
}  // namespace hone

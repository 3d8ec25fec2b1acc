#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "tests/support/ir/expect_rewrite.h"

namespace hone {
namespace fission_test {

Rewriting fissions(llvm::StringRef name) {
  return [=](const Function& f) { return fission(f, axis(f, name)).function; };
}

TEST(Fission, GivesEachStatementALoop) {
  expect_rewrite(R"(func f[N](A: f32[N], C: f32[N], D: f32[N]) {
                      for i in 0..N { C[i] = A[i] D[i] = C[i] + 1.0 }
                    })",
                 fissions("i"), R"(func f[N](A: f32[N], C: f32[N], D: f32[N]) {
  for i.0 in 0..N {
    C[i.0] = A[i.0]
  }
  for i.1 in 0..N {
    D[i.1] = C[i.1] + 1.0
  }
})");
}

TEST(Fission, SeparatesAnInitialisation) {
  expect_rewrite(R"(func f[M, N](A: f32[M, N], C: f32[M]) {
                      for i in 0..M { C[i] = 0.0 reduce k in 0..N { C[i] += A[i, k] } }
                    })",
                 fissions("i"), R"(func f[M, N](A: f32[M, N], C: f32[M]) {
  for i.0 in 0..M {
    C[i.0] = 0.0
  }
  for i.1 in 0..M {
    reduce k in 0..N {
      C[i.1] += A[i.1, k]
    }
  }
})");
}

TEST(Fission, RepeatsTheGuards) {
  expect_rewrite(R"(func f[N](C: f32[N], D: f32[N]) {
                      for i in 0..N { if (i % 2 == 0) { if (i < 5) { C[i] = 1.0 D[i] = 2.0 } } }
                    })",
                 fissions("i"), R"(func f[N](C: f32[N], D: f32[N]) {
  for i.0 in 0..N {
    if (i.0 % 2 == 0) {
      if (i.0 < 5) {
        C[i.0] = 1.0
      }
    }
  }
  for i.1 in 0..N {
    if (i.1 % 2 == 0) {
      if (i.1 < 5) {
        D[i.1] = 2.0
      }
    }
  }
})");
}

TEST(Fission, KeepsTheKind) {
  expect_rewrite(R"(func f[N](A: f32[N], C: f32[1], D: f32[1]) {
                      reduce k in 0..N { C[0] += A[k] D[0] max= A[k] }
                    })",
                 fissions("k"), R"(func f[N](A: f32[N], C: f32[1], D: f32[1]) {
  reduce k.0 in 0..N {
    C[0] += A[k.0]
  }
  reduce k.1 in 0..N {
    D[0] max= A[k.1]
  }
})");
}

TEST(Fission, OfUpdatesThatCommute) {
  expect_rewrite(R"(func f[N](A: f32[N], C: f32[1]) {
                      reduce k in 0..N { C[0] += A[k] C[0] += 1.0 }
                    })",
                 fissions("k"), R"(func f[N](A: f32[N], C: f32[1]) {
  reduce k.0 in 0..N {
    C[0] += A[k.0]
  }
  reduce k.1 in 0..N {
    C[0] += 1.0
  }
})");
}

TEST(Fission, ReturnsTheAxes) {
  const Function f = parse_function(
      "func f(C: f32[4], D: f32[4]) { for i in 0..4 { C[i] = 1.0 D[i] = 2.0 C[i] = 3.0 } }");
  const Rewrite result = fission(f, axis(f, "i"));
  ASSERT_EQ(result.axes.size(), 3u);
  EXPECT_EQ(result.axes[2]->name, "i.2");
}

TEST(Fission, RefusesASingleStatement) {
  expect_refusal("func f(C: f32[4]) { for i in 0..4 { C[i] = 1.0 } }", fissions("i"),
                 R"(error: fission: the body of i is a single statement
  for i in 0..4 {                    <-- here
    C[i] = 1.0
note: fission takes a loop over several statements)");
}

TEST(Fission, RefusesAStatementUnderAnAlloc) {
  expect_refusal(R"(func f(C: f32[4]) {
                      for i in 0..4 { alloc s: f32[] @registers s[] = 1.0 C[i] = s[] }
                    })",
                 fissions("i"), R"(error: fission: the body of i is a single statement
  for i in 0..4 {                    <-- here
    alloc s: f32[] @registers
    s[] = 1.0
note: fission takes a loop over several statements)");
}

TEST(Fission, RefusesACarriedRead) {
  expect_refusal(
      R"(func f(A: f32[9], C: f32[9]) {
                      for i in 0..8 { A[i + 1] = C[i] C[i + 1] = A[i] }
                    })",
      fissions("i"),
      R"(error: fission: an iteration of i may touch C[i + 1] while an earlier one touches C[i]
  for i in 0..8 {
    C[i + 1] = A[i]                  <-- here
note: the second loop would run after all iterations of the first)");
}

TEST(Fission, RefusesAScalarThatCarriesAValue) {
  expect_refusal(
      R"(func f(A: f32[8], C: f32[8], T: f32[1]) {
                      for i in 0..8 { T[0] = A[i] C[i] = T[0] }
                    })",
      fissions("i"),
      R"(error: fission: an iteration of i may touch T[0] while an earlier one touches T[0]
  for i in 0..8 {
    C[i] = T[0]                      <-- here
note: the second loop would run after all iterations of the first)");
}

TEST(Fission, RefusesUpdatesOfDifferentKinds) {
  expect_refusal(
      R"(func f(A: f32[8], C: f32[1]) {
                      reduce k in 0..8 { C[0] += A[k] C[0] *= A[k] }
                    })",
      fissions("k"),
      R"(error: fission: an iteration of k may touch C[0] while an earlier one touches C[0]
  reduce k in 0..8 {
    C[0] *= A[k]                     <-- here
note: the second loop would run after all iterations of the first)");
}

TEST(Fission, RefusesAGuardThatAStatementChanges) {
  expect_refusal(
      R"(func f(A: f32[8], C: f32[8]) {
                      for i in 0..8 { if (A[i] > 0.0) { A[i] = -1.0 C[i] = 1.0 } }
                    })",
      fissions("i"),
      R"(error: fission: the guard A[i] > 0.0 holds for several statements, and A[i] changes what it reads
  for i in 0..8 {
    if (A[i] > 0.0) {
      A[i] = -1.0                    <-- here)");
}

TEST(Fission, RefusesABoundAxis) {
  expect_refusal("func f(C: f32[4]) { for i in 0..4 @parallel { C[i] = 1.0 C[i] = 2.0 } }",
                 fissions("i"), R"(error: fission: i is bound to parallel already
  for i in 0..4 @parallel {          <-- here
    C[i] = 1.0
    C[i] = 2.0
note: fission it before binding it)");
}

}  // namespace fission_test
}  // namespace hone

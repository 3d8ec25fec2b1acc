#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "tests/support/ir/expect_rewrite.h"

namespace hone {
namespace merge_test {

Rewriting merges(llvm::StringRef first, llvm::StringRef second) {
  return [=](const Function& f) { return merge(f, axis(f, first), axis(f, second)).function; };
}

TEST(Merge, MakesOneLoopOfTwo) {
  expect_rewrite(R"(func f[N](A: f32[N], C: f32[N], D: f32[N]) {
                      for i in 0..N { C[i] = A[i] }
                      for j in 0..N { D[j] = C[j] + 1.0 }
                    })",
                 merges("i", "j"), R"(func f[N](A: f32[N], C: f32[N], D: f32[N]) {
  for i in 0..N {
    C[i] = A[i]
    D[i] = C[i] + 1.0
  }
})");
}

TEST(Merge, KeepsWhatStandsAround) {
  expect_rewrite(R"(func f(A: f32[8], C: f32[8], D: f32[8]) {
                      for h in 0..2 {
                        C[h] = 0.0
                        for i in 0..8 { if (i < 5) { C[i] = A[i] } }
                        for j in 0..8 { for k in 0..2 { D[j] = A[k] } }
                        D[h] = 1.0
                      }
                    })",
                 merges("i", "j"), R"(func f(A: f32[8], C: f32[8], D: f32[8]) {
  for h in 0..2 {
    C[h] = 0.0
    for i in 0..8 {
      if (i < 5) {
        C[i] = A[i]
      }
      for k in 0..2 {
        D[i] = A[k]
      }
    }
    D[h] = 1.0
  }
})");
}

// The loops that fill two tiles, as copy_loops leaves them.
TEST(Merge, ReachesIntoAnAlloc) {
  expect_rewrite(R"(func f(A: f32[8], B: f32[8], C: f32[8]) {
                      alloc S: f32[8] @shared
                      for i in 0..8 { S[i] = A[i] }
                      alloc T: f32[8] @shared
                      alloc U: f32[8] @shared
                      for j in 0..8 { T[j] = B[j] }
                      for k in 0..8 { C[k] = S[k] + T[7 - k] }
                    })",
                 merges("i", "j"), R"(func f(A: f32[8], B: f32[8], C: f32[8]) {
  alloc S: f32[8] @shared
  alloc T: f32[8] @shared
  alloc U: f32[8] @shared
  for i in 0..8 {
    S[i] = A[i]
    T[i] = B[i]
  }
  for k in 0..8 {
    C[k] = S[k] + T[7 - k]
  }
})");
}

TEST(Merge, MakesOnePassOfTwoSums) {
  expect_rewrite(R"(func f[N](A: f32[N], S: f32[1], T: f32[1]) {
                      S[0] = 0.0
                      T[0] = 0.0
                      reduce k in 0..N { S[0] += A[k] }
                      reduce l in 0..N { T[0] += A[l] * A[l] }
                    })",
                 merges("k", "l"), R"(func f[N](A: f32[N], S: f32[1], T: f32[1]) {
  S[0] = 0.0
  T[0] = 0.0
  reduce k in 0..N {
    S[0] += A[k]
    T[0] += A[k] * A[k]
  }
})");
}

TEST(Merge, TakesEqualExtentsHoweverTheyAreWritten) {
  expect_rewrite(R"(func f[N](C: f32[N*2], D: f32[N*2]) {
                      for i in 0..N*2 { C[i] = 1.0 }
                      for j in 0..N + N { D[j] = 2.0 }
                    })",
                 merges("i", "j"), R"(func f[N](C: f32[N*2], D: f32[N*2]) {
  for i in 0..N*2 {
    C[i] = 1.0
    D[i] = 2.0
  }
})");
}

TEST(Merge, KeepsTheFirstAxis) {
  const Function f = parse_function(
      "func f(C: f32[4]) { for i in 0..4 { C[i] = 1.0 } for j in 0..4 { C[j] += 2.0 } }");
  const Rewrite result = merge(f, axis(f, "i"), axis(f, "j"));
  ASSERT_EQ(result.axes.size(), 1u);
  EXPECT_EQ(result.axes[0], axis(f, "i"));
}

TEST(Merge, RefusesAStatementBetween) {
  expect_refusal(R"(func f(C: f32[4]) {
                      for i in 0..4 { C[i] = 1.0 }
                      C[0] = 3.0
                      for j in 0..4 { C[j] = 2.0 }
                    })",
                 merges("i", "j"), R"(error: merge: j does not follow i directly
  for j in 0..4 {                    <-- here
    C[j] = 2.0
note: merge takes two loops with nothing but allocs between them, the first one first)");
}

TEST(Merge, RefusesTheOtherOrder) {
  expect_refusal("func f(C: f32[4]) { for i in 0..4 { C[i] = 1.0 } for j in 0..4 { C[j] = 2.0 } }",
                 merges("j", "i"), R"(error: merge: i does not follow j directly
  for i in 0..4 {                    <-- here
    C[i] = 1.0
note: merge takes two loops with nothing but allocs between them, the first one first)");
}

TEST(Merge, RefusesALoopInsideTheOther) {
  expect_refusal("func f(C: f32[4, 4]) { for i in 0..4 { for j in 0..4 { C[i, j] = 1.0 } } }",
                 merges("i", "j"), R"(error: merge: j does not follow i directly
  for i in 0..4 {
    for j in 0..4 {                  <-- here
      C[i, j] = 1.0
note: merge takes two loops with nothing but allocs between them, the first one first)");
}

TEST(Merge, RefusesOtherExtents) {
  expect_refusal(R"(func f[N](C: f32[N], D: f32[4]) {
                      for i in 0..N { C[i] = 1.0 }
                      for j in 0..4 { D[j] = 2.0 }
                    })",
                 merges("i", "j"), R"(error: merge: i has the extent N and j has 4
  for j in 0..4 {                    <-- here
    D[j] = 2.0
note: loops of as many iterations merge; split the longer one, with a peeled tail)");
}

TEST(Merge, RefusesAxesOfTwoKinds) {
  expect_refusal(R"(func f(A: f32[4], C: f32[4], S: f32[1]) {
                      for i in 0..4 { C[i] = 1.0 }
                      reduce k in 0..4 { S[0] += A[k] }
                    })",
                 merges("i", "k"), R"(error: merge: i is a spatial axis and k is a reduction axis
  reduce k in 0..4 {                 <-- here
    S[0] += A[k]
note: only axes of one kind merge)");
}

TEST(Merge, RefusesWhatALaterIterationComputes) {
  expect_refusal(
      R"(func f(A: f32[9], C: f32[9], D: f32[9]) {
                      for i in 0..8 { C[i] = A[i] }
                      for j in 0..8 { D[j] = C[j + 1] }
                    })",
      merges("i", "j"),
      R"(error: merge: an iteration of j may touch C[i + 1] while a later one of i touches C[i]
  for j in 0..8 {
    D[j] = C[j + 1]                  <-- here
note: j runs after all iterations of i, and would run between them)");
}

TEST(Merge, RefusesASumThatIsUsed) {
  expect_refusal(
      R"(func f(A: f32[8], S: f32[1], T: f32[1]) {
                      reduce k in 0..8 { S[0] += A[k] }
                      reduce l in 0..8 { T[0] += A[l] * S[0] }
                    })",
      merges("k", "l"),
      R"(error: merge: an iteration of l may touch S[0] while a later one of k touches S[0]
  reduce l in 0..8 {
    T[0] += A[l] * S[0]              <-- here
note: l runs after all iterations of k, and would run between them)");
}

TEST(Merge, RefusesABoundAxis) {
  expect_refusal(
      "func f(C: f32[4]) { for i in 0..4 @parallel { C[i] = 1.0 } for j in 0..4 { C[j] = 2.0 } }",
      merges("i", "j"), R"(error: merge: i is bound to parallel already
  for i in 0..4 @parallel {          <-- here
    C[i] = 1.0
note: merge it before binding it)");
}

}  // namespace merge_test
}  // namespace hone

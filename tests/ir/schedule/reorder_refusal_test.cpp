#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace reorder_refusal_test {

constexpr const char* matmul = R"(func f[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
  for i in 0..M {
    for j in 0..N {
      C[i, j] = 0.0
      reduce k in 0..K { C[i, j] += A[i, k] * B[k, j] }
    }
  }
})";

TEST(Reorder, RefusesNoAxes) {
  expect_refusal(matmul, reorders({}), "error: reorder: no axes are given");
}

TEST(Reorder, RefusesAnAxisGivenTwice) {
  expect_refusal(matmul, reorders({"j", "k", "j"}), R"(error: reorder: j is given twice
  for i in 0..M {
    for j in 0..N {                  <-- here
      C[i, j] = 0.0
      reduce k in 0..K {)");
}

TEST(Reorder, RefusesAnAxisThatHasNoLoop) {
  expect_refusal(
      matmul,
      [](const Function& f) {
        return reorder(f, {axis(f, "i"), make_axis("l", AxisKind::spatial)}).function;
      },
      R"(error: reorder: f has no axis l
note: its axes are i, j and k)");
}

TEST(Reorder, RefusesAxesBesideOneAnother) {
  expect_refusal(R"(func f(C: f32[4], D: f32[8]) {
                      for i in 0..4 { C[i] = 1.0 }
                      for j in 0..8 { D[j] = 1.0 }
                    })",
                 reorders({"j", "i"}), R"(error: reorder: i does not enclose j
  for i in 0..4 {                    <-- here
    C[i] = 1.0
note: the axes must be nested in one another)");
}

TEST(Reorder, RefusesAnAllocBetween) {
  expect_refusal(R"(func f(A: f32[4, 8], C: f32[4]) {
                      for i in 0..4 {
                        alloc s: f32[] @registers
                        s[] = 0.0
                        reduce k in 0..8 { s[] += A[i, k] }
                        C[i] = s[]
                      }
                    })",
                 reorders({"k", "i"}),
                 R"(error: reorder: the registers tensor s lives between i and k
  for i in 0..4 {
    alloc s: f32[] @registers        <-- here
    s[] = 0.0
    reduce k in 0..8 {
note: reorder before caching)");
}

TEST(Reorder, RefusesALetBetween) {
  expect_refusal(R"(func f(C: f32[4, 8]) {
                      for i in 0..4 { let r = i + 0 for j in 0..8 { C[r, j] = 1.0 } }
                    })",
                 reorders({"j", "i"}), R"(error: reorder: a let lives between i and j
  for i in 0..4 {
    let r = i + 0                    <-- here
    for j in 0..8 {
      C[r, j] = 1.0
note: reorder before caching)");
}

TEST(Reorder, RefusesAnUpdateInPlace) {
  expect_refusal(
      R"(func f(A: f32[9, 9]) {
                      for i in 0..8 { for j in 0..8 { A[i, j + 1] = A[i + 1, j] } }
                    })",
      reorders({"j", "i"}),
      R"(error: reorder: iterations of i that touch one element of A would change places (A[i + 1, j] and A[i, j + 1])
  for i in 0..8 {                    <-- here
    for j in 0..8 {
      A[i, j + 1] = A[i + 1, j]
note: only a reduction with one of the operators +=, *=, min=, max=, and=, or=, or with one declared associative, may be done in another order)");
}

TEST(Reorder, RefusesARecurrenceOverAReduction) {
  expect_refusal(
      R"(func f(A: f32[4, 8], C: f32[4]) {
                      for i in 0..4 { for t in 0..8 { C[i] = C[i] * 0.5 + A[i, t] C[i] += 1.0 } }
                    })",
      [](const Function& f) {
        const Rewrite parts = split(f, axis(f, "t"), 4, Tail::guard);
        return reorder(parts.function, {parts.axes[1], parts.axes[0]}).function;
      },
      R"(error: reorder: iterations of t.0 that touch one element of C would change places (C[i])
  for i in 0..4 {
    for t.0 in 0..2 {                <-- here
      for t.1 in 0..4 {
        C[i] = C[i] * 0.5 + A[i, t.0*4 + t.1]
note: only a reduction with one of the operators +=, *=, min=, max=, and=, or=, or with one declared associative, may be done in another order)");
}

TEST(Reorder, RefusesUpdatesThatReadWhatTheyUpdate) {
  expect_refusal(
      R"(func f(C: f32[9]) {
                      for i in 0..8 { for j in 0..8 { C[i] += C[j + 1] } }
                    })",
      reorders({"j", "i"}),
      R"(error: reorder: iterations of i that touch one element of C would change places (C[j + 1] and C[i])
  for i in 0..8 {                    <-- here
    for j in 0..8 {
      C[i] += C[j + 1]
note: only a reduction with one of the operators +=, *=, min=, max=, and=, or=, or with one declared associative, may be done in another order)");
}

TEST(Reorder, RefusesUpdatesOfTwoKinds) {
  expect_refusal(
      R"(func f(C: f32[8]) {
                      for i in 0..8 { for j in 0..8 { C[i] += 1.0 C[j] *= 2.0 } }
                    })",
      reorders({"j", "i"}),
      R"(error: reorder: iterations of i that touch one element of C would change places (C[i] and C[j])
  for i in 0..8 {                    <-- here
    for j in 0..8 {
      C[i] += 1.0
note: only a reduction with one of the operators +=, *=, min=, max=, and=, or=, or with one declared associative, may be done in another order)");
}

TEST(Reorder, RefusesToDistributeAnInitialisationThatOthersRead) {
  expect_refusal(
      R"(func f(A: f32[8, 8], C: f32[9]) {
                      for i in 0..8 {
                        C[i] = 0.0
                        reduce k in 0..8 { C[i] += A[i, k] * C[i + 1] }
                      }
                    })",
      reorders({"k", "i"}),
      R"(error: reorder: iterations of i that touch one element of C would change places (C[i + 1] and C[i])
  for i in 0..8 {                    <-- here
    C[i] = 0.0
    reduce k in 0..8 {
note: only a reduction with one of the operators +=, *=, min=, max=, and=, or=, or with one declared associative, may be done in another order)");
}

TEST(Reorder, RefusesToDistributeAnInitialisationOfASharedElement) {
  expect_refusal(
      R"(func f(A: f32[8, 8], C: f32[8], S: f32[1]) {
                      for i in 0..8 {
                        S[0] = 0.0
                        reduce k in 0..8 { S[0] += A[i, k] }
                        C[i] = S[0]
                      }
                    })",
      reorders({"k", "i"}),
      R"(error: reorder: iterations of i that touch one element of S would change places (S[0])
  for i in 0..8 {                    <-- here
    S[0] = 0.0
    reduce k in 0..8 {
note: only a reduction with one of the operators +=, *=, min=, max=, and=, or=, or with one declared associative, may be done in another order)");
}

TEST(Reorder, RefusesToTearNeighboursApart) {
  expect_refusal(
      R"(func f(A: f32[8, 8], C: f32[8], D: f32[10]) {
                      for i in 0..8 {
                        D[i + 2] = 1.0
                        reduce k in 0..8 { C[i] += A[i, k] }
                        C[i] += D[i]
                        D[i + 1] = 2.0
                      }
                    })",
      reorders({"k", "i"}),
      R"(error: reorder: iterations of i that touch one element of D would change places (D[i + 2] and D[i])
  for i in 0..8 {                    <-- here
    D[i + 2] = 1.0
    reduce k in 0..8 {
note: only a reduction with one of the operators +=, *=, min=, max=, and=, or=, or with one declared associative, may be done in another order)");
}

TEST(Reorder, RefusesAGuardThatTheBodyChanges) {
  expect_refusal(
      R"(func f(A: f32[4], C: f32[4, 6]) {
                      for i in 0..4 {
                        if (A[i] > 0.0) { for j in 0..6 { C[i, j] = 1.0 A[i] = -1.0 } }
                      }
                    })",
      reorders({"j", "i"}),
      R"(error: reorder: the guard A[i] > 0.0 stands between the loops, and A[i] changes what it reads
  for i in 0..4 {
    if (A[i] > 0.0) {
      for j in 0..6 {
        A[i] = -1.0                  <-- here)");
}

TEST(Reorder, RefusesAGuardThatANeighbourChanges) {
  expect_refusal(
      R"(func f(A: f32[4], C: f32[4, 6], T: f32[1]) {
                      for i in 0..4 {
                        T[0] = A[i]
                        if (T[0] > 0.0) { for j in 0..6 { C[i, j] = 1.0 } }
                      }
                    })",
      reorders({"j", "i"}),
      R"(error: reorder: the guard T[0] > 0.0 stands between the loops, and T[0] changes what it reads
  for i in 0..4 {
    T[0] = A[i]                      <-- here)");
}

TEST(Reorder, RefusesToEncloseBlocks) {
  expect_refusal(R"(func f(C: f32[4, 6]) {
                      for i in 0..4 @block.x { for j in 0..6 { C[i, j] = 1.0 } }
                    })",
                 reorders({"j", "i"}),
                 R"(error: reorder: j would enclose i, which is bound to block.x
  for i in 0..4 @block.x {           <-- here
    for j in 0..6 {
      C[i, j] = 1.0
note: loops bound to blocks stay outermost)");
}

TEST(Reorder, RefusesUpdatesAtTheSameTime) {
  expect_refusal(
      R"(func f(A: f32[8, 4], C: f32[11]) {
                      for k in 0..4 { for i in 0..8 @thread.x { C[i + k] += A[i, k] } }
                    })",
      reorders({"i", "k"}),
      R"(error: reorder: two iterations of i may write one element: C[i + k]
  for k in 0..4 {                    <-- here
    for i in 0..8 @thread.x {
      C[i + k] += A[i, k]
note: i is bound to thread.x: its iterations run at the same time)");
}

}  // namespace reorder_refusal_test
}  // namespace hone

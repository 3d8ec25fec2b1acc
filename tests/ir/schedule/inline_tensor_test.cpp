#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "tests/support/ir/placed_programs.h"

namespace hone {
namespace inline_tensor_test {

TEST(InlineTensor, PutsTheDefinitionWhereTheElementsAreRead) {
  expect_rewrite(R"(func f[M, N](A: f32[M, N], Y: f32[N, M]) {
  alloc T: f32[M, N] @global
  for i in 0..M { for j in 0..N { T[i, j] = A[i, j] * 2.0 + f32(i - j) } }
  for i.Y in 0..N { for j.Y in 0..M { Y[i.Y, j.Y] = T[j.Y, i.Y] - 1.0 } }
})",
                 inlines("T"), R"(func f[M, N](A: f32[M, N], Y: f32[N, M]) {
  for i.Y in 0..N {
    for j.Y in 0..M {
      Y[i.Y, j.Y] = A[j.Y, i.Y] * 2.0 + f32(j.Y - i.Y) - 1.0
    }
  }
})");
}

TEST(InlineTensor, RepeatsItForEachReader) {
  expect_rewrite(blur, inlines("T"), R"(func blur[N](X: f32[N + 4], Y: f32[N]) {
  for i in 0..N {
    Y[i] = X[i] + X[i + 1] + X[i + 2] + (X[i + 1] + X[i + 2] + X[i + 3]) + (X[i + 2] + X[i + 3] + X[i + 4])
  }
})");
}

TEST(InlineTensor, InReductionsAndSchedules) {
  expect_rewrite(R"(func f[M, N](A: f32[M, N], Y: f32[M]) {
  alloc T: f32[M, N] @global
  for i in 0..M { for j in 0..N { T[i, j] = exp(A[i, j]) } }
  for i.Y in 0..M @block.x { Y[i.Y] = 0.0
    reduce k.0 in 0..(N + 3) / 4 { reduce k.1 in 0..4 { if (k.0*4 + k.1 < N) { Y[i.Y] += T[i.Y, k.0*4 + k.1] } } } }
})",
                 inlines("T"), R"(func f[M, N](A: f32[M, N], Y: f32[M]) {
  for i.Y in 0..M @block.x {
    Y[i.Y] = 0.0
    reduce k.0 in 0..(N + 3) / 4 {
      reduce k.1 in 0..4 {
        if (k.0*4 + k.1 < N) {
          Y[i.Y] += exp(A[i.Y, k.0*4 + k.1])
        }
      }
    }
  }
})");
}

TEST(InlineTensor, InIndices) {
  expect_rewrite(R"(func f[N](A: i32[N], X: f32[N], Y: f32[N]) {
  alloc T: i32[N] @global
  for i in 0..N { T[i] = abs(A[i]) }
  for i.Y in 0..N { Y[i.Y] = X[index(T[N - 1 - index(T[i.Y]) % N]) % N] }
})",
                 inlines("T"), R"(func f[N](A: i32[N], X: f32[N], Y: f32[N]) {
  for i.Y in 0..N {
    Y[i.Y] = X[index(abs(A[N - index(abs(A[i.Y])) % N - 1])) % N]
  }
})");
}

TEST(InlineTensor, OfABoundNest) {
  expect_rewrite(R"(func f(A: f32[8], Y: f32[8]) {
  alloc T: f32[8] @global
  for i in 0..8 @block.x { T[i] = A[i] * 2.0 }
  for i.Y in 0..8 { Y[i.Y] = T[7 - i.Y] }
})",
                 inlines("T"), R"(func f(A: f32[8], Y: f32[8]) {
  for i.Y in 0..8 {
    Y[i.Y] = A[7 - i.Y] * 2.0
  }
})");
}

TEST(InlineTensor, OfATensorWithoutDimensions) {
  expect_rewrite(R"(func f(a: f32[], Y: f32[8]) {
  alloc T: f32[] @global
  T[] = a[] * 2.0
  for i in 0..8 { Y[i] = T[] }
})",
                 inlines("T"), R"(func f(a: f32[], Y: f32[8]) {
  for i in 0..8 {
    Y[i] = a[] * 2.0
  }
})");
}

TEST(InlineTensor, OfAComputedPart) {
  expect_rewrite(R"(func f[N](X: f32[N + 4], Y: f32[N]) {
  alloc T: f32[N + 2] @global
  alloc U: f32[N] @global
  for n in 0..N + 2 { T[n] = X[n] + X[n + 2] }
  for i in 0..N { U[i] = T[i] * T[i + 2] }
  for i.Y in 0..N { Y[i.Y] = U[i.Y] + 1.0 }
})",
                 [](const Function& f) { return computed_at(inlines("U")(f), "T", "i.Y"); },
                 R"(func f[N](X: f32[N + 4], Y: f32[N]) {
  for i.Y in 0..N {
    alloc T: f32[2] @shared
    for n in 0..2 {
      T[n] = X[i.Y + n*2] + X[i.Y + n*2 + 2]
    }
    Y[i.Y] = T[0] * T[1] + 1.0
  }
})");
}

TEST(InlineTensor, RefusesAnArgument) {
  expect_refusal(blur, inlines("X"), R"(error: inline_tensor: X is an argument, not a temporary
note: the temporary is T)");
}

TEST(InlineTensor, RefusesAReduction) {
  expect_refusal(softmax, inlines("S"),
                 R"(error: inline_tensor: an element of S is not defined by one expression
  for i.S in 0..M {                  <-- here
    S[i.S] = 0.0
    reduce k.S in 0..N {
note: compute_at(S, axis) computes elements where they are read)");
}

TEST(InlineTensor, RefusesAnUpdate) {
  expect_refusal(R"(func f(A: f32[4], Y: f32[4]) {
  alloc T: f32[4] @global
  for i in 0..4 { T[i] += A[i] }
  for i.Y in 0..4 { Y[i.Y] = T[i.Y] }
})",
                 inlines("T"), R"(error: inline_tensor: T is updated, and never set
  for i in 0..4 {
    T[i] += A[i]                     <-- here)");
}

TEST(InlineTensor, RefusesASplitNest) {
  expect_refusal(
      blur, [](const Function& f) { return inlines("T")(parted(f, "n", 4)); },
      R"(error: inline_tensor: the nest of T is not as it was defined: T[n.0*4 + n.1] is not indexed by one loop per dimension
  for n.0 in 0..(N + 1) / 4 + 1 {
    for n.1 in 0..4 {
      if (n.0*4 + n.1 < N + 2) {
        T[n.0*4 + n.1] = X[n.0*4 + n.1] + X[n.0*4 + n.1 + 1] + X[n.0*4 + n.1 + 2]  <-- here
note: inline_tensor comes before other steps on that nest)");
}

TEST(InlineTensor, RefusesATensorThatIsCached) {
  expect_refusal(
      blur,
      [](const Function& f) { return inlines("T")(in_shared(parted(f, "i", 8), "T", "i.0")); },
      R"(error: inline_tensor: T is cached already
  for i.0 in 0..(N + 7) / 8 {
    copy T.shared[0 .. +10] <- T[i.0*8 .. +10]  <-- here
note: inline_tensor comes before caching)");
}

TEST(InlineTensor, RefusesOperandsThatChange) {
  expect_refusal(R"(func f(A: f32[4], Y: f32[4]) {
  alloc T: f32[4] @global
  for a in 0..4 { T[a] = A[a] }
  for i in 0..4 { A[i] = 0.0 }
  for j in 0..4 { Y[j] = T[j] }
})",
                 inlines("T"),
                 R"(error: inline_tensor: T is computed from A[a], and A changes before T is read
  for i in 0..4 {
    A[i] = 0.0                       <-- here)");
}

TEST(InlineTensor, RefusesToBreakAVector) {
  expect_refusal(R"(func f(A: f32[4, 4], Y: f32[4]) {
  alloc T: f32[4] @global
  for a in 0..4 { T[a] = A[a, 0] }
  for j in 0..4 @vectorize { Y[j] = T[j] }
})",
                 inlines("T"),
                 R"(error: inline_tensor: A[j, 0] does not run along the fastest dimension of A
  for a in 0..4 {
    T[a] = A[a, 0]                   <-- here
note: what lies side by side in A are the elements along dimension 1)");
}

}  // namespace inline_tensor_test
}  // namespace hone

#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace reduce_at_test {

TEST(ReduceAt, AddsPartialSumsAtTheEndOfIterations) {
  expect_rewrite("func f[N](A: f32[N], S: f32[]) { S[] = 0.0 reduce k in 0..N { S[] += A[k] } }",
                 splits_and_reduces("S", 4, "k.0"), R"(func f[N](A: f32[N], S: f32[]) {
  alloc S.part: f32[] @global
  S[] = 0.0
  reduce k.0 in 0..(N + 3) / 4 {
    S.part[] = 0.0
    reduce k.1 in 0..4 {
      if (k.0*4 + k.1 < N) {
        S.part[] += A[k.0*4 + k.1]
      }
    }
    S[] += S.part[]
  }
})");
}

/// Factors that the loops inside do not change multiply their sum.
TEST(ReduceAt, TakesAFactorOutOfTheSum) {
  expect_rewrite(R"(func f[N](x: f32[(N + 3) / 4], A: f32[N], S: f32[]) {
                      S[] = 0.0 reduce k in 0..N { S[] += x[k / 4] * A[k] } })",
                 splits_and_reduces("S", 4, "k.0"),
                 R"(func f[N](x: f32[(N + 3) / 4], A: f32[N], S: f32[]) {
  alloc S.part: f32[] @global
  S[] = 0.0
  reduce k.0 in 0..(N + 3) / 4 {
    S.part[] = 0.0
    reduce k.1 in 0..4 {
      if (k.0*4 + k.1 < N) {
        S.part[] += A[k.0*4 + k.1]
      }
    }
    S[] += x[k.0] * S.part[]
  }
})");
}

TEST(ReduceAt, TakesSeveralFactorsInTheirOrder) {
  expect_rewrite(
      R"(func f[M, K](x: f32[M, (K + 3) / 4], y: f32[(K + 3) / 4], A: f32[M, K],
                         B: f32[K], C: f32[M]) {
                      for i in 0..M { C[i] = 0.0 reduce k in 0..K {
                        C[i] += x[i, k / 4] * y[k / 4] * 2.0 * (A[i, k] * B[k]) } } })",
      splits_and_reduces("C", 4, "k.0"),
      R"(func f[M, K](x: f32[M, (K + 3) / 4], y: f32[(K + 3) / 4], A: f32[M, K], B: f32[K], C: f32[M]) {
  alloc C.part: f32[M] @global
  for i in 0..M {
    C[i] = 0.0
    reduce k.0 in 0..(K + 3) / 4 {
      C.part[i] = 0.0
      reduce k.1 in 0..4 {
        if (k.0*4 + k.1 < K) {
          C.part[i] += A[i, k.0*4 + k.1] * B[k.0*4 + k.1]
        }
      }
      C[i] += x[i, k.0] * y[k.0] * 2.0 * C.part[i]
    }
  }
})");
}

/// At the end of an iteration without values, an element may not exist that each value multiplies.
TEST(ReduceAt, LeavesFactorsThatMayNotExistAtTheEnd) {
  expect_rewrite(R"(func f[N](x: f32[N], A: f32[4, N], S: f32[]) {
                      S[] = 0.0 reduce k in 0..4 { reduce l in 0..8 { if (k*2 + l % 2 < N) {
                        S[] += x[k*2] * A[k, k*2 + l % 2] } } } })",
                 reduces("S", "k"), R"(func f[N](x: f32[N], A: f32[4, N], S: f32[]) {
  alloc S.part: f32[] @global
  S[] = 0.0
  reduce k in 0..4 {
    S.part[] = 0.0
    reduce l in 0..8 {
      if (k*2 + l % 2 < N) {
        S.part[] += x[k*2] * A[k, k*2 + l % 2]
      }
    }
    S[] += S.part[]
  }
})");
}

/// Quotients of integers may fail, and so may an element that a table chooses.
TEST(ReduceAt, LeavesFactorsThatMayFail) {
  expect_rewrite(R"(func f(n: i32[], t: i32[4], x: i32[4], A: i32[4, 8], S: i32[]) {
                      S[] = 0i32 reduce k in 0..4 { reduce l in 0..8 { if (A[k, l] > 0i32) {
                        S[] += 6i32 / n[] * x[index(t[k])] * x[k] * A[k, l] } } } })",
                 reduces("S", "k"),
                 R"(func f(n: i32[], t: i32[4], x: i32[4], A: i32[4, 8], S: i32[]) {
  alloc S.part: i32[] @global
  S[] = 0i32
  reduce k in 0..4 {
    S.part[] = 0i32
    reduce l in 0..8 {
      if (A[k, l] > 0i32) {
        S.part[] += 6i32 / n[] * x[index(t[k])] * A[k, l]
      }
    }
    S[] += x[k] * S.part[]
  }
})");
}

/// Each iteration has a value that the factor multiplies: the first.
TEST(ReduceAt, TakesFactorsOfValuesThatThereAre) {
  expect_rewrite(R"(func f[N](t: i32[4], x: f32[N], A: f32[N, 8], S: f32[4]) {
                      for i in 0..4 { if (i < N) { S[i] = 0.0 reduce k in 0..4 { reduce l in 0..8 {
                        if (k + l < 8) { S[i] += x[index(t[k])] * A[i, l] } } } } } })",
                 reduces("S", "k"), R"(func f[N](t: i32[4], x: f32[N], A: f32[N, 8], S: f32[4]) {
  alloc S.part: f32[4] @global
  for i in 0..4 {
    if (i < N) {
      S[i] = 0.0
      reduce k in 0..4 {
        S.part[i] = 0.0
        reduce l in 0..8 {
          if (k + l < 8) {
            S.part[i] += A[i, l]
          }
        }
        S[i] += x[index(t[k])] * S.part[i]
      }
    }
  }
})");
}

/// A maximum is not the factor times a maximum.
TEST(ReduceAt, LeavesFactorsOfOtherOperators) {
  expect_rewrite(R"(func f(x: i32[4], A: i32[4, 8], S: i32[]) {
                      S[] = -2147483648i32 reduce k in 0..4 { reduce l in 0..8 {
                        S[] max= x[k] * A[k, l] } } })",
                 reduces("S", "k"), R"(func f(x: i32[4], A: i32[4, 8], S: i32[]) {
  alloc S.part: i32[] @global
  S[] = -2147483648i32
  reduce k in 0..4 {
    S.part[] = -2147483648i32
    reduce l in 0..8 {
      S.part[] max= x[k] * A[k, l]
    }
    S[] max= S.part[]
  }
})");
}

/// They stand in all three nests at the same places, and so do the guards on their axes.
TEST(ReduceAt, RepeatsSpatialLoops) {
  expect_rewrite(R"(func f[M, K](A: f32[K, M], x: f32[K], S: f32[M]) {
                      for t.init in 0..32 @thread.x { S[t.init % M] = 0.0 }
                      reduce k.0 in 0..(K + 7) / 8 {
                        for t in 0..32 @thread.x { reduce k.1 in 0..8 {
                          if (t < M) { if (k.0*8 + k.1 < K) {
                            S[t] += A[k.0*8 + k.1, t] } } } } } })",
                 reduces("S", "k.0"), R"(func f[M, K](A: f32[K, M], x: f32[K], S: f32[M]) {
  alloc S.part: f32[M] @global
  for t.init in 0..32 @thread.x {
    S[t.init % M] = 0.0
  }
  reduce k.0 in 0..(K + 7) / 8 {
    for t.start in 0..32 @thread.x {
      if (t.start < M) {
        S.part[t.start] = 0.0
      }
    }
    for t in 0..32 @thread.x {
      reduce k.1 in 0..8 {
        if (t < M) {
          if (k.0*8 + k.1 < K) {
            S.part[t] += A[k.0*8 + k.1, t]
          }
        }
      }
    }
    for t.combine in 0..32 @thread.x {
      if (t.combine < M) {
        S[t.combine] += S.part[t.combine]
      }
    }
  }
})");
}

/// The instruction adds to partial results, which loops of no instruction start and combine.
TEST(ReduceAt, TakesSumsOfAnInstruction) {
  expect_rewrite(
      R"(func f(A: bf16[4, 16, 16], B: bf16[4, 16, 8], C: f32[16, 8]) {
           reduce k in 0..4 { for i in 0..16 @mma_m16n8k16_bf16 { for j in 0..8 {
             reduce l in 0..16 { C[i, j] += f32(A[k, i, l]) * f32(B[k, l, j]) } } } } })",
      reduces("C", "k"), R"(func f(A: bf16[4, 16, 16], B: bf16[4, 16, 8], C: f32[16, 8]) {
  alloc C.part: f32[16, 8] @global
  reduce k in 0..4 {
    for i.start in 0..16 {
      for j.start in 0..8 {
        C.part[i.start, j.start] = 0.0
      }
    }
    for i in 0..16 @mma_m16n8k16_bf16 {
      for j in 0..8 {
        reduce l in 0..16 {
          C.part[i, j] += f32(A[k, i, l]) * f32(B[k, l, j])
        }
      }
    }
    for i.combine in 0..16 {
      for j.combine in 0..8 {
        C[i.combine, j.combine] += C.part[i.combine, j.combine]
      }
    }
  }
})");
}

/// Two levels of sums: the partial sums of a partial sum.
TEST(ReduceAt, TakesPartialResultsAgain) {
  const Function f = parse_function(
      "func f[N](A: f32[N, 4, 8], S: f32[]) { S[] = 0.0 reduce n in 0..N { reduce k in 0..4 { "
      "reduce l in 0..8 { S[] += A[n, k, l] } } } }");
  const Function twice = reduces("S.part", "k")(reduces("S", "n")(f));
  EXPECT_EQ(to_string(twice), R"(func f[N](A: f32[N, 4, 8], S: f32[]) {
  alloc S.part: f32[] @global
  alloc S.part.part: f32[] @global
  S[] = 0.0
  reduce n in 0..N {
    S.part[] = 0.0
    reduce k in 0..4 {
      S.part.part[] = 0.0
      reduce l in 0..8 {
        S.part.part[] += A[n, k, l]
      }
      S.part[] += S.part.part[]
    }
    S[] += S.part[]
  }
})");
  expect_same_values(f, twice);
}

/// The tile starts anew in each iteration: nothing fills it, and nothing takes it back.
TEST(ReduceAt, PartialResultsLiveInRegistersOfAnIteration) {
  expect_rewrite(
      R"(func f(A: f32[4, 8, 16], x: f32[4], S: f32[16]) {
           for i in 0..16 @thread.x { S[i] = 0.0 reduce k in 0..4 { reduce l in 0..8 {
             S[i] += x[k] * A[k, l, i] } } } })",
      [](const Function& f) { return in_registers(reduces("S", "k")(f), "S.part", "k"); },
      R"(func f(A: f32[4, 8, 16], x: f32[4], S: f32[16]) {
  for i in 0..16 @thread.x {
    S[i] = 0.0
    reduce k in 0..4 {
      alloc S.reg: f32[] @registers
      S.reg[] = 0.0
      reduce l in 0..8 {
        S.reg[] += A[k, l, i]
      }
      S[i] += x[k] * S.reg[]
    }
  }
})");
}

}  // namespace reduce_at_test
}  // namespace hone

#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "tests/support/ir/placed_programs.h"

namespace hone {
namespace fuse_epilogue_test {

TEST(FuseEpilogue, ComputesBothInOneNest) {
  expect_rewrite(gemm, fuses_epilogue("D"),
                 R"(func gemm[M, N, K](A: f32[M, K], B: f32[K, N], E: f32[N], D: f32[M, N]) {
  for i in 0..M {
    for j in 0..N {
      D[i, j] = 0.0
      reduce k in 0..K {
        D[i, j] += A[i, k] * B[k, j]
      }
      D[i, j] = max(D[i, j] + E[j], 0.0)
    }
  }
})");
}

TEST(FuseEpilogue, KeepsTheAxesThatHaveNamesOfTheirOwn) {
  expect_rewrite(R"(func f[M, K](A: f32[M, K], D: f32[M]) {
  alloc C: f32[M] @global
  for i in 0..M { C[i] = 0.0 reduce k in 0..K { C[i] += A[i, k] } C[i] = C[i] * 2.0 }
  for n in 0..M { D[n] = C[n] * C[n] + f32(n) }
})",
                 fuses_epilogue("D"), R"(func f[M, K](A: f32[M, K], D: f32[M]) {
  for n in 0..M {
    D[n] = 0.0
    reduce k in 0..K {
      D[n] += A[n, k]
    }
    D[n] = D[n] * 2.0
    D[n] = D[n] * D[n] + f32(n)
  }
})");
}

TEST(FuseEpilogue, ChainsEpilogues) {
  expect_rewrite(R"(func f[M, K](A: f32[M, K], E: f32[M]) {
  alloc C: f32[M] @global
  alloc D: f32[M] @global
  for i in 0..M { C[i] = 0.0 reduce k in 0..K { C[i] += A[i, k] } }
  for i.D in 0..M { D[i.D] = C[i.D] * 2.0 }
  for i.E in 0..M { E[i.E] = D[i.E] + 1.0 }
})",
                 [](const Function& f) { return fuses_epilogue("E")(fuses_epilogue("D")(f)); },
                 R"(func f[M, K](A: f32[M, K], E: f32[M]) {
  for i in 0..M {
    E[i] = 0.0
    reduce k in 0..K {
      E[i] += A[i, k]
    }
    E[i] = E[i] * 2.0
    E[i] = E[i] + 1.0
  }
})");
}

TEST(FuseEpilogue, OfTensorsWithoutDimensions) {
  expect_rewrite(R"(func f[K](A: f32[K], D: f32[]) {
  alloc C: f32[] @global
  C[] = 0.0
  reduce k in 0..K { C[] += A[k] }
  D[] = C[] * 2.0
})",
                 fuses_epilogue("D"), R"(func f[K](A: f32[K], D: f32[]) {
  D[] = 0.0
  reduce k in 0..K {
    D[] += A[k]
  }
  D[] = D[] * 2.0
})");
}

TEST(FuseEpilogue, OfAPartOfTheResult) {
  expect_rewrite(R"(func f(A: f32[8, 4], D: f32[4]) {
  alloc C: f32[8] @global
  for i in 0..8 { C[i] = 0.0 reduce k in 0..4 { C[i] += A[i, k] } }
  for i.D in 0..4 { D[i.D] = C[i.D] * 2.0 }
})",
                 fuses_epilogue("D"), R"(func f(A: f32[8, 4], D: f32[4]) {
  for i in 0..4 {
    D[i] = 0.0
    reduce k in 0..4 {
      D[i] += A[i, k]
    }
    D[i] = D[i] * 2.0
  }
})");
}

TEST(FuseEpilogue, IsScheduledAsOneDefinition) {
  expect_rewrite(
      gemm,
      [](const Function& f) {
        Function g = fuses_epilogue("D")(f);
        g = tile(g, axes(g, {"i", "j"}), {Expr(2), Expr(4)}, Tail::guard).function;
        return reorder(in_registers(g, "D", "j.0"), axes(g, {"i.0", "j.0"})).function;
      },
      R"(func gemm[M, N, K](A: f32[M, K], B: f32[K, N], E: f32[N], D: f32[M, N]) {
  for i.0 in 0..(M + 1) / 2 {
    for j.0 in 0..(N + 3) / 4 {
      alloc D.reg: f32[2, 4] @registers
      for i.1 in 0..2 @unroll {
        for j.1 in 0..4 @unroll {
          if (i.0*2 + i.1 < M) {
            if (j.0*4 + j.1 < N) {
              D.reg[i.1, j.1] = 0.0
              reduce k in 0..K {
                D.reg[i.1, j.1] += A[i.0*2 + i.1, k] * B[k, j.0*4 + j.1]
              }
              D.reg[i.1, j.1] = max(D.reg[i.1, j.1] + E[j.0*4 + j.1], 0.0)
            }
          }
        }
      }
      copy D[i.0*2 .. +2, j.0*4 .. +4] <- D.reg[0 .. +2, 0 .. +4]
    }
  }
})");
}

TEST(FuseEpilogue, RefusesOtherElements) {
  expect_refusal(
      R"(func f[M](A: f32[M, M], D: f32[M, M]) {
  alloc C: f32[M, M] @global
  for i in 0..M { for j in 0..M { C[i, j] = 0.0 reduce k in 0..M { C[i, j] += A[i, k] * A[k, j] } } }
  for i.D in 0..M { for j.D in 0..M { D[i.D, j.D] = C[j.D, i.D] } }
})",
      fuses_epilogue("D"),
      R"(error: fuse_epilogue: D reads C[j.D, i.D], which is not the element of C that it makes
  for i.D in 0..M {
    for j.D in 0..M {
      D[i.D, j.D] = C[j.D, i.D]      <-- here
note: an epilogue is defined like D(i, j) = f(C(i, j), ...))");
}

TEST(FuseEpilogue, RefusesAnElementOfFewerAxes) {
  expect_refusal(
      R"(func f[M](A: f32[M, M], D: f32[M, M]) {
  alloc C: f32[M] @global
  for i in 0..M { C[i] = 0.0 reduce k in 0..M { C[i] += A[i, k] } }
  for i.D in 0..M { for j.D in 0..M { D[i.D, j.D] = C[i.D] } }
})",
      fuses_epilogue("D"),
      R"(error: fuse_epilogue: D reads C[i.D], which is not the element of C that it makes
  for i.D in 0..M {
    for j.D in 0..M {
      D[i.D, j.D] = C[i.D]           <-- here
note: an epilogue is defined like D(i, j) = f(C(i, j), ...))");
}

TEST(FuseEpilogue, RefusesBothReductionsOfASoftmax) {
  expect_refusal(
      softmax, fuses_epilogue("Y"),
      R"(error: fuse_epilogue: Y reads the reductions m and S, and one nest computes one of them
  for i.Y in 0..M {
    for j in 0..N {
      Y[i.Y, j] = exp(X[i.Y, j] - m[i.Y]) / S[i.Y]  <-- here
note: compute_at places them at a loop of Y)");
}

TEST(FuseEpilogue, RefusesAnotherReader) {
  expect_refusal(R"(func f[M](A: f32[M, M], D: f32[M], E: f32[M]) {
  alloc C: f32[M] @global
  for i in 0..M { C[i] = 0.0 reduce k in 0..M { C[i] += A[i, k] } }
  for i.D in 0..M { D[i.D] = C[i.D] * 2.0 }
  for i.E in 0..M { E[i.E] = C[i.E] * 3.0 }
})",
                 fuses_epilogue("D"),
                 R"(error: fuse_epilogue: C is read here as well, and would be gone
  for i.E in 0..M {
    E[i.E] = C[i.E] * 3.0            <-- here
note: only D may read it)");
}

TEST(FuseEpilogue, RefusesAnotherType) {
  expect_refusal(
      R"(func f[M](A: f32[M, M], D: f16[M]) {
  alloc C: f32[M] @global
  for i in 0..M { C[i] = 0.0 reduce k in 0..M { C[i] += A[i, k] } }
  for i.D in 0..M { D[i.D] = f16(C[i.D]) }
})",
      fuses_epilogue("D"),
      R"(error: fuse_epilogue: C is reduced in f32, and D is f16: one nest reduces in one type
  for i.D in 0..M {                  <-- here
    D[i.D] = f16(C[i.D])
note: compute_at(C, i.D) keeps it in its type)");
}

TEST(FuseEpilogue, RefusesAReductionOfAReduction) {
  expect_refusal(
      R"(func f[M](A: f32[M, M], D: f32[M]) {
  alloc C: f32[M] @global
  for i in 0..M { C[i] = 0.0 reduce k in 0..M { C[i] += A[i, k] } }
  for i.D in 0..M { D[i.D] = 0.0 reduce r in 0..M { D[i.D] += C[i.D] } }
})",
      fuses_epilogue("D"),
      R"(error: fuse_epilogue: D is more than a function of elements: its nest has several statements, or an update
  for i.D in 0..M {                  <-- here
    D[i.D] = 0.0
    reduce r in 0..M {
note: an epilogue is defined like D(i, j) = f(C(i, j), ...))");
}

TEST(FuseEpilogue, RefusesATensorThatReadsItself) {
  expect_refusal(
      R"(func f[M](A: f32[M, M], D: f32[M]) {
  alloc C: f32[M] @global
  for i in 0..M { C[i] = 0.0 reduce k in 0..M { C[i] += A[i, k] } }
  for i.D in 0..M { D[i.D] = C[i.D] + D[i.D] }
})",
      fuses_epilogue("D"),
      R"(error: fuse_epilogue: D[i.D] is read here, and one nest reduces C in the elements of D
  for i.D in 0..M {
    D[i.D] = C[i.D] + D[i.D]         <-- here
note: compute_at(C, i.D) keeps them apart)");
}

TEST(FuseEpilogue, RefusesATensorThatReadsNoReduction) {
  expect_refusal(blur, fuses_epilogue("Y"),
                 R"(error: fuse_epilogue: Y reads no temporary that is a reduction
  for i in 0..N {
    Y[i] = T[i] + T[i + 1] + T[i + 2]  <-- here
note: inline_tensor(T) puts an elementwise T into what reads it)");
}

TEST(FuseEpilogue, RefusesTwoReductions) {
  expect_refusal(
      R"(func f[M](A: f32[M, M], D: f32[M]) {
  alloc C: f32[M] @global
  alloc E: f32[M] @global
  for i in 0..M { C[i] = 0.0 reduce k in 0..M { C[i] += A[i, k] } }
  for i.E in 0..M { E[i.E] = 1.0 reduce k.E in 0..M { E[i.E] *= A[i.E, k.E] } }
  for i.D in 0..M { D[i.D] = C[i.D] + E[i.D] }
})",
      fuses_epilogue("D"),
      R"(error: fuse_epilogue: D reads the reductions C and E, and one nest computes one of them
  for i.D in 0..M {
    D[i.D] = C[i.D] + E[i.D]         <-- here
note: compute_at places them at a loop of D)");
}

TEST(FuseEpilogue, RefusesAScheduledReduction) {
  expect_refusal(
      gemm, [](const Function& f) { return fuses_epilogue("D")(parted(f, "j", 4)); },
      R"(error: fuse_epilogue: the nest of C is not as it was defined: C[i, j.0*4 + j.1] is not indexed by one loop per dimension
  for i in 0..M {
    for j.0 in 0..(N + 3) / 4 {
      for j.1 in 0..4 {
        if (j.0*4 + j.1 < N) {
          C[i, j.0*4 + j.1] = 0.0    <-- here
note: fuse_epilogue comes before other steps on that nest)");
}

TEST(FuseEpilogue, RefusesAScheduledEpilogue) {
  expect_refusal(
      gemm, [](const Function& f) { return fuses_epilogue("D")(bound(f, "i.D", block_x)); },
      R"(error: fuse_epilogue: the nest of D is not as it was defined: i.D is @block.x
  for i.D in 0..M @block.x {         <-- here
    for j.D in 0..N {
      D[i.D, j.D] = max(C[i.D, j.D] + E[j.D], 0.0)
note: fuse_epilogue comes before other steps on that nest)");
}

TEST(FuseEpilogue, RefusesOperandsThatTheEpilogueChanges) {
  expect_refusal(R"(func f[M](D: f32[M]) {
  alloc C: f32[M] @global
  for i in 0..M { C[i] = 0.0 reduce k in 0..M { C[i] += D[k] } }
  for i.D in 0..M { D[i.D] = C[i.D] * 2.0 }
})",
                 fuses_epilogue("D"),
                 R"(error: fuse_epilogue: C is computed from D[k], and D changes before C is read
  for i.D in 0..M {
    D[i.D] = C[i.D] * 2.0            <-- here)");
}

TEST(FuseEpilogue, RefusesAnInput) {
  expect_refusal(gemm, fuses_epilogue("A"), R"(error: fuse_epilogue: nothing computes A)");
}

}  // namespace fuse_epilogue_test
}  // namespace hone

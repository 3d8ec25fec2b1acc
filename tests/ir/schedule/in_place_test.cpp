// Steps on tensors that come with values: C[i, j] += ... without an initialisation before it.
#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "tests/support/ir/combines.h"

namespace hone {
namespace in_place_test {

constexpr const char* matmul = R"(func f[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
  for i in 0..M {
    for j in 0..N {
      reduce k in 0..K {
        C[i, j] += A[i, k] * B[k, j]
      }
    }
  }
})";

Function in_order(const Function& f, std::initializer_list<llvm::StringRef> names) {
  return reorder(f, axes(f, names)).function;
}

TEST(InPlaceSteps, AReductionIsLiftedWithoutAnInitialisation) {
  expect_rewrite(
      matmul,
      [](const Function& f) {
        return in_order(f, {"k", "i", "j"});
      },
      R"(func f[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
  reduce k in 0..K {
    for i in 0..M {
      for j in 0..N {
        C[i, j] += A[i, k] * B[k, j]
      }
    }
  }
})");
}

TEST(InPlaceSteps, RegistersLoadTheOldValue) {
  expect_rewrite(
      matmul, [](const Function& f) { return in_registers(f, "C", "j"); },
      R"(func f[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
  for i in 0..M {
    for j in 0..N {
      alloc C.reg: f32[] @registers
      C.reg[] = C[i, j]
      reduce k in 0..K {
        C.reg[] += A[i, k] * B[k, j]
      }
      C[i, j] = C.reg[]
    }
  }
})");
}

TEST(InPlaceSteps, ATileOfRegistersLoadsItsOldValues) {
  expect_rewrite(
      matmul,
      [](const Function& f) {
        const Function parts = parted(parted(f, "i", 2), "j", 4);
        return in_registers(in_order(parts, {"i.0", "j.0", "k", "i.1", "j.1"}), "C", "j.0");
      },
      R"(func f[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
  for i.0 in 0..(M + 1) / 2 {
    for j.0 in 0..(N + 3) / 4 {
      alloc C.reg: f32[2, 4] @registers
      copy C.reg[0 .. +2, 0 .. +4] <- C[i.0*2 .. +2, j.0*4 .. +4]
      reduce k in 0..K {
        for i.1 in 0..2 @unroll {
          for j.1 in 0..4 @unroll {
            if (i.0*2 + i.1 < M) {
              if (j.0*4 + j.1 < N) {
                C.reg[i.1, j.1] += A[i.0*2 + i.1, k] * B[k, j.0*4 + j.1]
              }
            }
          }
        }
      }
      copy C[i.0*2 .. +2, j.0*4 .. +4] <- C.reg[0 .. +2, 0 .. +4]
    }
  }
})");
}

TEST(InPlaceSteps, ASharedTileLoadsItsOldValues) {
  expect_rewrite(
      R"(func f(A: f32[8], C: f32[32]) {
  for b in 0..4 @block.x {
    for t in 0..8 @thread.x {
      C[b*8 + t] += A[t]
    }
  }
})",
      stages("C", "b"), R"(func f(A: f32[8], C: f32[32]) {
  for b in 0..4 @block.x {
    alloc C.shared: f32[8] @shared
    copy C.shared[0 .. +8] <- C[b*8 .. +8]
    for t in 0..8 @thread.x {
      C.shared[t] += A[t]
    }
    copy C[b*8 .. +8] <- C.shared[0 .. +8]
  }
})");
}

TEST(InPlaceSteps, PartialResultsHaveATensorOfTheirOwn) {
  expect_rewrite(
      R"(func f[N](A: f32[N], S: f32[]) {
  reduce k.0 in 0..(N + 7) / 8 {
    reduce k.1 in 0..8 {
      if (k.0*8 + k.1 < N) {
        S[] += A[k.0*8 + k.1]
      }
    }
  }
})",
      [](const Function& f) { return rfactor(f, tensor(f, "S"), axis(f, "k.0")).function; },
      R"(func f[N](A: f32[N], S: f32[]) {
  alloc S.rf: f32[(N + 7) / 8] @global
  for k.0 in 0..(N + 7) / 8 {
    S.rf[k.0] = 0.0
    reduce k.1 in 0..8 {
      if (k.0*8 + k.1 < N) {
        S.rf[k.0] += A[k.0*8 + k.1]
      }
    }
  }
  reduce k.0.S in 0..(N + 7) / 8 {
    S[] += S.rf[k.0.S]
  }
})");
}

TEST(InPlaceSteps, WhatBlocksAddByAtomicsStartsFromNothingInATile) {
  expect_rewrite(
      R"(func f(A: f32[32], S: f32[]) {
  reduce b in 0..4 @block.x combine(atomic) {
    reduce t in 0..8 {
      S[] += A[b*8 + t]
    }
  }
})",
      [](const Function& f) { return in_registers(f, "S", "b"); },
      R"(func f(A: f32[32], S: f32[]) {
  reduce b in 0..4 @block.x combine(atomic) {
    alloc S.reg: f32[] @registers
    S.reg[] = 0.0
    reduce t in 0..8 {
      S.reg[] += A[b*8 + t]
    }
    S[] += S.reg[]
  }
})");
}

TEST(InPlaceSteps, ASplitGuardsPadsAndPeels) {
  constexpr const char* scale = R"(func f[N](A: f32[N], C: f32[N]) {
  for i in 0..N {
    C[i] = C[i] * 2.0 - A[i]
  }
})";
  for (const Tail tail : {Tail::guard, Tail::pad, Tail::peel}) {
    const Function before = parse_function(scale);
    for (const int64_t factor : {1, 2, 3, 8})
      expect_same_values(before, parted(before, "i", factor, tail));
  }
}

TEST(InPlaceSteps, NoEpilogueTakesTheElementThatItReads) {
  expect_refusal(
      R"(func f[N, K](A: f32[N, K], D: f32[N]) {
  alloc C: f32[N] @global
  for i in 0..N {
    C[i] = 0.0
    reduce k in 0..K {
      C[i] += A[i, k]
    }
  }
  for i.D in 0..N {
    D[i.D] = C[i.D] + D[i.D]
  }
})",
      fuses_epilogue("D"),
      R"(error: fuse_epilogue: D[i.D] is read here, and one nest reduces C in the elements of D
  for i.D in 0..N {
    D[i.D] = C[i.D] + D[i.D]         <-- here
note: compute_at(C, i.D) keeps them apart)");
}

TEST(InPlaceSteps, NoEpilogueTakesAnUpdate) {
  const Function f = parse_function(R"(func f[N, K](A: f32[N, K], D: f32[N]) {
  alloc C: f32[N] @global
  for i in 0..N {
    C[i] = 0.0
    reduce k in 0..K {
      C[i] += A[i, k]
    }
  }
  for i.D in 0..N {
    D[i.D] += C[i.D]
  }
})");
  expect_same_values(f, computed_at(f, "C", "i.D"));
  EXPECT_THROW(fuse_epilogue(f, tensor(f, "D")), ScheduleError);
}

TEST(InPlaceSteps, NothingMovesATemporaryThatIsReadWhileItGrows) {
  constexpr const char* grown = R"(func f[N](A: f32[N], X: f32[N], Y: f32[N]) {
  alloc T: f32[] @global
  T[] = 0.0
  reduce k in 0..N {
    T[] += A[k]
  }
  for i in 0..N {
    X[i] = T[]
  }
  T[] += 1.0
  for i.Y in 0..N {
    Y[i.Y] = T[]
  }
})";
  const Function f = parse_function(grown);
  for (const char* at : {"i", "i.Y"}) EXPECT_THROW(computed_at(f, "T", at), ScheduleError) << at;
  expect_refusal(
      grown, computes("T", "i.Y"),
      R"(error: compute_at: the nest of T is not as it was defined: it is read here, and goes on to be computed
  for i in 0..N {                    <-- here
    X[i] = T[]
note: compute_at comes before other steps on that nest)");
}

TEST(InPlaceSteps, EveryWayToCombineAddsToTheOldValue) {
  for (const Combine::Method method :
       {Combine::interleaved_modulo, Combine::interleaved_strided, Combine::sequential,
        Combine::shuffle, Combine::two_level, Combine::atomic}) {
    const Function f = parse_function(R"(func f(A: f32[24], S: f32[]) {
  reduce k in 0..24 {
    S[] += A[k]
  }
})");
    expect_same_values(f, binds("k", thread_x, Combine{method})(f));
  }
}

}  // namespace in_place_test
}  // namespace hone

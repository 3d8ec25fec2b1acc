#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "tests/support/ir/placed_programs.h"

namespace hone {
namespace compute_at_test {

TEST(ComputeAt, KeepsOneElementInARegister) {
  expect_rewrite(
      softmax,
      [](const Function& f) { return computed_at(computed_at(f, "S", "i.Y"), "m", "i.Y"); },
      R"(func softmax[M, N](X: f32[M, N], Y: f32[M, N]) {
  for i.Y in 0..M {
    alloc m: f32[] @registers
    m[] = -inf
    reduce k in 0..N {
      m[] max= X[i.Y, k]
    }
    alloc S: f32[] @registers
    S[] = 0.0
    reduce k.S in 0..N {
      S[] += exp(X[i.Y, k.S] - m[])
    }
    for j in 0..N {
      Y[i.Y, j] = exp(X[i.Y, j] - m[]) / S[]
    }
  }
})");
}

TEST(ComputeAt, StoresAPartWithItsHaloInSharedMemory) {
  expect_rewrite(
      blur, [](const Function& f) { return computed_at(parted(f, "i", 8), "T", "i.0"); },
      R"(func blur[N](X: f32[N + 4], Y: f32[N]) {
  for i.0 in 0..(N + 7) / 8 {
    alloc T: f32[10] @shared
    for n in 0..10 {
      if (i.0*8 + n < N + 2) {
        T[n] = X[i.0*8 + n] + X[i.0*8 + n + 1] + X[i.0*8 + n + 2]
      }
    }
    for i.1 in 0..8 {
      if (i.0*8 + i.1 < N) {
        Y[i.0*8 + i.1] = T[i.1] + T[i.1 + 1] + T[i.1 + 2]
      }
    }
  }
})");
}

/// Schedules for any size name its axis.
TEST(ComputeAt, KeepsTheLoopOfADimensionOfOneElement) {
  expect_rewrite(R"(func f[N](X: f32[N, 1], Y: f32[N, 1]) {
  alloc T: f32[N, 1] @global
  for i in 0..N { for j in 0..1 { T[i, j] = X[i, j] * 2.0 } }
  for i.Y in 0..N { for j.Y in 0..1 { Y[i.Y, j.Y] = T[i.Y, j.Y] + 1.0 } }
})",
                 computes("T", "i.Y"), R"(func f[N](X: f32[N, 1], Y: f32[N, 1]) {
  for i.Y in 0..N {
    alloc T: f32[] @registers
    for j in 0..1 {
      T[] = X[i.Y, j] * 2.0
    }
    for j.Y in 0..1 {
      Y[i.Y, j.Y] = T[] + 1.0
    }
  }
})");
}

TEST(ComputeAt, LeavesOutTheGuardsOfElementsThatExist) {
  expect_rewrite(R"(func f[N](X: f32[N*8], Y: f32[N*8]) {
  alloc T: f32[N*8] @global
  for n in 0..N*8 { T[n] = X[n] * 2.0 }
  for i.0 in 0..N { for i.1 in 0..8 { Y[i.0*8 + i.1] = T[i.0*8 + i.1] + T[i.0*8 + 7 - i.1] } }
})",
                 computes("T", "i.0"), R"(func f[N](X: f32[N*8], Y: f32[N*8]) {
  for i.0 in 0..N {
    alloc T: f32[8] @shared
    for n in 0..8 {
      T[n] = X[i.0*8 + n] * 2.0
    }
    for i.1 in 0..8 {
      Y[i.0*8 + i.1] = T[i.1] + T[7 - i.1]
    }
  }
})");
}

TEST(ComputeAt, GuardsBothEnds) {
  expect_rewrite(R"(func f[N](X: f32[N], Y: f32[N]) {
  alloc T: f32[N] @global
  for n in 0..N { T[n] = X[n] * 2.0 }
  for i in 0..N { Y[i] = select(i > 0, T[i - 1], 0.0) + select(i + 1 < N, T[i + 1], 0.0) }
})",
                 computes("T", "i"), R"(func f[N](X: f32[N], Y: f32[N]) {
  for i in 0..N {
    alloc T: f32[2] @shared
    for n in 0..2 {
      if (i + n*2 - 1 >= 0 && i + n*2 - 1 < N) {
        T[n] = X[i + n*2 - 1] * 2.0
      }
    }
    Y[i] = select(i > 0, T[0], 0.0) + select(i + 1 < N, T[1], 0.0)
  }
})");
}

TEST(ComputeAt, HasALoopForEachDimensionOfSeveralElements) {
  expect_rewrite(R"(func f[M, N](X: f32[M, N], Y: f32[M, N]) {
  alloc T: f32[M, N] @global
  for a in 0..M { for b in 0..N { T[a, b] = X[a, b] * X[a, b] } }
  for i in 0..M { for j.0 in 0..(N + 3) / 4 { for j.1 in 0..4 { if (j.0*4 + j.1 < N) {
    Y[i, j.0*4 + j.1] = T[i, j.0*4 + j.1] + 1.0 } } } }
})",
                 computes("T", "j.0"), R"(func f[M, N](X: f32[M, N], Y: f32[M, N]) {
  for i in 0..M {
    for j.0 in 0..(N + 3) / 4 {
      alloc T: f32[4] @shared
      for b in 0..4 {
        if (j.0*4 + b < N) {
          T[b] = X[i, j.0*4 + b] * X[i, j.0*4 + b]
        }
      }
      for j.1 in 0..4 {
        if (j.0*4 + j.1 < N) {
          Y[i, j.0*4 + j.1] = T[j.1] + 1.0
        }
      }
    }
  }
})");
}

TEST(ComputeAt, UnrollsTheLoopsOfRegisters) {
  expect_rewrite(R"(func f[M](X: f32[M, 4], Y: f32[M, 4]) {
  alloc T: f32[M, 4] @global
  for a in 0..M { for b in 0..4 { T[a, b] = 0.0 reduce k in 0..4 { T[a, b] += X[a, k] } } }
  for i in 0..M { for j in 0..4 { Y[i, j] = T[i, j] + T[i, 3 - j] } }
})",
                 computes("T", "i", {.scope = Scope::registers}),
                 R"(func f[M](X: f32[M, 4], Y: f32[M, 4]) {
  for i in 0..M {
    alloc T: f32[4] @registers
    for b in 0..4 @unroll {
      T[b] = 0.0
      reduce k in 0..4 {
        T[b] += X[i, k]
      }
    }
    for j in 0..4 @unroll {
      Y[i, j] = T[j] + T[3 - j]
    }
  }
})");
}

TEST(ComputeAt, UsesRegistersInsideOfThreads) {
  expect_rewrite(R"(func f[M](X: f32[M, 4], Y: f32[M, 4]) {
  alloc T: f32[M, 4] @global
  for a in 0..M { for b in 0..4 { T[a, b] = X[a, b] * 2.0 } }
  for i in 0..M @block.x { for t in 0..2 @thread.x { for j in 0..2 { Y[i, t*2 + j] = T[i, t*2 + j] } } }
})",
                 computes("T", "t"), R"(func f[M](X: f32[M, 4], Y: f32[M, 4]) {
  for i in 0..M @block.x {
    for t in 0..2 @thread.x {
      alloc T: f32[2] @registers
      for b in 0..2 @unroll {
        T[b] = X[i, t*2 + b] * 2.0
      }
      for j in 0..2 @unroll {
        Y[i, t*2 + j] = T[j]
      }
    }
  }
})");
}

TEST(ComputeAt, SharesOneElementAmongThreads) {
  expect_rewrite(R"(func f[M](X: f32[M, 4], Y: f32[M, 4]) {
  alloc T: f32[M] @global
  for a in 0..M { T[a] = 0.0 reduce k in 0..4 { T[a] += X[a, k] } }
  for i in 0..M @block.x { for j in 0..4 @thread.x { Y[i, j] = X[i, j] - T[i] } }
})",
                 computes("T", "i"), R"(func f[M](X: f32[M, 4], Y: f32[M, 4]) {
  for i in 0..M @block.x {
    alloc T: f32[] @shared
    T[] = 0.0
    reduce k in 0..4 {
      T[] += X[i, k]
    }
    for j in 0..4 @thread.x {
      Y[i, j] = X[i, j] - T[]
    }
  }
})");
}

TEST(ComputeAt, TakesEveryOtherElement) {
  expect_rewrite(R"(func f[N](X: f32[N*8], Y: f32[N*4]) {
  alloc T: f32[N*8] @global
  for n in 0..N*8 { T[n] = X[n] * 2.0 }
  for i.0 in 0..N { for i.1 in 0..4 { Y[i.0*4 + i.1] = T[i.0*8 + i.1*2] } }
})",
                 computes("T", "i.0"), R"(func f[N](X: f32[N*8], Y: f32[N*4]) {
  for i.0 in 0..N {
    alloc T: f32[4] @shared
    for n in 0..4 {
      T[n] = X[i.0*8 + n*2] * 2.0
    }
    for i.1 in 0..4 {
      Y[i.0*4 + i.1] = T[i.1]
    }
  }
})");
}

TEST(ComputeAt, ComputesBehindGuards) {
  expect_rewrite(R"(func f[N](X: f32[N], Y: f32[N]) {
  alloc T: f32[N] @global
  for n in 0..N { T[n] = X[n] * 2.0 }
  for i.0 in 0..(N + 3) / 4 { for i.1 in 0..4 { if (i.0*4 + i.1 < N) { Y[i.0*4 + i.1] = T[i.0*4 + i.1] } } }
})",
                 computes("T", "i.1"), R"(func f[N](X: f32[N], Y: f32[N]) {
  for i.0 in 0..(N + 3) / 4 {
    for i.1 in 0..4 {
      if (i.0*4 + i.1 < N) {
        alloc T: f32[] @registers
        T[] = X[i.0*4 + i.1] * 2.0
        Y[i.0*4 + i.1] = T[]
      }
    }
  }
})");
}

TEST(ComputeAt, ComputesATensorWithoutDimensions) {
  expect_rewrite(R"(func f[N](X: f32[N], Y: f32[N]) {
  alloc T: f32[] @global
  T[] = 0.0
  reduce k in 0..N { T[] += X[k] }
  T[] = T[] * 0.5
  for i in 0..N { Y[i] = X[i] - T[] }
})",
                 computes("T", "i"), R"(func f[N](X: f32[N], Y: f32[N]) {
  for i in 0..N {
    alloc T: f32[] @registers
    T[] = 0.0
    reduce k in 0..N {
      T[] += X[k]
    }
    T[] = T[] * 0.5
    Y[i] = X[i] - T[]
  }
})");
}

TEST(ComputeAt, ComputesAnElementThatAnotherOneChooses) {
  expect_rewrite(R"(func f[N](X: f32[N], at: i32[N], Y: f32[N]) {
  alloc T: f32[N] @global
  for n in 0..N { T[n] = X[n] * 2.0 }
  for i in 0..N { Y[i] = T[index(abs(at[i])) % N] }
})",
                 computes("T", "i"), R"(func f[N](X: f32[N], at: i32[N], Y: f32[N]) {
  for i in 0..N {
    alloc T: f32[] @registers
    T[] = X[index(abs(at[i])) % N] * 2.0
    Y[i] = T[]
  }
})");
}

TEST(ComputeAt, TakesReductionsThatAreSplit) {
  expect_rewrite(
      softmax, [](const Function& f) { return computed_at(parted(f, "k.S", 4), "S", "i.Y"); },
      R"(func softmax[M, N](X: f32[M, N], Y: f32[M, N]) {
  alloc m: f32[M] @global
  for i in 0..M {
    m[i] = -inf
    reduce k in 0..N {
      m[i] max= X[i, k]
    }
  }
  for i.Y in 0..M {
    alloc S: f32[] @registers
    S[] = 0.0
    reduce k.S.0 in 0..(N + 3) / 4 {
      reduce k.S.1 in 0..4 {
        if (k.S.0*4 + k.S.1 < N) {
          S[] += exp(X[i.Y, k.S.0*4 + k.S.1] - m[i.Y])
        }
      }
    }
    for j in 0..N {
      Y[i.Y, j] = exp(X[i.Y, j] - m[i.Y]) / S[]
    }
  }
})");
}

TEST(ComputeAt, InsideOfAReduction) {
  expect_rewrite(R"(func f[M, N](X: f32[M, N], Y: f32[M]) {
  alloc T: f32[M, N] @global
  for a in 0..M { for b in 0..N { T[a, b] = X[a, b] * 2.0 } }
  for i in 0..M { Y[i] = 0.0 reduce k in 0..N { Y[i] += T[i, k] } }
})",
                 computes("T", "k"), R"(func f[M, N](X: f32[M, N], Y: f32[M]) {
  for i in 0..M {
    Y[i] = 0.0
    reduce k in 0..N {
      alloc T: f32[] @registers
      T[] = X[i, k] * 2.0
      Y[i] += T[]
    }
  }
})");
}

TEST(ComputeAt, ReturnsTheTileUnderTheNameOfTheTemporary) {
  const Function f = parse_function(softmax);
  const Rewrite result = compute_at(f, tensor(f, "S"), axis(f, "i.Y"));
  EXPECT_EQ(result.tensor->name, "S");
  EXPECT_EQ(result.tensor->scope, Scope::registers);
  EXPECT_EQ(result.tensor, tensor(result.function, "S"));
}

}  // namespace compute_at_test
}  // namespace hone

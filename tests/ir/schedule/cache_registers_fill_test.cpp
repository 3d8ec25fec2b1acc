// Tiles in registers that are filled before they are used, and those that need not be.
#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "tests/support/ir/cached_matmul.h"

namespace hone {
namespace cache_registers_fill_test {

TEST(CacheRegisters, FillsWhatIsOnlyUpdated) {
  expect_rewrite(R"(func f[M, K](A: f32[M, K], C: f32[M]) {
                      for i in 0..M { reduce k in 0..K { C[i] += A[i, k] } }
                    })",
                 caches("C", "i"), R"(func f[M, K](A: f32[M, K], C: f32[M]) {
  for i in 0..M {
    alloc C.reg: f32[] @registers
    C.reg[] = C[i]
    reduce k in 0..K {
      C.reg[] += A[i, k]
    }
    C[i] = C.reg[]
  }
})");
}

TEST(CacheRegisters, FillsATileThatIsOnlyUpdated) {
  expect_rewrite(R"(func f[M](A: f32[M, 4], C: f32[M, 4]) {
                      for i in 0..M { for j in 0..4 { C[i, j] += A[i, j] } }
                    })",
                 caches("C", "i"), R"(func f[M](A: f32[M, 4], C: f32[M, 4]) {
  for i in 0..M {
    alloc C.reg: f32[4] @registers
    copy C.reg[0 .. +4] <- C[i, 0 .. +4]
    for j in 0..4 @unroll { C.reg[j] += A[i, j] }
    copy C[i, 0 .. +4] <- C.reg[0 .. +4]
  }
})");
}

TEST(CacheRegisters, FillsWhatIsReadFirst) {
  expect_rewrite(R"(func f(A: f32[8], C: f32[8]) {
                      for i in 0..8 { C[i] = C[i] * 0.5 + A[i] C[i] += 1.0 }
                    })",
                 caches("C", "i"), R"(func f(A: f32[8], C: f32[8]) {
  for i in 0..8 {
    alloc C.reg: f32[] @registers
    C.reg[] = C[i]
    C.reg[] = C.reg[] * 0.5 + A[i]
    C.reg[] += 1.0
    C[i] = C.reg[]
  }
})");
}

TEST(CacheRegisters, FillsATileThatIsNotSetInFull) {
  expect_rewrite(R"(func f(C: f32[32]) {
                      for i in 0..8 {
                        for j in 0..2 { C[i*4 + j] = 1.0 }
                        for l in 0..4 { C[i*4 + l] += 2.0 }
                      }
                    })",
                 caches("C", "i"), R"(func f(C: f32[32]) {
  for i in 0..8 {
    alloc C.reg: f32[4] @registers
    copy C.reg[0 .. +4] <- C[i*4 .. +4]
    for j in 0..2 @unroll { C.reg[j] = 1.0 }
    for l in 0..4 @unroll { C.reg[l] += 2.0 }
    copy C[i*4 .. +4] <- C.reg[0 .. +4]
  }
})");
}

TEST(CacheRegisters, KnowsElementsWithGapsByTheNamesOfTheirIndices) {
  expect_rewrite(R"(func f(A: f32[34], C: f32[32]) {
                      for i in 0..32 { let turn = i C[turn] = A[turn + 2] + A[turn] }
                    })",
                 caches("A", "i"), R"(func f(A: f32[34], C: f32[32]) {
  for i in 0..32 {
    alloc A.reg: f32[2] @registers
    copy A.reg[0 .. +2] <- A[i .. +2 by 2]
    let turn = i
    C[turn] = A.reg[1] + A.reg[0]
  }
})");
}

TEST(CacheRegisters, LeavesTheGapsOfATileOut) {
  expect_rewrite(R"(func f(C: f32[32]) {
                      for i in 0..8 { for j in 0..2 { C[i*4 + j*2] = 1.0 } }
                    })",
                 caches("C", "i"), R"(func f(C: f32[32]) {
  for i in 0..8 {
    alloc C.reg: f32[2] @registers
    for j in 0..2 @unroll { C.reg[j] = 1.0 }
    copy C[i*4 .. +2 by 2] <- C.reg[0 .. +2]
  }
})");
}

TEST(CacheRegisters, HoldsAccessesWhoseCornersLieApart) {
  expect_rewrite("func f(A: f32[9], C: f32[8]) { for i in 0..8 { C[i] = A[i + 1] - A[i] } }",
                 caches("A", "i"), R"(func f(A: f32[9], C: f32[8]) {
  for i in 0..8 {
    alloc A.reg: f32[2] @registers
    copy A.reg[0 .. +2] <- A[i .. +2]
    C[i] = A.reg[1] - A.reg[0]
  }
})");
}

TEST(CacheRegisters, FillsATileWhoseGuardIsNarrowerThanTheTensor) {
  expect_rewrite(R"(func f(C: f32[32]) {
                      for i in 0..8 { for j in 0..4 { if (i*4 + j < 30) { C[i*4 + j] = 1.0 } } }
                    })",
                 caches("C", "i"), R"(func f(C: f32[32]) {
  for i in 0..8 {
    alloc C.reg: f32[4] @registers
    copy C.reg[0 .. +4] <- C[i*4 .. +4]
    for j in 0..4 @unroll {
      if (i*4 + j < 30) { C.reg[j] = 1.0 }
    }
    copy C[i*4 .. +4] <- C.reg[0 .. +4]
  }
})");
}

TEST(CacheRegisters, FillsATileThatAnotherIterationReads) {
  // C[i*4 + 3 - j] is read before it is set for small j.
  expect_rewrite(R"(func f(C: f32[32], D: f32[32]) {
                      for i in 0..8 {
                        for j in 0..4 { C[i*4 + j] = 1.0 D[i*4 + j] = C[i*4 + 3 - j] }
                      }
                    })",
                 caches("C", "i"), R"(func f(C: f32[32], D: f32[32]) {
  for i in 0..8 {
    alloc C.reg: f32[4] @registers
    copy C.reg[0 .. +4] <- C[i*4 .. +4]
    for j in 0..4 @unroll {
      C.reg[j] = 1.0
      D[i*4 + j] = C.reg[3 - j]
    }
    copy C[i*4 .. +4] <- C.reg[0 .. +4]
  }
})");
}

TEST(CacheRegisters, FillsAScalarThatIsSetConditionally) {
  expect_rewrite(R"(func f(A: f32[8], C: f32[8], D: f32[8]) {
                      for i in 0..8 { if (A[i] > 0.0) { C[i] = 1.0 } D[i] = 2.0 }
                    })",
                 caches("C", "i"), R"(func f(A: f32[8], C: f32[8], D: f32[8]) {
  for i in 0..8 {
    alloc C.reg: f32[] @registers
    C.reg[] = C[i]
    if (A[i] > 0.0) { C.reg[] = 1.0 }
    D[i] = 2.0
    C[i] = C.reg[]
  }
})");
}

TEST(CacheRegisters, LeavesElementsAloneThatDoNotExist) {
  expect_rewrite(R"(func f(C: f32[5], D: f32[8]) {
                      for i in 0..8 { if (i < 5) { C[i] = 1.0 } D[i] = 2.0 }
                    })",
                 caches("C", "i"), R"(func f(C: f32[5], D: f32[8]) {
  for i in 0..8 {
    alloc C.reg: f32[] @registers
    C.reg[] = 1.0
    D[i] = 2.0
    if (i < 5) {
      C[i] = C.reg[]
    }
  }
})");
}

TEST(CacheRegisters, FillsWhatALoopOfNoIterationsMayLeave) {
  expect_rewrite(R"(func f[K](A: f32[K], C: f32[8]) {
                      for i in 0..8 { for k in 0..K { C[i] = A[k] } }
                    })",
                 caches("C", "i"), R"(func f[K](A: f32[K], C: f32[8]) {
  for i in 0..8 {
    alloc C.reg: f32[] @registers
    C.reg[] = C[i]
    for k in 0..K { C.reg[] = A[k] }
    C[i] = C.reg[]
  }
})");
}

TEST(CacheRegisters, SetsARowAndReadsItInTheNextLoop) {
  expect_rewrite(R"(func f(A: f32[8, 4], C: f32[8, 4], D: f32[8, 4]) {
                      for i in 0..8 {
                        for j in 0..4 { C[i, j] = A[i, j] * 2.0 }
                        for l in 0..4 { D[i, l] = C[i, 3 - l] }
                      }
                    })",
                 caches("C", "i"), R"(func f(A: f32[8, 4], C: f32[8, 4], D: f32[8, 4]) {
  for i in 0..8 {
    alloc C.reg: f32[4] @registers
    for j in 0..4 @unroll {
      C.reg[j] = A[i, j] * 2.0
    }
    for l in 0..4 @unroll {
      D[i, l] = C.reg[3 - l]
    }
    copy C[i, 0 .. +4] <- C.reg[0 .. +4]
  }
})");
}

TEST(CacheRegisters, SetsRowsAndReadsThemInTheSameIteration) {
  expect_rewrite(R"(func f(A: f32[8, 4], C: f32[8, 4], D: f32[8, 4]) {
                      for i.0 in 0..4 {
                        for i.1 in 0..2 {
                          for j in 0..4 { C[i.0*2 + i.1, j] = A[i.0*2 + i.1, j] * 2.0 }
                          for l in 0..4 { D[i.0*2 + i.1, l] = C[i.0*2 + i.1, 3 - l] }
                        }
                      }
                    })",
                 caches("C", "i.0"), R"(func f(A: f32[8, 4], C: f32[8, 4], D: f32[8, 4]) {
  for i.0 in 0..4 {
    alloc C.reg: f32[2, 4] @registers
    for i.1 in 0..2 @unroll {
      for j in 0..4 @unroll {
        C.reg[i.1, j] = A[i.0*2 + i.1, j] * 2.0
      }
      for l in 0..4 @unroll {
        D[i.0*2 + i.1, l] = C.reg[i.1, 3 - l]
      }
    }
    copy C[i.0*2 .. +2, 0 .. +4] <- C.reg[0 .. +2, 0 .. +4]
  }
})");
}

}  // namespace cache_registers_fill_test
}  // namespace hone

// Tiles that are filled ahead of their use, in rings.
#include <gtest/gtest.h>

#include "tests/support/ir/expect_rewrite.h"

namespace hone {
namespace pipeline_test {

Rewriting pipelines(llvm::StringRef name, int64_t stages) {
  return [=](const Function& f) { return pipeline(f, axis(f, name), stages).function; };
}

constexpr const char* tiled_sum = R"(func f[K](A: f32[K], C: f32[16]) {
  reduce k in 0..(K + 15) / 16 {
    alloc T: f32[16] @shared
    copy T[0 .. +16] <- A[k*16 .. +16]
    for i in 0..16 {
      C[i] += T[15 - i]
    }
  }
})";

TEST(Pipeline, FillsTilesAheadOfTheirUse) {
  expect_rewrite(tiled_sum, pipelines("k", 3), R"(func f[K](A: f32[K], C: f32[16]) {
  alloc T: f32[3, 16] @shared
  for k.ahead in 0..2 @unroll {
    if (k.ahead < (K + 15) / 16) {
      copy T[k.ahead, 0 .. +16] <- A[k.ahead*16 .. +16]
    }
  }
  reduce k in 0..(K + 15) / 16 {
    if (k + 2 < (K + 15) / 16) {
      copy T[(k + 2) % 3, 0 .. +16] <- A[k*16 + 32 .. +16]
    }
    for i in 0..16 {
      C[i] += T[k % 3, 15 - i]
    }
  }
})");
}

TEST(Pipeline, LeavesTheNestBehindItAKernelOfItsOwn) {
  expect_rewrite(R"(func f(A: f32[8], B: f32[8], C: f32[8]) {
  for i in 0..8 { alloc A.reg: f32[] @registers A.reg[] = A[i] B[i] = A.reg[] * 2.0 }
  for j in 0..8 { C[j] = B[j] + 1.0 }
})",
                 pipelines("i", 2), R"(func f(A: f32[8], B: f32[8], C: f32[8]) {
  alloc A.reg: f32[2] @registers
  A.reg[0] = A[0]
  for i in 0..8 {
    if (i + 1 < 8) {
      A.reg[(i + 1) % 2] = A[i + 1]
    }
    B[i] = A.reg[i % 2] * 2.0
  }
  for j in 0..8 {
    C[j] = B[j] + 1.0
  }
})");
}

TEST(Pipeline, TakesAllTilesThatAreFilledFirst) {
  expect_rewrite(R"(func f[K](A: f32[4, K], B: f32[K, 4], C: f32[4, 4]) {
  for a in 0..4 { for b in 0..4 { C[a, b] = 0.0 } }
  reduce k in 0..(K + 7) / 8 {
    alloc T: f32[4, 8] @order(1, 0) @pad(1) @shared
    copy T[0 .. +4, 0 .. +8] <- A[0 .. +4, k*8 .. +8]
    alloc U: f32[8, 4] @shared
    copy U[0 .. +8, 0 .. +4] <- B[k*8 .. +8, 0 .. +4]
    reduce l in 0..8 {
      alloc r: f32[4] @registers
      copy r[0 .. +4] <- U[l, 0 .. +4]
      for i in 0..4 { for j in 0..4 @unroll { C[i, j] += T[i, l] * r[j] } }
    }
  }
})",
                 pipelines("k", 2), R"(func f[K](A: f32[4, K], B: f32[K, 4], C: f32[4, 4]) {
  for a in 0..4 {
    for b in 0..4 {
      C[a, b] = 0.0
    }
  }
  alloc T: f32[2, 4, 8] @order(0, 2, 1) @pad(1) @shared
  alloc U: f32[2, 8, 4] @shared
  if (0 < (K + 7) / 8) {
    copy T[0, 0 .. +4, 0 .. +8] <- A[0 .. +4, 0 .. +8]
    copy U[0, 0 .. +8, 0 .. +4] <- B[0 .. +8, 0 .. +4]
  }
  reduce k in 0..(K + 7) / 8 {
    if (k + 1 < (K + 7) / 8) {
      copy T[(k + 1) % 2, 0 .. +4, 0 .. +8] <- A[0 .. +4, k*8 + 8 .. +8]
      copy U[(k + 1) % 2, 0 .. +8, 0 .. +4] <- B[k*8 + 8 .. +8, 0 .. +4]
    }
    reduce l in 0..8 {
      alloc r: f32[4] @registers
      copy r[0 .. +4] <- U[k % 2, l, 0 .. +4]
      for i in 0..4 {
        for j in 0..4 @unroll {
          C[i, j] += T[k % 2, i, l] * r[j]
        }
      }
    }
  }
})");
}

/// Registers have no addresses: the loop is unrolled, and slots are numbers.
TEST(Pipeline, OfRegistersInAnUnrolledLoop) {
  expect_rewrite(R"(func f(A: f32[4, 8], C: f32[8]) {
  reduce k in 0..4 @unroll {
    alloc r: f32[8] @registers
    copy r[0 .. +8] <- A[k, 0 .. +8]
    for i in 0..8 @unroll { C[i] += r[i] }
  }
})",
                 pipelines("k", 2), R"(func f(A: f32[4, 8], C: f32[8]) {
  alloc r: f32[2, 8] @registers
  copy r[0, 0 .. +8] <- A[0, 0 .. +8]
  reduce k in 0..4 @unroll {
    if (k + 1 < 4) {
      copy r[(k + 1) % 2, 0 .. +8] <- A[k + 1, 0 .. +8]
    }
    for i in 0..8 @unroll {
      C[i] += r[k % 2, i]
    }
  }
})");
}

constexpr const char* rows_of_four = R"(func f[K](A: f32[3, K], B: f32[K], C: f32[3]) {
  reduce k in 0..K / 4 {
    alloc a: f32[3, 4] @registers
    copy a[0 .. +3, 0 .. +4] <- A[0 .. +3, k*4 .. +4]
    for l in 0..4 @unroll {
      for i in 0..3 @unroll {
        C[i] += a[i, l] * B[k*4 + l]
      }
    }
  }
})";

/// Each row behind its own last product.
TEST(Pipeline, OfOneStageFillsRegistersBehindTheirLastUse) {
  expect_rewrite(rows_of_four, pipelines("k", 1), R"(func f[K](A: f32[3, K], B: f32[K], C: f32[3]) {
  alloc a: f32[3, 4] @registers
  if (0 < K / 4) {
    copy a[0 .. +3, 0 .. +4] <- A[0 .. +3, 0 .. +4]
  }
  reduce k in 0..K / 4 {
    for l in 0..4 @unroll {
      for i in 0..3 @unroll {
        C[i] += a[i, l] * B[k*4 + l]
        if (l == 3) {
          if (k + 1 < K / 4) {
            copy a[i, 0 .. +4] <- A[i, k*4 + 4 .. +4]
          }
        }
      }
    }
  }
})");
}

/// Nothing uses the row behind the third iteration of l.
TEST(Pipeline, OfOneStageFillsWhatIsFreeBeforeTheEnd) {
  expect_rewrite(R"(func f[K](A: f32[K, 4], B: f32[5], C: f32[5]) {
  reduce k in 0..K {
    alloc r: f32[4] @registers
    copy r[0 .. +4] <- A[k, 0 .. +4]
    for l in 0..5 @unroll {
      if (l < 3) {
        C[l] += r[l]
      }
      C[l] += B[l]
    }
  }
})",
                 pipelines("k", 1), R"(func f[K](A: f32[K, 4], B: f32[5], C: f32[5]) {
  alloc r: f32[4] @registers
  if (0 < K) {
    copy r[0 .. +4] <- A[0, 0 .. +4]
  }
  reduce k in 0..K {
    for l in 0..5 @unroll {
      if (l == 3) {
        if (k + 1 < K) {
          copy r[0 .. +4] <- A[k + 1, 0 .. +4]
        }
      }
      if (l < 3) {
        C[l] += r[l]
      }
      C[l] += B[l]
    }
  }
})");
}

/// Loops that fill a tile are copied with names of their own.
TEST(Pipeline, OfTilesThatLoopsFill) {
  expect_rewrite(R"(func f[K](A: f32[K, 4, 8], C: f32[8]) {
  reduce k in 0..K {
    alloc T: f32[2, 4] @shared
    for p in 0..2 {
      for v in 0..4 @vectorize {
        T[p, v] = A[k, p, v]
      }
    }
    for i in 0..8 { C[i] += T[i % 2, i / 2] }
  }
})",
                 pipelines("k", 2), R"(func f[K](A: f32[K, 4, 8], C: f32[8]) {
  alloc T: f32[2, 2, 4] @shared
  if (0 < K) {
    for p.ahead in 0..2 {
      for v.ahead in 0..4 @vectorize {
        T[0, p.ahead, v.ahead] = A[0, p.ahead, v.ahead]
      }
    }
  }
  reduce k in 0..K {
    if (k + 1 < K) {
      for p in 0..2 {
        for v in 0..4 @vectorize {
          T[(k + 1) % 2, p, v] = A[k + 1, p, v]
        }
      }
    }
    for i in 0..8 {
      C[i] += T[k % 2, i % 2, i / 2]
    }
  }
})");
}

TEST(PipelineRefusals, OfALoopThatRunsInParallel) {
  expect_refusal(
      R"(func f(A: f32[4, 8], C: f32[4, 8]) {
  for k in 0..4 @block.x {
    alloc T: f32[8] @shared
    copy T[0 .. +8] <- A[k, 0 .. +8]
    for i in 0..8 { C[k, i] = T[i] }
  }
})",
      pipelines("k", 2),
      R"(error: pipeline: k is bound to block.x, and a pipeline goes through its iterations one after the other
  for k in 0..4 @block.x {           <-- here
    alloc T: f32[8] @shared
    copy T[0 .. +8] <- A[k, 0 .. +8]
note: pipeline a loop inside of it, or before it is bound)");
}

TEST(PipelineRefusals, OfNoStage) {
  expect_refusal(tiled_sum, pipelines("k", 0),
                 R"(error: pipeline: a pipeline has a stage or more, got 0
  reduce k in 0..(K + 15) / 16 {     <-- here
    alloc T: f32[16] @shared
    copy T[0 .. +16] <- A[k*16 .. +16]
note: 2: the next iteration's tiles are filled during this one)");
}

TEST(PipelineRefusals, OfSharedMemoryInOneStage) {
  expect_refusal(
      tiled_sum, pipelines("k", 1),
      R"(error: pipeline: T lies in shared memory, and a pipeline of one stage fills registers, each thread behind its own last use
  reduce k in 0..(K + 15) / 16 {
    copy T[0 .. +16] <- A[k*16 .. +16]  <-- here
note: 2 stages or more)");
}

TEST(PipelineRefusals, OfALoopWithoutTiles) {
  expect_refusal("func f(A: f32[8], C: f32[1]) { reduce k in 0..8 { C[0] += A[k] } }",
                 pipelines("k", 2),
                 R"(error: pipeline: no tile is filled at the start of k
  reduce k in 0..8 {                 <-- here
    C[0] += A[k]
note: cache_shared or cache_registers under it first)");
}

TEST(PipelineRefusals, ASecondTime) {
  const std::string text =
      "func f(A: f32[8, 4], C: f32[1]) { alloc T: f32[2, 4] @shared "
      "copy T[0, 0 .. +4] <- A[0, 0 .. +4] reduce k in 0..8 { "
      "if (k + 1 < 8) { copy T[(k + 1) % 2, 0 .. +4] <- A[k + 1, 0 .. +4] } "
      "C[0] += T[k % 2, 3] } }";
  expect_refusal(text, pipelines("k", 2), R"(error: pipeline: no tile is filled at the start of k
  reduce k in 0..8 {                 <-- here
    if (k + 1 < 8) {
      copy T[(k + 1) % 2, 0 .. +4] <- A[k + 1, 0 .. +4]
note: it goes through the slots of a ring: it is pipelined already)");
}

TEST(PipelineRefusals, OfSourcesThatTheLoopWrites) {
  expect_refusal(R"(func f(A: f32[5, 8]) {
  for k in 0..4 {
    alloc T: f32[8] @shared
    copy T[0 .. +8] <- A[k, 0 .. +8]
    for i in 0..8 { A[k + 1, i] = T[7 - i] }
  }
})",
                 pipelines("k", 2),
                 R"(error: pipeline: A is written in k, and copies would read it iterations earlier
  for k in 0..4 {
    copy T[0 .. +8] <- A[k, 0 .. +8]  <-- here
note: pipeline a loop that only reads what its tiles hold)");
}

TEST(PipelineRefusals, OfTilesThatTakeResults) {
  expect_refusal(R"(func f(A: f32[4, 8], C: f32[4, 8]) {
  for k in 0..4 {
    alloc T: f32[8] @registers
    copy T[0 .. +8] <- A[k, 0 .. +8]
    for i in 0..8 @unroll { T[i] += 1.0 }
    copy C[k, 0 .. +8] <- T[0 .. +8]
  }
})",
                 pipelines("k", 2),
                 R"(error: pipeline: T is written beside the copy that fills it
  for k in 0..4 {
    copy T[0 .. +8] <- A[k, 0 .. +8]  <-- here
note: a tile that takes results is no stage of a pipeline)");
}

TEST(PipelineRefusals, OfMoreThanSharedMemoryHolds) {
  expect_refusal(
      R"(func f(A: f32[8, 16384], C: f32[8, 16384]) {
  for k in 0..8 {
    alloc T: f32[16384] @shared
    copy T[0 .. +16384] <- A[k, 0 .. +16384]
    for i in 0..16384 { C[k, i] = T[i] }
  }
})",
      pipelines("k", 4),
      R"(error: pipeline: a ring of 4 for T takes 262144 bytes of shared memory, and no architecture gives a block more than 232448
  for k in 0..8 {                    <-- here
    alloc T: f32[16384] @shared
    copy T[0 .. +16384] <- A[k, 0 .. +16384]
note: fewer stages, or smaller tiles)");
}

}  // namespace pipeline_test
}  // namespace hone

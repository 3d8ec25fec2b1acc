// Producers whose copies the copy engine makes, from copies of any kind.
#include <gtest/gtest.h>

#include <regex>

#include "ir/text/parser.h"
#include "tests/support/ir/expect_rewrite.h"

namespace hone {
namespace specialize_engine_test {

Rewriting specializes_for_engine(llvm::StringRef name, int64_t stages) {
  return [=](const Function& f) {
    return specialize(f, axis(f, name), stages, {.producer_warps = 1}, CopyEngine::boxes).function;
  };
}

/// Rows of bf16, which have single elements.
constexpr const char* rows_of_halves = R"(func f[K](A: bf16[K, 63] @pitch(64), C: f32[64]) {
  for t in 0..64 @thread.x {
    reduce k in 0..K {
      alloc T: bf16[64] @shared
      copy T[0 .. +64] <- A[k, 0 .. +64]
      C[t] += f32(T[63 - t])
    }
  }
})";

TEST(SpecializeForTheEngine, TheCopyEngineMakesCopiesOfAllKinds) {
  expect_rewrite(rows_of_halves, specializes_for_engine("k", 3),
                 R"(func f[K](A: bf16[K, 63] @pitch(64), C: f32[64]) {
  for t in 0..64 @thread.x {
    alloc T: bf16[3, 64] @shared @align(128)
    reduce k in 0..K @roles(1) {
      copy T[k % 3, 0 .. +64] <- A[k, 0 .. +64] @bulk @by(producers)
      C[t] += f32(T[k % 3, 63 - t])
    }
  }
})");
}

/// Single elements that lie apart, which the engine cannot fetch, next to rows, which it can.
TEST(SpecializeForTheEngine, AsynchronousCopiesStayWhatTheyAre) {
  expect_rewrite(R"(func f(A: f32[4, 64], x: f32[64, 5], C: f32[64]) {
  for t in 0..64 @thread.x {
    for k in 0..4 {
      alloc T: f32[64] @shared
      copy T[0 .. +64] <- A[k, 0 .. +64]
      alloc U: f32[64] @shared
      copy U[0 .. +64] <- x[0 .. +64, k] @async
      C[t] += T[63 - t] * U[63 - t]
    }
  }
})",
                 specializes_for_engine("k", 2),
                 R"(func f(A: f32[4, 64], x: f32[64, 5], C: f32[64]) {
  for t in 0..64 @thread.x {
    alloc T: f32[2, 64] @shared @align(128)
    alloc U: f32[2, 64] @shared
    for k in 0..4 @roles(1) {
      copy T[k % 2, 0 .. +64] <- A[k, 0 .. +64] @bulk @by(producers)
      copy U[k % 2, 0 .. +64] <- x[0 .. +64, k] @async @by(producers)
      C[t] += T[k % 2, 63 - t] * U[k % 2, 63 - t]
    }
  }
})");
}

TEST(SpecializeForTheEngine, RegistersStayTheConsumersWhereTheCopyEngineFillsRings) {
  expect_rewrite(R"(func f(A: f32[4, 64], C: f32[64]) {
  for t in 0..64 @thread.x {
    for k in 0..4 {
      alloc T: f32[64] @shared
      copy T[0 .. +64] <- A[k, 0 .. +64]
      alloc r: f32[2] @registers
      copy r[0 .. +2] <- A[k, 3 .. +2]
      C[t] += T[63 - t] * r[0] + r[1]
    }
  }
})",
                 specializes_for_engine("k", 2), R"(func f(A: f32[4, 64], C: f32[64]) {
  for t in 0..64 @thread.x {
    alloc T: f32[2, 64] @shared @align(128)
    for k in 0..4 @roles(1) {
      copy T[k % 2, 0 .. +64] <- A[k, 0 .. +64] @bulk @by(producers)
      alloc r: f32[2] @registers
      copy r[0 .. +2] <- A[k, 3 .. +2]
      C[t] += T[k % 2, 63 - t] * r[0] + r[1]
    }
  }
})");
}

TEST(SpecializeForTheEngineRefusals, OfLoopsThatTheCopyEngineHasNoCopiesIn) {
  expect_refusal(
      "func f(A: f32[4, 64], C: f32[64]) { for t in 0..64 @thread.x { for k in 0..4 { "
      "C[t] += A[k, t] } } }",
      specializes_for_engine("k", 3),
      R"(error: specialize: no copy fills a tile in shared memory at the start of k
  for t in 0..64 @thread.x {
    for k in 0..4 {                  <-- here
      C[t] += A[k, t]
note: cache_shared under it first)");
}

TEST(SpecializeForTheEngineRefusals, OfCopiesThatTheCopyEngineDoesNotMake) {
  const std::string dense = std::regex_replace(rows_of_halves, std::regex(" @pitch\\(64\\)"), "");
  expect_refusal(
      dense, specializes_for_engine("k", 3),
      R"(error: specialize: rows of A lie 63 elements apart, and those of a bulk copy at multiples of 16 bytes
  for t in 0..64 @thread.x {
    reduce k in 0..K {               <-- here
      alloc T: bf16[64] @shared
      copy T[0 .. +64] <- A[k, 0 .. +64]
note: leave it asynchronous, or cache_global(A, Layout().pitch(64)) first)");
}

}  // namespace specialize_engine_test
}  // namespace hone

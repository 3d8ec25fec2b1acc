// The threads that come to a loop with roles.
#include <gtest/gtest.h>

#include "tests/support/ir/expect_rewrite.h"

namespace hone {
namespace specialize_threads_test {

/// One thread sums, and the 31 others would release no slot.
TEST(SpecializeRefusals, OfStatementsThatSomeOfTheThreadsRun) {
  expect_refusal(
      R"(func f(A: f32[4, 32], B: f32[32], C: f32[1]) {
  for b in 0..1 @block.x {
    for t in 0..32 @thread.x {
      B[t] = 1.0
    }
    for k in 0..4 {
      alloc T: f32[32] @shared
      copy T[0 .. +32] <- A[k, 0 .. +32] @async
      C[0] += T[0]
    }
  }
})",
      [](const Function& f) {
        return specialize(f, axis(f, "k"), 2, {.producer_warps = 1}).function;
      },
      R"(error: specialize: a statement of k runs on 1 of 32 threads, and all of them release its slots together
  for b in 0..1 @block.x {
    for k in 0..4 {                  <-- here
      alloc T: f32[32] @shared
      copy T[0 .. +32] <- A[k, 0 .. +32] @async
note: bind loops around it to all threads of the block)");
}

/// Registers that are allocated outside of thread loops: each thread has a copy, and sets it.
TEST(Specialize, TakesRegistersThatAllThreadsSet) {
  expect_rewrite(
      R"(func f(A: f32[4, 32], x: f32[4], C: f32[32]) {
  for k in 0..4 {
    alloc T: f32[32] @shared
    copy T[0 .. +32] <- A[k, 0 .. +32] @async
    alloc r: f32[] @registers
    r[] = x[k]
    for t in 0..32 @thread.x {
      C[t] += T[31 - t] * r[]
    }
  }
})",
      [](const Function& f) {
        return specialize(f, axis(f, "k"), 2, {.producer_warps = 1}).function;
      },
      R"(func f(A: f32[4, 32], x: f32[4], C: f32[32]) {
  alloc T: f32[2, 32] @shared
  for k in 0..4 @roles(1) {
    copy T[k % 2, 0 .. +32] <- A[k, 0 .. +32] @async @by(producers)
    alloc r: f32[] @registers
    r[] = x[k]
    for t in 0..32 @thread.x {
      C[t] += T[k % 2, 31 - t] * r[]
    }
  }
})");
}

/// The threads from 16 on set no register.
TEST(SpecializeRefusals, OfRegistersThatSomeOfTheThreadsSet) {
  expect_refusal(
      R"(func f(A: f32[4, 32], C: f32[32]) {
  for k in 0..4 {
    alloc T: f32[32] @shared
    copy T[0 .. +32] <- A[k, 0 .. +32] @async
    for t in 0..32 @thread.x {
      C[t] += T[31 - t]
    }
    for u in 0..16 @thread.x {
      alloc r: f32[] @registers
      r[] = T[u]
    }
  }
})",
      [](const Function& f) {
        return specialize(f, axis(f, "k"), 2, {.producer_warps = 1}).function;
      },
      R"(error: specialize: a statement of k runs on 16 of 32 threads, and all of them release its slots together
  for k in 0..4 {                    <-- here
    alloc T: f32[32] @shared
    copy T[0 .. +32] <- A[k, 0 .. +32] @async
note: bind loops around it to all threads of the block)");
}

TEST(SpecializeRefusals, OfLoopsInsideOfOneThatCombines) {
  expect_refusal(
      R"(func f(A: f32[4, 64], C: f32[32]) {
  for t in 0..32 @thread.x {
    reduce m in 0..2 @thread.y combine(sequential) {
      reduce k in 0..4 {
        alloc T: f32[64] @shared
        copy T[0 .. +64] <- A[k, 0 .. +64] @async
        C[t] += T[m*32 + t]
      }
    }
  }
})",
      [](const Function& f) {
        return specialize(f, axis(f, "k"), 2, {.producer_warps = 1}).function;
      },
      R"(error: specialize: m combines the results of its iterations, and k inside of it has producers, which have no part in that
  for t in 0..32 @thread.x {
    reduce m in 0..2 @thread.y combine(sequential) {
      reduce k in 0..4 {             <-- here
        alloc T: f32[64] @shared
        copy T[0 .. +64] <- A[k, 0 .. +64] @async
note: pipeline k)");
}

}  // namespace specialize_threads_test
}  // namespace hone

// Loops are bound only where no iteration needs what another does.
#include "gtest/gtest.h"
#include "tests/support/ir/combines.h"

namespace hone {
namespace bind_dependence_test {

TEST(Bind, RefusesIterationsThatWriteOneElement) {
  expect_refusal("func f(C: f32[8]) { for i in 0..8 { C[i / 2] = 1.0 } }", binds("i", thread_x),
                 R"(error: bind: two iterations of i may write one element: C[i / 2]
  for i in 0..8 {
    C[i / 2] = 1.0                   <-- here
note: iterations that run at the same time must not share what they write)");
}

TEST(Bind, RefusesIterationsThatReadWhatOthersWrite) {
  expect_refusal(
      "func f(A: f32[9]) { for i in 0..8 { A[i] = A[i + 1] } }", binds("i", thread_x),
      R"(error: bind: two iterations of i may touch one element: one writes A[i], one reads A[i + 1]
  for i in 0..8 {
    A[i] = A[i + 1]                  <-- here
note: iterations that run at the same time must not share what they write)");
}

TEST(Bind, RefusesUpdatesOfOneElement) {
  expect_refusal("func f(A: f32[8], C: f32[1]) { for i in 0..8 { C[0] += A[i] } }",
                 binds("i", thread_x),
                 R"(error: bind: two iterations of i may write one element: C[0]
  for i in 0..8 {
    C[0] += A[i]                     <-- here
note: iterations that run at the same time must not share what they write)");
}

TEST(Bind, RefusesIndicesWhoseStrideVaries) {
  expect_refusal("func f(C: f32[64]) { for i in 0..4 { for j in 0..4 { C[(j + 1)*i] = 1.0 } } }",
                 binds("i", block_x),
                 R"(error: bind: two iterations of i may write one element: C[(j + 1)*i]
  for i in 0..4 {
    for j in 0..4 {
      C[(j + 1)*i] = 1.0             <-- here
note: iterations that run at the same time must not share what they write)");
}

TEST(Bind, SeesThroughLets) {
  expect_refusal("func f(C: f32[16]) { for i in 0..4 { let r = 6 - 2*i C[i*2 + r] = 1.0 } }",
                 binds("i", block_x),
                 R"(error: bind: two iterations of i may write one element: C[i*2 + (6 - 2*i)]
  for i in 0..4 {
    C[i*2 + r] = 1.0                 <-- here
note: iterations that run at the same time must not share what they write)");
}

TEST(Bind, RefusesOverlappingCopies) {
  expect_refusal(
      R"(func f(A: f32[32, 8], C: f32[32, 8]) {
                      for i in 0..4 { copy C[i .. +2, i .. +5] <- A[i .. +2, 0 .. +5] }
                    })",
      binds("i", block_x),
      R"(error: bind: two iterations of i may write one element: C[i .. +2, i .. +5]
  for i in 0..4 {
    copy C[i .. +2, i .. +5] <- A[i .. +2, 0 .. +5]  <-- here
note: iterations that run at the same time must not share what they write)");
}

TEST(Bind, RefusesAnOverhangThatNoGuardCutsOff) {
  expect_refusal("func f(C: f32[40]) { for i in 0..3 { for j in 0..12 { C[i*10 + j] = 1.0 } } }",
                 binds("i", block_x),
                 R"(error: bind: two iterations of i may write one element: C[i*10 + j]
  for i in 0..3 {
    for j in 0..12 {
      C[i*10 + j] = 1.0              <-- here
note: iterations that run at the same time must not share what they write)");
}

TEST(Bind, RefusesRegistersOfOneThread) {
  expect_refusal(R"(func f(A: f32[8], C: f32[8]) {
                      alloc s: f32[8] @registers
                      for i in 0..8 { s[i] = A[i] }
                      for j in 0..8 { C[j] = s[j] }
                    })",
                 binds("i", thread_x),
                 R"(error: bind: s[i] and s[j] are not elements of the same thread in thread.x
  for i in 0..8 {                    <-- here
    s[i] = A[i]
note: s lives outside of the loops of threads, each of which has its own elements of it; threads exchange values in shared memory)");
}

TEST(Bind, RefusesThreadsThatHaveNoWholeVectors) {
  expect_refusal(
      R"(func f(A: f32[32], C: f32[32]) {
                      alloc s: f32[32] @registers
                      copy s[0 .. +32] <- A[0 .. +32] @vector(4)
                      for i in 0..32 { C[i] = s[i] }
                    })",
      binds("i", thread_x),
      R"(error: bind: each thread has 1 neighbouring elements of s at a time, of 32, and 4 cannot move at once
  for i in 0..32 {                   <-- here
    C[i] = s[i]
note: split the axis of the threads by the length of the vector first)");
}

TEST(Bind, RefusesARegisterThatAllThreadsWouldWrite) {
  expect_refusal(R"(func f(A: f32[8], C: f32[8]) {
                      alloc s: f32[] @registers
                      for i in 0..8 { s[] = A[i] C[i] = s[] }
                    })",
                 binds("i", thread_x),
                 R"(error: bind: s lives outside i, in the registers of one thread
  for i in 0..8 {
    s[] = A[i]                       <-- here
note: bind before caching, or cache under this axis)");
}

TEST(Bind, RegistersWhoseElementsEachThreadTouchesAlone) {
  expect_rewrite(R"(func f(A: f32[8], C: f32[8]) {
                      alloc s: f32[8] @registers
                      for i in 0..8 @thread.x { s[i] = A[i] }
                      for j in 0..8 @thread.x { C[j] = s[j] }
                      for k in 0..8 { C[k] = C[k] + 1.0 }
                    })",
                 binds("k", thread_x), R"(func f(A: f32[8], C: f32[8]) {
  alloc s: f32[8] @registers
  for i in 0..8 @thread.x {
    s[i] = A[i]
  }
  for j in 0..8 @thread.x {
    C[j] = s[j]
  }
  for k in 0..8 @thread.x {
    C[k] = C[k] + 1.0
  }
})");
}

}  // namespace bind_dependence_test
}  // namespace hone

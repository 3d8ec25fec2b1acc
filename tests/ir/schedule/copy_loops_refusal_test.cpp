#include "gtest/gtest.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace copy_loops_refusal_test {

constexpr const char* exact_rows = R"(func f(A: f32[32, 8], C: f32[32, 8]) {
  for b in 0..8 { for t in 0..4 { for j in 0..8 { C[b*4 + t, j] = A[b*4 + t, j] * 2.0 } } }
})";

/// exact_rows with A in shared memory, and the copy that fills it as loops.
Function filled(const Function& f) { return with_copy_loops(in_shared(f, "A", "b"), "A.shared"); }

TEST(CopyLoops, RefusesATileWithoutSuchACopy) {
  expect_refusal(
      exact_rows,
      [](const Function& f) {
        return with_copy_loops(in_shared(f, "A", "b"), "A.shared", Direction::write_back);
      },
      "error: copy_loops: no copy writes A.shared back");
  expect_refusal(
      exact_rows,
      [](const Function& f) { return with_copy_loops(in_shared(f, "C", "b"), "C.shared"); },
      "error: copy_loops: no copy fills C.shared");
}

TEST(CopyLoops, RefusesAnArgument) {
  expect_refusal(
      exact_rows, [](const Function& f) { return with_copy_loops(in_shared(f, "A", "b"), "A"); },
      "error: copy_loops: no copy fills A");
}

TEST(CopyLoops, RefusesATileThatIsInLoopsAlready) {
  expect_refusal(
      exact_rows, [](const Function& f) { return with_copy_loops(filled(f), "A.shared"); },
      "error: copy_loops: no copy fills A.shared");
}

TEST(CopyLoops, RefusesACopyThatPromisesVectors) {
  expect_refusal(
      exact_rows,
      [](const Function& f) {
        return with_copy_loops(in_shared(f, "A", "b", {.vectorize = 4}), "A.shared");
      },
      R"(error: copy_loops: 4 elements of A.shared move at a time, and loops would move one
  for b in 0..8 {
    copy A.shared[0 .. +4, 0 .. +8] <- A[b*4 .. +4, 0 .. +8] @vector(4)  <-- here
note: cache without {.vectorize}, and vectorize one of the loops)");
}

TEST(CopyLoops, RefusesMoreIterationsThanThreads) {
  expect_refusal(
      R"(func f(A: f32[4, 8], C: f32[4]) {
        for t in 0..4 @thread.x { reduce k in 0..4 { reduce l in 0..8 { C[t] += A[k, l] } } }
      })",
      [](const Function& f) {
        const Function g = with_copy_loops(in_shared(f, "A", "k"), "A.shared");
        return bound(g, "A.shared.0", thread_x);
      },
      R"(error: bind: A.shared.0 has 8 iterations, and the block has 4 threads in thread.x
  for t in 0..4 @thread.x {
    reduce k in 0..4 {
      for A.shared.0 in 0..8 {       <-- here
        A.shared[A.shared.0] = A[k, A.shared.0]
note: split it first)");
}

TEST(CopyLoops, RefusesTheSameThreadsTwice) {
  expect_refusal(
      exact_rows,
      [](const Function& f) {
        return bound(bound(filled(f), "A.shared.0", thread_x), "A.shared.1", thread_x);
      },
      R"(error: bind: A.shared.0 is bound to thread.x already, and A.shared.1 is in the same nest
  for b in 0..8 {
    for A.shared.0 in 0..4 @thread.x {  <-- here
      for A.shared.1 in 0..8 {
        A.shared[A.shared.0, A.shared.1] = A[b*4 + A.shared.0, A.shared.1]
note: thread has the dimensions x, y and z)");
}

}  // namespace copy_loops_refusal_test
}  // namespace hone

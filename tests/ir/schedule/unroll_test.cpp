#include "gtest/gtest.h"
#include "tests/support/ir/expect_rewrite.h"

namespace hone {
namespace unroll_test {

Rewriting unrolls(llvm::StringRef name, int64_t count = 0) {
  return [=](const Function& f) { return unroll(f, axis(f, name), count).function; };
}

constexpr const char* fill = "func f[N](C: f32[N]) { for i in 0..N { C[i] = 1.0 } }";

TEST(Unroll, InFull) {
  expect_rewrite("func f(C: f32[8]) { for i in 0..8 { C[i] = 1.0 } }", unrolls("i"),
                 R"(func f(C: f32[8]) {
  for i in 0..8 @unroll {
    C[i] = 1.0
  }
})");
}

TEST(Unroll, ByACount) {
  expect_rewrite(fill, unrolls("i", 4), R"(func f[N](C: f32[N]) {
  for i in 0..N @unroll(4) {
    C[i] = 1.0
  }
})");
}

TEST(Unroll, AReduction) {
  expect_rewrite("func f(A: f32[8], C: f32[1]) { reduce k in 0..8 { C[0] += A[k] } }", unrolls("k"),
                 R"(func f(A: f32[8], C: f32[1]) {
  reduce k in 0..8 @unroll {
    C[0] += A[k]
  }
})");
}

TEST(Unroll, FillsTheBudget) {
  expect_rewrite("func f(C: f32[4096]) { for i in 0..4096 { C[i] = 1.0 } }", unrolls("i"),
                 R"(func f(C: f32[4096]) {
  for i in 0..4096 @unroll {
    C[i] = 1.0
  }
})");
}

TEST(Unroll, RefusesANegativeCount) {
  expect_refusal(fill, unrolls("i", -1), R"(error: unroll: the count must be positive, got -1
  for i in 0..N {                    <-- here
    C[i] = 1.0
note: 0, or no count, unrolls in full)");
}

TEST(Unroll, RefusesASymbolicExtentInFull) {
  expect_refusal(fill, unrolls("i"),
                 R"(error: unroll: i has the extent N, which is known at launch only
  for i in 0..N {                    <-- here
    C[i] = 1.0
note: give a count, or split off a constant number of iterations)");
}

TEST(Unroll, RefusesAnAxisUnrolledAlready) {
  expect_refusal("func f(C: f32[8]) { for i in 0..8 @unroll { C[i] = 1.0 } }", unrolls("i", 2),
                 R"(error: unroll: i is unrolled already
  for i in 0..8 @unroll {            <-- here
    C[i] = 1.0
note: a loop is bound, unrolled or vectorised once)");
}

TEST(Unroll, RefusesABoundAxis) {
  expect_refusal("func f(C: f32[8]) { for i in 0..8 @thread.y { C[i] = 1.0 } }", unrolls("i"),
                 R"(error: unroll: i is bound to thread.y already
  for i in 0..8 @thread.y {          <-- here
    C[i] = 1.0
note: a loop is bound, unrolled or vectorised once)");
}

TEST(Unroll, RefusesMoreThanTheBudget) {
  expect_refusal("func f(C: f32[4097]) { for i in 0..4097 { C[i] = 1.0 } }", unrolls("i"),
                 R"(error: unroll: unrolling i would make more than 4096 statements
  for i in 0..4097 {                 <-- here
    C[i] = 1.0
note: unroll a part of it, or fewer of the loops around it)");
}

TEST(Unroll, CountsWhatUnrolledLoopsInsideRepeat) {
  expect_refusal(R"(func f(C: f32[256, 128]) {
                      for i in 0..256 { for j in 0..128 @unroll { C[i, j] = 1.0 } }
                    })",
                 unrolls("i"), R"(error: unroll: unrolling i would make more than 4096 statements
  for i in 0..256 {                  <-- here
    for j in 0..128 @unroll {
      C[i, j] = 1.0
note: unroll a part of it, or fewer of the loops around it)");
}

TEST(Unroll, CountsUnrolledLoopsAround) {
  expect_refusal(R"(func f(C: f32[256, 128]) {
                      for i in 0..256 @unroll { for j in 0..128 { C[i, j] = 1.0 } }
                    })",
                 unrolls("j"), R"(error: unroll: unrolling j would make more than 4096 statements
  for i in 0..256 @unroll {
    for j in 0..128 {                <-- here
      C[i, j] = 1.0
note: unroll a part of it, or fewer of the loops around it)");
}

TEST(Unroll, RefusesAHugeCount) {
  expect_refusal(fill, unrolls("i", int64_t{1} << 62),
                 R"(error: unroll: unrolling i would make more than 4096 statements
  for i in 0..N {                    <-- here
    C[i] = 1.0
note: unroll a part of it, or fewer of the loops around it)");
}

}  // namespace unroll_test
}  // namespace hone

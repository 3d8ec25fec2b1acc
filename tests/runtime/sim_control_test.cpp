// The threads of a block that run an instruction: conditions, lazy operands, loops, barriers.
#include <gtest/gtest.h>

#include "tests/support/runtime/sim_run.h"

namespace hone {
namespace sim_control_test {

/// A kernel over A and C, one block of 8 threads, with `t` for thread.x.
std::string eight_threads(const std::string& body) {
  return "kernel eight[N](A: f32[N], C: f32[8]) grid(1, 1, 1) block(8, 1, 1) @index32 "
         "{ let t = thread.x " +
         body + " }";
}

Values run_eight(const std::string& body, const Values& a = {1, 2, 3, 4, 5, 6, 7, 8}) {
  return sim_values(eight_threads(body), {{"N", static_cast<int64_t>(a.size())}},
                    {{"A", vector_of(a)}, {"C", Buffer(f32, {8})}});
}

std::string error_of_eight(const std::string& body, const SimOptions& options = {}) {
  return sim_error(eight_threads(body), {{"N", 8}},
                   {{"A", counting(f32, {8})}, {"C", Buffer(f32, {8})}}, options);
}

TEST(SimControl, AConditionChoosesThreads) {
  EXPECT_EQ(run_eight("if (t % 3 == 1) { C[t] = A[t] }"), (Values{0, 2, 0, 0, 5, 0, 0, 8}));
}

TEST(SimControl, AConditionThatHoldsForAllOrForNone) {
  EXPECT_EQ(run_eight("if (t < 8) { C[t] += 1.0 } if (t >= 8) { C[t] += 2.0 }"), Values(8, 1));
}

TEST(SimControl, ConditionsNest) {
  EXPECT_EQ(run_eight("if (t >= 2) { C[t] += 1.0 if (t < 6) { C[t] += 10.0 if (t % 2 == 0) "
                      "{ C[t] += 100.0 } C[t] += 1000.0 } C[t] += 2.0 }"),
            (Values{0, 0, 1113, 1013, 1113, 1013, 3, 3}));
}

TEST(SimControl, AConditionMayDependOnData) {
  EXPECT_EQ(run_eight("if (A[t] > 2.5 && A[t] < 6.5) { C[t] = A[t] }"),
            (Values{0, 0, 3, 4, 5, 6, 0, 0}));
}

TEST(SimControl, AUniformConditionIsABranch) {
  EXPECT_EQ(run_eight("for k in 0..4 { if (k % 2 == 0 && k < N) { C[t] += A[k] } }"), Values(8, 4));
}

TEST(SimControl, InactiveThreadsNeitherLoadNorStore) {
  EXPECT_EQ(run_eight("if (t < N) { C[t] = A[t] }", {7, 8}), (Values{7, 8, 0, 0, 0, 0, 0, 0}));
}

TEST(SimControl, AndStopsAfterTheFirstOperand) {
  EXPECT_EQ(run_eight("if (t < N && A[t] > 7.5) { C[t] = 1.0 }", {7, 8}),
            (Values{0, 1, 0, 0, 0, 0, 0, 0}));
}

TEST(SimControl, OrStopsAfterTheFirstOperand) {
  EXPECT_EQ(run_eight("if (t >= N || A[t] > 7.5) { C[t] = 1.0 }", {7, 8}),
            (Values{0, 1, 1, 1, 1, 1, 1, 1}));
}

TEST(SimControl, SelectEvaluatesTheSideThatItTakes) {
  EXPECT_EQ(run_eight("C[t] = select(t < N, A[t], -1.0)", {7, 8}),
            (Values{7, 8, -1, -1, -1, -1, -1, -1}));
  EXPECT_EQ(run_eight("C[t] = select(t >= N, f32(t), select(t == 0, A[t + 1], A[t - 1]))", {7, 8}),
            (Values{8, 7, 2, 3, 4, 5, 6, 7}));
}

TEST(SimControl, AnIntegerIsDividedOnlyWhereTheConditionHolds) {
  EXPECT_EQ(run_eight("C[t] = f32(select(t == 0, 0i32, 60i32 / i32(t)))"),
            (Values{0, 60, 30, 20, 15, 12, 10, 8}));
  EXPECT_EQ(run_eight("if (t > 0 && 60 / t > 12) { C[t] = f32(60 % t) }"), Values(8, 0));
  EXPECT_EQ(run_eight("if (t > 3 && 62 / t > 9) { C[t] = f32(62 % t) }"),
            (Values{0, 0, 0, 0, 2, 2, 2, 0}));
}

TEST(SimControl, ADivisionByASizeOfZeroIsNotReached) {
  EXPECT_EQ(
      sim_values("kernel f[N](C: f32[8]) grid(1, 1, 1) block(8, 1, 1) @index32 "
                 "{ for k in 0..N { C[thread.x] = f32(thread.x / N) } "
                 "if (N > 0 && 8 / N > 0) { C[0] = 1.0 } C[1] = f32(select(N > 0, 8 / N, 5)) }",
                 {{"N", 0}}, {{"C", Buffer(f32, {8})}}),
      (Values{0, 5, 0, 0, 0, 0, 0, 0}));
}

TEST(SimControl, QuotientsOfIndicesAreFloors) {
  EXPECT_EQ(run_eight("C[t] = f32((t + 13) / 4 * 10 + (t + 13) % 4)"),
            (Values{31, 32, 33, 40, 41, 42, 43, 50}));
  EXPECT_EQ(run_eight("C[t] = f32((t + 13) / 3 * 10 + (t + 13) % 3)"),
            (Values{41, 42, 50, 51, 52, 60, 61, 62}));
}

TEST(SimControl, LoopsNestAndMayBeEmpty) {
  EXPECT_EQ(run_eight("for a in 0..3 { for b in 0..2 @unroll { C[t] += f32(a*b + t) } "
                      "for c in 0..0 { C[t] = -1.0 } }"),
            (Values{3, 9, 15, 21, 27, 33, 39, 45}));
}

TEST(SimControl, ALoopMayStandUnderACondition) {
  EXPECT_EQ(
      run_eight("if (t != 2) { reduce k in 0..N { C[t] += A[k] if (k == t) { C[t] += 100.0 } } }"),
      (Values{136, 136, 0, 136, 136, 136, 136, 136}));
}

TEST(SimControl, ALetHoldsTheValueThatItHadWhereItStands) {
  EXPECT_EQ(run_eight("let a = index(A[t]) A[t] = 0.0 let b = a*2 + index(A[t]) "
                      "for k in 0..2 { let c = b + k*10 C[t] += f32(c) }"),
            (Values{14, 18, 22, 26, 30, 34, 38, 42}));
}

TEST(SimControl, AThreadMayRunOutOfSteps) {
  const std::string loop = "for a in 0..3 { for k in 0..100 { C[t] = 0.0 } }";
  EXPECT_EQ(error_of_eight(loop, {.step_budget = 303}), "no error");
  EXPECT_EQ(error_of_eight(loop, {.step_budget = 302}),
            "block (0, 0, 0) makes more than 302 trips through loops, in: for a in 0..3");
}

TEST(SimControl, ARunAwayLoopIsFoundBeforeItRuns) {
  const std::string found = "block (0, 0, 0) makes more than 4294967296 trips through loops, in: ";
  EXPECT_EQ(error_of_eight("for k in 0..1000000000000 { C[t] = 0.0 }"),
            found + "for k in 0..1000000000000");
  EXPECT_EQ(error_of_eight("for a in 0..N*1000000 { for k in 0..N*1000000 { C[t] = 0.0 } }"),
            found + "for a in 0..N*1000000");
  EXPECT_EQ(error_of_eight("if (t > 8) { for k in 0..1000000000000 { C[t] = 0.0 } }"), "no error");
}

TEST(SimControl, ReportsADivisionByZero) {
  EXPECT_EQ(error_of_eight("C[t] = f32(7i32 / i32(5 - t))"),
            "7 / 0 is a division by zero, block (0, 0, 0), thread (5, 0, 0), in: "
            "C[t] = f32(7i32 / i32(5 - t))");
  EXPECT_EQ(error_of_eight("if (t > 2) { C[t] = f32(t % (N - 8)) }"),
            "3 % 0 is a division by zero, block (0, 0, 0), thread (3, 0, 0), in: "
            "C[t] = f32(t % (N - 8))");
  EXPECT_EQ(error_of_eight("if (t > 2) { if (N / (N - 8) > 2) { C[t] = 1.0 } }"),
            "8 / 0 is a division by zero, block (0, 0, 0), thread (3, 0, 0), in: "
            "if (N / (N - 8) > 2)");
}

TEST(SimControl, ReportsTheDivisionOfANegativeIndex) {
  EXPECT_EQ(error_of_eight("let a = (t - 2) / 4 C[t] = f32(a)"),
            "-2 / 4 is a division of a negative index, block (0, 0, 0), thread (0, 0, 0), in: "
            "let a = (t - 2) / 4");
}

TEST(SimControl, WhatRunsAheadOfItsConditionFailsNowhere) {
  EXPECT_EQ(run_eight("for a in 0..32 { if (a < 2) { C[t] += f32((1 << a*3) % 3) } }"),
            Values(8, 3));
  EXPECT_EQ(run_eight("for a in 0..32 { if (t == a) { C[t] += f32((1 << t*8) % 3) } }"),
            Values(8, 1));
  EXPECT_EQ(error_of_eight("for a in 0..32 { if (t == a) { C[t] += f32((1 << t*9) % 3) } }"),
            "-9223372036854775808 % 3 is a division of a negative index, block (0, 0, 0), "
            "thread (7, 0, 0), in: C[t] += f32((1 << t*9) % 3)");
}

TEST(SimControl, ABarrierIsReachedByAll) {
  EXPECT_EQ(error_of_eight("if (N > 4) { if (t < 8) { barrier } if (t < 0) { barrier } } barrier"),
            "no error");
  EXPECT_EQ(error_of_eight("if (t != 3) { for k in 0..2 { if (N == 8) { barrier } } }"),
            "barrier in divergent code: 7 of 8 threads reach it, block (0, 0, 0), "
            "thread (3, 0, 0) does not, in: if (t != 3)");
}

}  // namespace sim_control_test
}  // namespace hone

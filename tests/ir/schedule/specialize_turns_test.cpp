// Loops with roles that run more than once: their rings count through all turns.
#include <gtest/gtest.h>

#include "fmt/format.h"
#include "ir/text/parser.h"
#include "tests/support/ir/expect_rewrite.h"

namespace hone {
namespace specialize_turns_test {

Rewriting specialized() {
  return [](const Function& f) {
    return specialize(f, axis(f, "k"), 3, {.producer_warps = 1}).function;
  };
}

/// Rows of 64 in a loop that runs again and again, with these statements in it.
std::string repeated(const std::string& before, const std::string& behind) {
  return fmt::format(R"(func f(A: f32[8, 64], C: f32[64]) {{
  for t in 0..64 @thread.x {{
    for i in 0..4 {{
      {}reduce k in 0..8 {{
        alloc T: f32[64] @shared
        copy T[0 .. +64] <- A[k, 0 .. +64] @async
        C[t] += T[63 - t]
      }}
      {}
    }}
  }}
}})",
                     before, behind);
}

/// Each turn of the loop goes on with the slots of the last one.
TEST(SpecializeInTurn, TakesALoopThatRunsAgain) {
  expect_rewrite(repeated("if (i*2 < 7) { ", "}"), specialized(),
                 R"(func f(A: f32[8, 64], C: f32[64]) {
  for t in 0..64 @thread.x {
    for i in 0..4 {
      if (i*2 < 7) {
        alloc T: f32[3, 64] @shared
        reduce k in 0..8 @roles(1) {
          copy T[k % 3, 0 .. +64] <- A[k, 0 .. +64] @async @by(producers)
          C[t] += T[k % 3, 63 - t]
        }
      }
    }
  }
})");
}

TEST(SpecializeInTurnRefusals, OfTurnsThatAreLeftOutBeforeOthers) {
  expect_refusal(
      repeated("if (1 <= i) { ", "}"), specialized(),
      R"(error: specialize: k stands under 1 <= i, and turns of i that leave it out may come before others: its rings count through all of them
  for t in 0..64 @thread.x {
    for i in 0..4 {
      if (1 <= i) {
        reduce k in 0..8 {           <-- here
          alloc T: f32[64] @shared
          copy T[0 .. +64] <- A[k, 0 .. +64] @async
note: pipeline k)");
  for (const char* condition : {"i % 2 == 0", "i*i < 3", "i != 1"}) {
    const Function function = parse_function(repeated(fmt::format("if ({}) {{ ", condition), "}"));
    EXPECT_THROW(specialized()(function), ScheduleError) << condition;
  }
}

/// Of two loops, only the outer one may end early.
TEST(SpecializeInTurnRefusals, OfInnerTurnsThatAreLeftOut) {
  expect_refusal(
      repeated("for j in 0..3 { if (j < 2) { ", "} }"), specialized(),
      R"(error: specialize: k stands under j < 2, and turns of j that leave it out may come before others: its rings count through all of them
  for t in 0..64 @thread.x {
    for i in 0..4 {
      for j in 0..3 {
        if (j < 2) {
          reduce k in 0..8 {         <-- here
            alloc T: f32[64] @shared
            copy T[0 .. +64] <- A[k, 0 .. +64] @async
note: pipeline k)");
}

/// Threads write A before, or behind, others that copy it.
std::string writes_source(const std::string& before, const std::string& behind) {
  return fmt::format(R"(func f(A: f32[8, 64], C: f32[64]) {{
  for i in 0..4 {{
    {}for t in 0..64 @thread.x {{
      reduce k in 0..8 {{
        alloc T: f32[64] @shared
        copy T[0 .. +64] <- A[k, 0 .. +64] @async
        C[t] += T[63 - t]
      }}
    }}
    {}
  }}
}})",
                     before, behind);
}

TEST(SpecializeInTurnRefusals, OfSourcesThatAreWrittenBetweenTurns) {
  expect_refusal(writes_source("", "for u in 0..64 @thread.x { A[i, u] = 0.0 }"), specialized(),
                 R"(error: specialize: A is written in the same kernel while it is copied to T
  for i in 0..4 {
    for t in 0..64 @thread.x {
      reduce k in 0..8 {             <-- here
        alloc T: f32[64] @shared
        copy T[0 .. +64] <- A[k, 0 .. +64] @async
note: an asynchronous copy reads what nobody writes)");
  EXPECT_THROW(specialized()(parse_function(
                   writes_source("for u in 0..64 @thread.x { A[i, u] = 0.0 } ", ""))),
               ScheduleError);
}

}  // namespace specialize_turns_test
}  // namespace hone

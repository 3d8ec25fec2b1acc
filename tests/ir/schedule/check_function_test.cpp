// Functions that no step has made: refused where a kernel could not be made of them.
#include <gtest/gtest.h>

#include "ir/core/error.h"
#include "ir/schedule/legality/promises.h"
#include "ir/text/parser.h"

namespace hone {
namespace check_function_test {

std::string refusal_of(const std::string& text) {
  try {
    check_function(parse_function(text));
  } catch (const ScheduleError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CheckFunction, AcceptsWhatStepsWouldMake) {
  EXPECT_EQ(refusal_of(R"(func f(A: f32[8, 32], S: f32[8]) {
              for b in 0..2 @block.x { for i in 0..4 @thread.y {
                S[b*4 + i] = 0.0
                reduce t in 0..32 @thread.x combine(shuffle) { S[b*4 + i] += A[b*4 + i, t] } } } })"),
            "accepted");
}

TEST(CheckFunction, RefusesALoopOverThreadsInPlaceOfAnotherThatItDependsOn) {
  EXPECT_EQ(
      refusal_of(R"(func f(A: f32[8, 8], C: f32[8, 8]) {
              for i in 0..8 @thread.x { for j in 0..8 @thread.x { C[i, j] = A[i, j] } } })"),
      R"(error: check: all threads of the block run j together, and it depends on i, which differs between them
  for i in 0..8 @thread.x {
    for j in 0..8 @thread.x {        <-- here
      C[i, j] = A[i, j]
note: j is bound to thread.x inside i, which is bound to it too)");
}

TEST(CheckFunction, RefusesAConditionAroundAnExchangeThatItChanges) {
  EXPECT_EQ(refusal_of(R"(func f(A: f32[8, 32], S: f32[8]) {
              for i in 0..8 @thread.y { if (S[i] < 0.0) {
                reduce t in 0..32 @thread.x combine(shuffle) { S[i] += A[i, t] } } } })"),
            R"(error: check: threads combine under S[i] < 0.0, which may differ between them
  for i in 0..8 @thread.y {
    if (S[i] < 0.0) {                <-- here
      reduce t in 0..32 @thread.x combine(shuffle) {
        S[i] += A[i, t]
note: the condition may stand inside the reduction)");
}

TEST(CheckFunction, RefusesASharedTensorOfUnknownSize) {
  EXPECT_EQ(refusal_of(R"(func f[n](A: f32[64], C: f32[64]) { for b in 0..4 @block.x {
              alloc s: f32[n] @shared
              s[0] = A[b] C[b] = s[0] } })"),
            R"(error: check: s: f32[n] is in shared memory, and its size depends on n
  for b in 0..4 @block.x {
    alloc s: f32[n] @shared          <-- here
    s[0] = A[b]
    C[b] = s[0]
note: shared memory has the same size in every launch; split the axis by a constant and cache under the outer part)");
}

TEST(CheckFunction, RefusesRegistersOfOtherThreads) {
  EXPECT_EQ(refusal_of(R"(func f(A: f32[8], C: f32[8]) { for b in 0..1 @block.x {
              alloc r: f32[8] @registers
              for i in 0..8 @thread.x { r[i] = A[i] }
              for j in 0..8 @thread.x { C[j] = r[7 - j] } } })"),
            R"(error: check: r[i] and r[7 - j] are not elements of the same thread in thread.x
  for b in 0..1 @block.x {
    alloc r: f32[8] @registers       <-- here
    for i in 0..8 @thread.x {
      r[i] = A[i]
note: r lives outside of the loops of threads, each of which has its own elements of it; threads exchange values in shared memory)");
}

TEST(CheckFunction, RefusesLoopsThatAreNoVectors) {
  EXPECT_EQ(refusal_of(R"(func f(A: f32[8, 8], C: f32[8, 8]) {
              for i in 0..8 { for v in 0..4 @vectorize { C[v, i] = A[v, i] } } })"),
            R"(error: check: A[v, i] does not run along the fastest dimension of A
  for i in 0..8 {
    for v in 0..4 @vectorize {       <-- here
      C[v, i] = A[v, i]
note: what lies side by side in A are the elements along dimension 1)");
}

/// A text may say what no step makes.
TEST(CheckFunction, RefusesMalformedIr) {
  EXPECT_EQ(
      refusal_of("func f(C: f32[8]) { for i in 0..8 { for k in 0..i + 1 { C[i] += 1.0 } } }"),
      "error: check: the extent i + 1 of k depends on i; it may contain params and constants");
}

}  // namespace check_function_test
}  // namespace hone

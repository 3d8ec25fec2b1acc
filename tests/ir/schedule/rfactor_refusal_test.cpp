#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace rfactor_refusal_test {

TEST(RFactor, RefusesASpatialAxis) {
  expect_refusal("func f(A: f32[4], C: f32[4]) { for i in 0..4 { C[i] += A[i] } }",
                 factors("C", "i"), R"(error: rfactor: i is a spatial axis
  for i in 0..4 {                    <-- here
    C[i] += A[i]
note: rfactor takes a reduction axis)");
}

TEST(RFactor, RefusesATensorThatIsNotReducedThere) {
  expect_refusal("func f(A: f32[4], S: f32[]) { reduce k in 0..4 { S[] += A[k] } }",
                 factors("A", "k"), R"(error: rfactor: k does not update A, but S
  reduce k in 0..4 {                 <-- here
    S[] += A[k]
note: rfactor takes a tensor and a loop that it is reduced over; rfactor before caching)");
}

TEST(RFactor, RefusesAnOrderThatCounts) {
  expect_refusal(
      "func f(A: f32[4], S: f32[]) { reduce k in 0..4 { S[] = S[] * 2.0 + A[k] } }",
      factors("S", "k"),
      R"(error: rfactor: the updates of S keep their order: no operator says that they may be combined in groups
  reduce k in 0..4 {
    S[] = S[] * 2.0 + A[k]           <-- here
note: sum, product, max, min, any and all may, and what reduce(...) takes with {.associative = true})");
}

TEST(RFactor, RefusesOtherStatements) {
  expect_refusal(
      "func f(A: f32[4], S: f32[], T: f32[]) { reduce k in 0..4 { S[] += A[k] T[] += A[k] } }",
      factors("S", "k"), R"(error: rfactor: k holds more than the update of S
  reduce k in 0..4 {
    S[] += A[k]                      <-- here
    T[] += A[k]
note: fission separates statements; rfactor before caching)");
}

TEST(RFactor, RefusesABoundAxis) {
  expect_refusal("func f(A: f32[4], S: f32[]) { reduce k in 0..4 @unroll { S[] += A[k] } }",
                 factors("S", "k"), R"(error: rfactor: k is unrolled already
  reduce k in 0..4 @unroll {         <-- here
    S[] += A[k]
note: rfactor it before unrolling it)");
}

TEST(RFactor, RefusesCaches) {
  const char* rows =
      "func f(A: f32[4, 8], S: f32[4]) { for i in 0..4 { S[i] = 0.0 reduce k in 0..8 { "
      "S[i] += A[i, k] } } }";
  expect_refusal(
      rows, [](const Function& f) { return factors("S", "k")(in_registers(f, "S", "i")); },
      R"(error: rfactor: k does not update S, but S.reg
  for i in 0..4 {
    reduce k in 0..8 {               <-- here
      S.reg[] += A[i, k]
note: rfactor takes a tensor and a loop that it is reduced over; rfactor before caching)");
  expect_refusal(
      rows, [](const Function& f) { return factors("S.reg", "k")(in_registers(f, "S", "i")); },
      R"(error: rfactor: S.reg is @registers, a part of a tensor
  for i in 0..4 {
    reduce k in 0..8 {               <-- here
      S.reg[] += A[i, k]
note: rfactor before caching)");
  expect_refusal(
      rows, [](const Function& f) { return factors("S", "k")(in_shared(f, "A", "i")); },
      R"(error: rfactor: A.shared holds a part of a tensor around the reduction
  for i in 0..4 {
    alloc A.shared: f32[8] @shared   <-- here
    copy A.shared[0 .. +8] <- A[i, 0 .. +8]
    S[i] = 0.0
note: rfactor before caching)");
}

TEST(RFactor, RefusesAValueThatTheNestChanges) {
  expect_refusal(
      R"(func f(A: f32[4, 8], B: f32[4], S: f32[4]) {
           for i in 0..4 { B[i] = A[i, 0] S[i] = 0.0 reduce k in 0..8 { S[i] += A[i, k] * B[i] } } })",
      factors("S", "k"),
      R"(error: rfactor: B[i] changes what A[i, k] * B[i] reads, which a nest before would read first
  for i in 0..4 {
    B[i] = A[i, 0]                   <-- here
note: fission separates statements)");
}

TEST(RFactor, RefusesLoopsThatComeBackToAnElement) {
  expect_refusal(
      "func f(A: f32[4, 8], S: f32[]) { for i in 0..4 { reduce k in 0..8 { S[] += A[i, k] } } }",
      factors("S", "k"),
      R"(error: rfactor: iterations of i that update one element, S[], have other loops or statements between them and k
  for i in 0..4 {                    <-- here
    reduce k in 0..8 {
      S[] += A[i, k]
note: the loops of a reduction enclose one another directly)");
}

TEST(RFactor, RefusesElementsThatMayNotExist) {
  expect_refusal(
      R"(func f[N](A: f32[8], S: f32[N]) {
           for i in 0..8 { reduce k in 0..8 { if (i + k < N) { S[i] += A[k] } } } })",
      factors("S", "k"),
      R"(error: rfactor: S[i] may be no element where the reduction has no values: index 0 is not proved to stay below N
  for i in 0..8 {
    reduce k in 0..8 {
      if (i + k < N) {
        S[i] += A[k]                 <-- here)");
}

}  // namespace rfactor_refusal_test
}  // namespace hone

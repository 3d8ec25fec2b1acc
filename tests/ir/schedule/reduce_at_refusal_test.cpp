#include "gtest/gtest.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace reduce_at_refusal_test {

TEST(ReduceAtRefusals, OfASpatialAxis) {
  expect_refusal("func f(A: f32[4], C: f32[4]) { for i in 0..4 { C[i] += A[i] } }",
                 reduces("C", "i"), R"(error: reduce_at: i is a spatial axis
  for i in 0..4 {                    <-- here
    C[i] += A[i]
note: reduce_at takes a reduction axis)");
}

TEST(ReduceAtRefusals, OfUpdatesThatKeepTheirOrder) {
  expect_refusal(
      "func f(A: f32[4], S: f32[]) { reduce k in 0..4 { S[] = S[] * 2.0 + A[k] } }",
      reduces("S", "k"),
      R"(error: reduce_at: the updates of S keep their order: no operator says that they may be combined in groups
  reduce k in 0..4 {
    S[] = S[] * 2.0 + A[k]           <-- here
note: sum, product, max, min, any and all may, and what reduce(...) takes with {.associative = true})");
}

TEST(ReduceAtRefusals, OfTiles) {
  expect_refusal(
      "func f(A: f32[4, 8], S: f32[4]) { for i in 0..4 { S[i] = 0.0 reduce k in 0..8 { "
      "S[i] += A[i, k] } } }",
      [](const Function& f) { return reduces("S.reg", "k")(in_registers(f, "S", "i")); },
      R"(error: reduce_at: S.reg is @registers, a part of a tensor
  for i in 0..4 {
    reduce k in 0..8 {               <-- here
      S.reg[] += A[i, k]
note: reduce_at before caching)");
}

TEST(ReduceAtRefusals, OfTheElementThatAValueChooses) {
  expect_refusal(
      "func f(data: u8[4, 8], bins: i32[256]) { for b in 0..256 { bins[b] = 0i32 } "
      "reduce k in 0..4 { reduce l in 0..8 { bins[index(data[k, l])] += 1i32 } } }",
      reduces("bins", "k"),
      R"(error: reduce_at: the reduction chooses the element bins[index(data[k, l])], and an iteration has one partial result for each element
  reduce k in 0..4 {
    reduce l in 0..8 {
      bins[index(data[k, l])] += 1i32  <-- here
note: rfactor has partial results of all elements)");
}

/// An update that reads the result would find it as it was before the iteration.
TEST(ReduceAtRefusals, OfAValueThatReadsTheResult) {
  expect_refusal(
      "func f(A: f32[4, 8], S: f32[2]) { reduce k in 0..4 { reduce l in 0..8 { "
      "S[0] += S[1] * A[k, l] } } }",
      reduces("S", "k"),
      R"(error: reduce_at: S[1] * A[k, l] reads S, which changes at the end of an iteration only
  reduce k in 0..4 {
    reduce l in 0..8 {
      S[0] += S[1] * A[k, l]         <-- here)");
}

/// Each iteration of i would start the partial result of all anew.
TEST(ReduceAtRefusals, OfSpatialLoopsThatComeToAnElementTwice) {
  expect_refusal(
      "func f(A: f32[4, 8], S: f32[]) { reduce k in 0..4 { for i in 0..8 { S[] += A[k, i] } } }",
      reduces("S", "k"),
      R"(error: reduce_at: iterations of i that update one element, S[], have other loops or statements between them and k
  reduce k in 0..4 {
    for i in 0..8 {                  <-- here
      S[] += A[k, i]
note: the loops of a reduction enclose one another directly)");
}

TEST(ReduceAtRefusals, OfElementsThatMayNotExistAtTheEnd) {
  expect_refusal(
      "func f[N](A: f32[4, N], S: f32[N]) { reduce k in 0..4 { for i in 0..8 { "
      "reduce l in 0..2 { if (i + l < N) { S[i] += A[k, i + l] } } } } }",
      reduces("S", "k"),
      R"(error: reduce_at: S[i] may be no element where the reduction has no values: index 0 is not proved to stay below N
  reduce k in 0..4 {
    for i in 0..8 {
      reduce l in 0..2 {
        if (i + l < N) {
          S[i] += A[k, i + l]        <-- here)");
}

/// The guard keeps the reduction from them, and not its partial results.
TEST(ReduceAtRefusals, OfElementsThatAGuardOfValuesKeepsOut) {
  expect_refusal(
      "func f(A: f32[4], S: f32[4]) { reduce k in 0..7 { reduce l in 0..2 { if (k + l < 4) { "
      "S[k] += A[k + l] } } } }",
      reduces("S", "k"),
      R"(error: reduce_at: S[k] may be no element where the reduction has no values: index 0 is not proved to stay below 4
  reduce k in 0..7 {
    reduce l in 0..2 {
      if (k + l < 4) {
        S[k] += A[k + l]             <-- here)");
}

/// max(NaN, -inf) is -inf, and the element was a NaN before.
TEST(ReduceAtRefusals, OfIterationsThatMayHaveNoValues) {
  expect_refusal(
      "func f[N](A: f32[4, N], S: f32[]) { reduce k in 0..4 { reduce l in 0..N { "
      "S[] max= A[k, l] } } }",
      reduces("S", "k"),
      R"(error: reduce_at: an iteration may have no values for S[], and the identity, which it would combine with it, may change a NaN
  reduce k in 0..4 {
    reduce l in 0..N {
      S[] max= A[k, l]               <-- here
note: choose factors that divide)");
}

TEST(ReduceAtRefusals, OfLoopsAroundThatCombine) {
  expect_refusal(
      "func f(A: f32[4, 4, 8], S: f32[]) { reduce b in 0..4 @block.x combine(atomic) { "
      "reduce k in 0..4 { reduce l in 0..8 { S[] += A[b, k, l] } } } }",
      reduces("S", "k"), R"(error: reduce_at: b is bound to block.x already
  reduce b in 0..4 @block.x combine(atomic) {  <-- here
    reduce k in 0..4 {
      reduce l in 0..8 {
note: reduce_at before binding)");
}

}  // namespace reduce_at_refusal_test
}  // namespace hone

// Results of blocks that the last block cannot combine.
#include "gtest/gtest.h"
#include "tests/support/ir/combines.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace bind_last_block_refusal_test {

TEST(BindLastBlockRefusals, OfTheLastBlockWhereOthersUpdateTheSameElements) {
  expect_refusal(
      R"(func f(A: f32[16], S: f32[8]) {
           for i in 0..2 @block.y { reduce k in 0..8 { S[i*4 + k % 4] += A[i*8 + k] } } })",
      binds("k", block_x, {Combine::last_block}),
      R"(error: bind: blocks of k may update any S[i*4 + k % 4], as blocks of i may, which combine(last_block) does not combine
  for i in 0..2 @block.y {
    reduce k in 0..8 {
      S[i*4 + k % 4] += A[i*8 + k]   <-- here
note: Combine::atomic takes blocks that update the same elements)");
}

/// The last block would add to S[4], which has no value yet.
TEST(BindLastBlockRefusals, OfAnyElementsSomeOfWhichAreSetLater) {
  expect_refusal(
      R"(func f(A: f32[8], S: f32[5]) {
           for i in 0..4 { S[i] = 0.0 }
           reduce k in 0..8 { S[k % 4] += A[k] }
           S[4] = 1.0
         })",
      binds("k", block_x, {Combine::last_block}),
      R"(error: bind: blocks of k may update any S[k % 4], and S[4] is set after they have combined
  S[4] = 1.0                         <-- here
note: Combine::atomic touches no other elements)");
}

/// One iteration shares nothing with others, but its block has a result of its own.
TEST(BindLastBlockRefusals, OfWhatAnotherStatementReads) {
  expect_refusal(
      R"(func f(A: f32[8], S: f32[]) {
           reduce b in 0..1 {
             reduce k in 0..4 {
               alloc R: f32[] @registers
               R[] = S[]
               R[] += A[b*8 + k]
               S[] = R[]
             }
             reduce t in 0..4 { S[] += A[b*8 + t + 4] }
           } })",
      binds("b", block_x, {Combine::last_block}),
      R"(error: bind: iterations of b update S[], which combine(last_block) combines, and read S[]
  reduce b in 0..1 {
    reduce k in 0..4 {
      R[] = S[]                      <-- here
note: what iterations update together, nothing else in the loop may touch)");
}

/// Threads of the last block combine one element: no other is one of their results.
TEST(BindLastBlockRefusals, OfThreadsThatShareOneElementOfSeveral) {
  expect_refusal(
      R"(func f(A: f32[2, 4], S: f32[4]) {
           reduce m in 0..2 { S[3] += A[m, 3] S[m] += A[m, 0] } })",
      binds("m", thread_x, {Combine::sequential}),
      R"(error: bind: iterations of m update S[3] and S[m], and combine(sequential) is for one element
  reduce m in 0..2 {
    S[m] += A[m, 0]                  <-- here
note: fission separates statements)");
}

// ---- One way inside another ---------------------------------------------------------------------

TEST(BindLastBlockRefusals, OfTheLastBlockWhereItsPartsAreNoVectors) {
  expect_refusal(
      R"(func f(A: f32[4, 3], C: f32[3]) {
           reduce k in 0..4 { for i in 0..2 @vectorize { C[i] += A[k, 0] } } })",
      binds("k", block_x, {Combine::last_block}),
      R"(error: bind: combine(last_block) keeps a C for each block: rows of C.parts are 3 elements apart, which is not a multiple of 2
  reduce k in 0..4 {
    for i in 0..2 @vectorize {       <-- here
      C[i] += A[k, 0]
note: vectorize where the rows of the result are multiples of the vector, or not at all)");
  expect_refusal(
      R"(func f(A: f32[4, 3], C: f32[3]) {
           reduce k in 0..4 @block.x combine(last_block) { for i in 0..2 { C[i] += A[k, 0] } } })",
      [](const Function& f) { return vectorized(f, "i"); },
      R"(error: vectorize: combine(last_block) keeps a C for each block: rows of C.parts are 3 elements apart, which is not a multiple of 2
  reduce k in 0..4 @block.x combine(last_block) {
    for i in 0..2 {                  <-- here
      C[i] += A[k, 0]
note: vectorize where the rows of the result are multiples of the vector, or not at all)");
}

TEST(BindLastBlockRefusals, KeepTheLastBlockForOneTensor) {
  expect_refusal(
      R"(func f(A: f32[24], S: f32[], T: f32[]) {
           reduce k in 0..24 { S[] += A[k] T[] += A[k] }
         })",
      binds("k", block_x, {Combine::last_block}),
      R"(error: bind: iterations of k update S[] and T[], and combine(last_block) is for one tensor
  reduce k in 0..24 {
    T[] += A[k]                      <-- here
note: fission separates statements)");
}

}  // namespace bind_last_block_refusal_test
}  // namespace hone

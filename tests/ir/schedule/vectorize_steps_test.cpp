// vectorize before and after other steps.
#include "gtest/gtest.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace vectorize_steps_test {

TEST(Vectorize, RefusesATileInside) {
  expect_refusal(
      "func f(A: f32[4], C: f32[4]) { for v in 0..4 { C[v] = A[v] } }",
      [](const Function& f) { return vectorized(in_registers(f, "A", "v"), "v"); },
      R"(error: vectorize: the alloc of A.reg stands inside v, and a vector loop holds single statements
  for v in 0..4 {
    alloc A.reg: f32[] @registers    <-- here
    A.reg[] = A[v]
    C[v] = A.reg[])");
}

TEST(Vectorize, RefusesRegistersAlone) {
  expect_refusal(
      R"(func f(A: f32[8, 4], B: f32[8, 4], C: f32[8, 4]) {
        for i in 0..8 { for v in 0..4 { C[i, v] = A[i, v] } }
      })",
      [](const Function& f) {
        return vectorized(in_registers(in_registers(f, "A", "i"), "C", "i"), "v");
      },
      R"(error: vectorize: no access in v moves a vector to or from memory
  for i in 0..8 {
    for v in 0..4 @unroll {          <-- here
      C.reg[v] = A.reg[v]
note: unroll(v) runs its iterations side by side)");
}

TEST(Vectorize, RefusesVectorsThatMayOverlap) {
  constexpr const char* text = R"(func f(A: f32[32], B: f32[32], C: f32[32]) {
    for i in 0..8 { for v in 0..4 { C[i*4 + v] = A[i*4 + v] B[i*4 + v] = C[i*4 + v] } }
  })";
  expect_refusal(
      text, [](const Function& f) { return vectorized(may_alias(f).function, "v"); },
      R"(error: vectorize: C[i*4 + v] and B[i*4 + v] may overlap (may_alias), and the vectors of v are read before one is written
  for i in 0..8 {
    for v in 0..4 {
      C[i*4 + v] = A[i*4 + v]        <-- here)");
  expect_refusal(
      text, [](const Function& f) { return may_alias(vectorized(f, "v")).function; },
      R"(error: may_alias: C[i*4 + v] and B[i*4 + v] may overlap (may_alias), and the vectors of v are read before one is written
  for i in 0..8 {
    for v in 0..4 @vectorize {       <-- here
      C[i*4 + v] = A[i*4 + v]
      B[i*4 + v] = C[i*4 + v])");
}

TEST(Vectorize, RefusesAtomicUpdates) {
  expect_refusal(
      R"(func f(A: f32[2, 4], C: f32[4]) {
        reduce k in 0..2 @thread.x combine(atomic) { for v in 0..4 { C[v] += A[k, v] } } })",
      [](const Function& f) { return vectorized(f, "v"); },
      R"(error: vectorize: C is updated in vectors over v, and atomic updates take one element at a time
  reduce k in 0..2 @thread.x combine(atomic) {
    for v in 0..4 {                  <-- here
      C[v] += A[k, v]
note: combine by last_block, or leave the axis as it is)");
}

TEST(Vectorize, RefusesALoopThatIsBound) {
  constexpr const char* text = "func f(A: f32[4], C: f32[4]) { for v in 0..4 { C[v] = A[v] } }";
  expect_refusal(
      text, [](const Function& f) { return vectorized(bound(f, "v", thread_x), "v"); },
      R"(error: vectorize: v is bound to thread.x already
  for v in 0..4 @thread.x {          <-- here
    C[v] = A[v]
note: a loop is bound, unrolled or vectorised once)");
  expect_refusal(
      text, [](const Function& f) { return vectorized(unroll(f, axis(f, "v"), 2).function, "v"); },
      R"(error: vectorize: v is unrolled already
  for v in 0..4 @unroll(2) {         <-- here
    C[v] = A[v]
note: a loop is bound, unrolled or vectorised once)");
  expect_refusal(
      text, [](const Function& f) { return vectorized(vectorized(f, "v"), "v"); },
      R"(error: vectorize: v is vectorised already
  for v in 0..4 @vectorize {         <-- here
    C[v] = A[v]
note: a loop is bound, unrolled or vectorised once)");
}

constexpr const char* rows_of_vectors = R"(func f(A: f32[8, 8], C: f32[8, 8]) {
  for i in 0..8 { for j in 0..2 { for v in 0..4 { C[i, j*4 + v] = A[i, j*4 + v] } } }
})";

TEST(Vectorize, KeepsItsLoopFromStepsThatChangeLoops) {
  constexpr const char* text = rows_of_vectors;
  expect_refusal(
      text, [](const Function& f) { return parted(vectorized(f, "v"), "v", 2); },
      R"(error: split: v is vectorised already
  for i in 0..8 {
    for j in 0..2 {
      for v in 0..4 @vectorize {     <-- here
        C[i, j*4 + v] = A[i, j*4 + v]
note: split it before vectorising it)");
  expect_refusal(
      text,
      [](const Function& f) {
        const Function g = vectorized(f, "v");
        return fuse(g, axis(g, "j"), axis(g, "v")).function;
      },
      R"(error: fuse: v is vectorised already
  for i in 0..8 {
    for j in 0..2 {
      for v in 0..4 @vectorize {     <-- here
        C[i, j*4 + v] = A[i, j*4 + v]
note: fuse it before vectorising it)");
  expect_refusal(
      text,
      [](const Function& f) {
        const Function g = vectorized(f, "v");
        return reorder(g, axes(g, {"v", "j"})).function;
      },
      R"(error: reorder: the loop j stands inside v, and a vector loop holds single statements
  for i in 0..8 {
    for j in 0..2 {                  <-- here
      for v in 0..4 @vectorize {
        C[i, j*4 + v] = A[i, j*4 + v])");
}

TEST(Vectorize, KeepsItsLoopFromBindAndWriteOut) {
  constexpr const char* text = rows_of_vectors;
  expect_refusal(
      text, [](const Function& f) { return bound(vectorized(f, "v"), "v", thread_x); },
      R"(error: bind: v is vectorised already
  for i in 0..8 {
    for j in 0..2 {
      for v in 0..4 @vectorize {     <-- here
        C[i, j*4 + v] = A[i, j*4 + v]
note: a loop is bound, unrolled or vectorised once)");
  expect_refusal(
      text,
      [](const Function& f) {
        const Function g = vectorized(f, "v");
        return write_out(g, axis(g, "v")).function;
      },
      R"(error: write_out: v is vectorised already
  for i in 0..8 {
    for j in 0..2 {
      for v in 0..4 @vectorize {     <-- here
        C[i, j*4 + v] = A[i, j*4 + v]
note: write it out before vectorising it)");
}

}  // namespace vectorize_steps_test
}  // namespace hone

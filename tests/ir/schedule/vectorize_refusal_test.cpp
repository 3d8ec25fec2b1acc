#include "gtest/gtest.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace vectorize_refusal_test {

/// C[i*4 + v] = `value`, for four of v, where `guard` holds.
std::string moves(const std::string& value, const std::string& guard = "v < 4") {
  return "func f[N](P: i32[64], A: f32[64], B: f32[64, 7], C: f32[64]) {"
         " for i in 0..8 { for v in 0..4 { if (" +
         guard + ") { C[i*4 + v] = " + value + " } } } }";
}

TEST(Vectorize, RefusesElementsThatLieApart) {
  expect_refusal(moves("A[v*2]"), vectorizes("v"),
                 R"(error: vectorize: A[v*2] moves by 2 elements from one v to the next
  for i in 0..8 {
    for v in 0..4 {
      if (v < 4) {
        C[i*4 + v] = A[v*2]          <-- here)");
  expect_refusal(moves("A[63 - i*4 - v]"), vectorizes("v"),
                 R"(error: vectorize: A[63 - i*4 - v] moves by -1 elements from one v to the next
  for i in 0..8 {
    for v in 0..4 {
      if (v < 4) {
        C[i*4 + v] = A[63 - i*4 - v]  <-- here)");
  expect_refusal(moves("B[v, i]"), vectorizes("v"),
                 R"(error: vectorize: B[v, i] does not run along the fastest dimension of B
  for i in 0..8 {
    for v in 0..4 {
      if (v < 4) {
        C[i*4 + v] = B[v, i]         <-- here
note: what lies side by side in B are the elements along dimension 1)");
  expect_refusal(moves("A[index(P[v])]"), vectorizes("v"),
                 R"(error: vectorize: A[index(P[v])] is not linear in v
  for i in 0..8 {
    for v in 0..4 {
      if (v < 4) {
        C[i*4 + v] = A[index(P[v])]  <-- here)");
}

TEST(Vectorize, RefusesElementsThatAreNotAligned) {
  expect_refusal(
      moves("A[i*4 + v + 1]"), vectorizes("v"),
      R"(error: vectorize: A[i*4 + v + 1] starts at i*4 + 1, which is not proved to be a multiple of 4
  for i in 0..8 {
    for v in 0..4 {
      if (v < 4) {
        C[i*4 + v] = A[i*4 + v + 1]  <-- here)");
  expect_refusal(
      moves("A[i*2 + v]"), vectorizes("v"),
      R"(error: vectorize: A[i*2 + v] starts at i*2, which is not proved to be a multiple of 4
  for i in 0..8 {
    for v in 0..4 {
      if (v < 4) {
        C[i*4 + v] = A[i*2 + v]      <-- here)");
  expect_refusal(
      moves("A[i*N + v]"), vectorizes("v"),
      R"(error: vectorize: A[i*N + v] starts at i*N, which is not proved to be a multiple of 4
  for i in 0..8 {
    for v in 0..4 {
      if (v < 4) {
        C[i*4 + v] = A[i*N + v]      <-- here)");
  expect_refusal(moves("B[i, v]"), vectorizes("v"),
                 R"(error: vectorize: rows of B are 7 elements apart, which is not a multiple of 4
  for i in 0..8 {
    for v in 0..4 {
      if (v < 4) {
        C[i*4 + v] = B[i, v]         <-- here)");
}

TEST(Vectorize, RefusesRowsThatMayNotBeAligned) {
  expect_refusal(
      R"(func f[M, N](A: f32[M, N], C: f32[M, N]) {
                      for i in 0..M { for j in 0..N / 4 { for v in 0..4 {
                        C[i, j*4 + v] = A[i, j*4 + v]
                      } } }
                    })",
      vectorizes("v"),
      R"(error: vectorize: rows of A are N elements apart, which is not proved to be a multiple of 4
  for i in 0..M {
    for j in 0..N / 4 {
      for v in 0..4 {
        C[i, j*4 + v] = A[i, j*4 + v]  <-- here
note: assume(N % 4 == 0) promises it, and launches check it)");
}

TEST(Vectorize, RefusesAPredicate) {
  expect_refusal(
      moves("A[i*4 + v]", "i*4 + v < N"), vectorizes("v"),
      R"(error: vectorize: A[i*4 + v] would be predicated: i*4 + v < N is not the same in all 4 iterations of v
  for i in 0..8 {
    for v in 0..4 {
      if (i*4 + v < N) {
        C[i*4 + v] = A[i*4 + v]      <-- here
note: sizes that 4 divides need no such condition; assume(N % 4 == 0) promises one)");
  expect_refusal(
      moves("A[i*4 + v]", "v != 2"), vectorizes("v"),
      R"(error: vectorize: A[i*4 + v] would be predicated: v != 2 is not the same in all 4 iterations of v
  for i in 0..8 {
    for v in 0..4 {
      if (v != 2) {
        C[i*4 + v] = A[i*4 + v]      <-- here)");
  expect_refusal(
      moves("A[i*4 + v]", "A[i*4 + v] > 0.0"), vectorizes("v"),
      R"(error: vectorize: C[i*4 + v] would be predicated: A[i*4 + v] > 0.0 is not the same in all 4 iterations of v
  for i in 0..8 {
    for v in 0..4 {
      if (A[i*4 + v] > 0.0) {
        C[i*4 + v] = A[i*4 + v]      <-- here)");
  expect_refusal(
      moves("select(i*4 + v < N, A[i*4 + v], 0.0)"), vectorizes("v"),
      R"(error: vectorize: A[i*4 + v] would be predicated: i*4 + v < N is not the same in all 4 iterations of v
  for i in 0..8 {
    for v in 0..4 {
      if (v < 4) {
        C[i*4 + v] = select(i*4 + v < N, A[i*4 + v], 0.0)  <-- here
note: sizes that 4 divides need no such condition; assume(N % 4 == 0) promises one)");
}

TEST(Vectorize, RefusesAReduction) {
  expect_refusal("func f(A: f32[4], C: f32[1]) { reduce v in 0..4 { C[0] += A[v] } }",
                 vectorizes("v"),
                 R"(error: vectorize: v is a reduction axis: its iterations update the same elements
  reduce v in 0..4 {                 <-- here
    C[0] += A[v]
note: cache what it reads in registers, and vectorize that copy)");
}

TEST(Vectorize, RefusesOneElementForAll) {
  expect_refusal(
      "func f(A: f32[4], C: f32[1]) { for v in 0..4 { C[0] += A[v] } }", vectorizes("v"),
      R"(error: vectorize: C[0] is the same element in all 4 iterations of v, and each of them writes it
  for v in 0..4 {
    C[0] += A[v]                     <-- here)");
}

/// The side in shared memory of a move may lie apart, and else has a width.
TEST(Vectorize, RefusesANumberOfBytesInSharedMemory) {
  expect_refusal(
      R"(func f(A: f32[9], C: f32[9]) {
  alloc T: f32[9] @shared
  for v in 0..9 { T[v] = A[v] }
  for j in 0..9 { C[j] = T[8 - j] }
})",
      vectorizes("v"),
      R"(error: vectorize: 9 elements of A are 36 bytes, and a vector access moves 2, 4, 8 or 16
  for v in 0..9 {
    T[v] = A[v]                      <-- here)");
  expect_refusal(
      R"(func f(C: f32[9]) {
  alloc T: f32[9] @shared
  alloc r: f32[9] @registers
  for i in 0..9 @unroll { r[i] = 1.0 }
  for v in 0..9 { T[v] = r[v] }
  for j in 0..9 { C[j] = T[8 - j] }
})",
      vectorizes("v"),
      R"(error: vectorize: 9 elements of T are 36 bytes, and a vector access moves 2, 4, 8 or 16
  for v in 0..9 {
    T[v] = r[v]                      <-- here)");
}

/// Before what might be promised about it: no promise helps.
TEST(Vectorize, RefusesANumberOfBytesBeforeItAsksForAlignment) {
  expect_refusal(
      "func f[N](A: f64[4, N], C: f64[4, N]) { for i in 0..4 { for v in 0..8 { C[i, v] = A[i, v] } "
      "} }",
      vectorizes("v"),
      R"(error: vectorize: 8 elements of A are 64 bytes, and a vector access moves 2, 4, 8 or 16
  for i in 0..4 {
    for v in 0..8 {
      C[i, v] = A[i, v]              <-- here)");
}

TEST(Vectorize, RefusesANumberOfBytesThatNoAccessHas) {
  const auto copies = [](const std::string& type, int width) {
    return fmt::format("func f(A: {0}[64], C: {0}[64]) {{ for v in 0..{1} {{ C[v] = A[v] }} }}",
                       type, width);
  };
  expect_refusal(
      copies("f32", 3), vectorizes("v"),
      R"(error: vectorize: 3 elements of A are 12 bytes, and a vector access moves 2, 4, 8 or 16
  for v in 0..3 {
    C[v] = A[v]                      <-- here)");
  expect_refusal(
      copies("f32", 8), vectorizes("v"),
      R"(error: vectorize: 8 elements of A are 32 bytes, and a vector access moves 2, 4, 8 or 16
  for v in 0..8 {
    C[v] = A[v]                      <-- here)");
  expect_refusal(
      copies("f64", 4), vectorizes("v"),
      R"(error: vectorize: 4 elements of A are 32 bytes, and a vector access moves 2, 4, 8 or 16
  for v in 0..4 {
    C[v] = A[v]                      <-- here)");
  expect_refusal(
      copies("f16", 16), vectorizes("v"),
      R"(error: vectorize: 16 elements of A are 32 bytes, and a vector access moves 2, 4, 8 or 16
  for v in 0..16 {
    C[v] = A[v]                      <-- here)");
  expect_refusal(
      copies("i8", 32), vectorizes("v"),
      R"(error: vectorize: 32 elements of A are 32 bytes, and a vector access moves 2, 4, 8 or 16
  for v in 0..32 {
    C[v] = A[v]                      <-- here)");
}

TEST(Vectorize, RefusesAnExtentThatIsNoVector) {
  expect_refusal("func f(A: f32[1], C: f32[1]) { for v in 0..1 { C[v] = A[v] } }", vectorizes("v"),
                 R"(error: vectorize: the extent of v is 1, and a vector has 2 elements or more
  for v in 0..1 {                    <-- here
    C[v] = A[v])");
  expect_refusal("func f[N](A: f32[N], C: f32[N]) { for v in 0..N { C[v] = A[v] } }",
                 vectorizes("v"), R"(error: vectorize: the extent N of v is not a constant
  for v in 0..N {                    <-- here
    C[v] = A[v]
note: split v by 4 and vectorize the inner loop)");
}

TEST(Vectorize, RefusesALoopInside) {
  expect_refusal(
      R"(func f(A: f32[4, 8], C: f32[4, 8]) {
                      for v in 0..4 { for j in 0..8 { C[v, j] = A[v, j] } }
                    })",
      vectorizes("v"),
      R"(error: vectorize: the loop j stands inside v, and a vector loop holds single statements
  for v in 0..4 {
    for j in 0..8 {                  <-- here
      C[v, j] = A[v, j])");
}

TEST(Vectorize, RefusesIterationsThatDependOnOneAnother) {
  expect_refusal(
      R"(func f(A: f32[4], C: f32[8, 4]) {
                      for i in 0..8 { for v in 0..4 { C[i, v] = C[i, 3] + A[v] } }
                    })",
      vectorizes("v"),
      R"(error: vectorize: C[i, v] and C[i, 3] may be one element in different iterations of v
  for i in 0..8 {
    for v in 0..4 {
      C[i, v] = C[i, 3] + A[v]       <-- here)");
  expect_refusal(
      R"(func f(P: i32[1], C: f32[8, 4]) {
                      for i in 0..8 { for v in 0..4 { C[i, v] = C[index(P[0]), v] } }
                    })",
      vectorizes("v"),
      R"(error: vectorize: C[i, v] and C[index(P[0]), v] may be one element in different iterations of v
  for i in 0..8 {
    for v in 0..4 {
      C[i, v] = C[index(P[0]), v]    <-- here)");
}

}  // namespace vectorize_refusal_test
}  // namespace hone

// Layouts under accesses that are vectors.
#include "gtest/gtest.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace set_layout_vectors_test {

/// A loop over vectors of A.shared, under a layout.
Rewriting lays_out_vectors(const Layout& layout) {
  return [=](const Function& f) {
    return laid_out(vectorized(in_shared(f, "A", "b"), "v"), "A.shared", layout);
  };
}

constexpr const char* rows_of_vectors = R"(func f(A: f32[8, 32], C: f32[8, 32]) {
  for b in 0..1 { for t in 0..8 { for u in 0..8 { for v in 0..4 {
    C[t, u*4 + v] = A[t, u*4 + v] + 1.0
  } } } }
})";

TEST(SetLayout, KeepsVectorsThatTheLayoutLeavesAlone) {
  expect_rewrite(
      R"(func f(A: f32[8, 32], C: f32[8, 32]) {
        for b in 0..1 { for t in 0..8 { for u in 0..8 { for v in 0..4 {
          C[t, u*4 + v] = A[t, u*4 + v] + 1.0
        } } } }
      })",
      [](const Function& f) {
        return laid_out(vectorized(in_shared(f, "A", "b"), "v"), "A.shared",
                        Layout().pad(4).swizzle({4, 8}));
      },
      R"(func f(A: f32[8, 32], C: f32[8, 32]) {
  for b in 0..1 {
    alloc A.shared: f32[8, 32] @pad(4) @swizzle(4, 8, 1) @shared
    copy A.shared[0 .. +8, 0 .. +32] <- A[0 .. +8, 0 .. +32]
    for t in 0..8 {
      for u in 0..8 {
        for v in 0..4 @vectorize {
          C[t, u*4 + v] = A.shared[t, u*4 + v] + 1.0
        }
      }
    }
  }
})");
}

TEST(SetLayout, RefusesAPaddingThatBreaksVectors) {
  expect_refusal(
      rows_of_vectors, lays_out_vectors(Layout().pad(1)),
      R"(error: layout: the padding 1 makes the rows of A.shared 33 elements apart, which is not a multiple of 4
  for b in 0..1 {
    alloc A.shared: f32[8, 32] @shared  <-- here
    copy A.shared[0 .. +8, 0 .. +32] <- A[0 .. +8, 0 .. +32]
    for t in 0..8 {)");
  expect_refusal(
      rows_of_vectors, lays_out_vectors(Layout().pad(2)),
      R"(error: layout: the padding 2 makes the rows of A.shared 34 elements apart, which is not a multiple of 4
  for b in 0..1 {
    alloc A.shared: f32[8, 32] @shared  <-- here
    copy A.shared[0 .. +8, 0 .. +32] <- A[0 .. +8, 0 .. +32]
    for t in 0..8 {)");
}

TEST(SetLayout, RefusesAnOrderThatBreaksVectors) {
  expect_refusal(
      rows_of_vectors, lays_out_vectors(Layout::order({1, 0})),
      R"(error: layout: A.shared[t, u*4 + v] does not run along the fastest dimension of A.shared
  for b in 0..1 {
    alloc A.shared: f32[8, 32] @shared  <-- here
    copy A.shared[0 .. +8, 0 .. +32] <- A[0 .. +8, 0 .. +32]
    for t in 0..8 {
note: what lies side by side in A.shared are the elements along dimension 0)");
}

TEST(SetLayout, RefusesASwizzleThatBreaksVectors) {
  expect_refusal(
      rows_of_vectors, lays_out_vectors(Layout().swizzle({1, 32})),
      R"(error: layout: the swizzle of A.shared moves chunks of 1 elements, which is not a multiple of 4
  for b in 0..1 {
    alloc A.shared: f32[8, 32] @shared  <-- here
    copy A.shared[0 .. +8, 0 .. +32] <- A[0 .. +8, 0 .. +32]
    for t in 0..8 {)");
  expect_refusal(
      rows_of_vectors, lays_out_vectors(Layout().swizzle({2, 16})),
      R"(error: layout: the swizzle of A.shared moves chunks of 2 elements, which is not a multiple of 4
  for b in 0..1 {
    alloc A.shared: f32[8, 32] @shared  <-- here
    copy A.shared[0 .. +8, 0 .. +32] <- A[0 .. +8, 0 .. +32]
    for t in 0..8 {)");
}

TEST(SetLayout, RefusesToBreakTheVectorsOfACopy) {
  const auto copies = [](const Layout& layout) {
    return [=](const Function& f) {
      const Function g = in_registers(in_shared(f, "A", "b"), "A.shared", "u", {.vectorize = 4});
      return laid_out(g, "A.shared", layout);
    };
  };
  expect_refusal(
      rows_of_vectors, copies(Layout().pad(1)),
      R"(error: layout: A.shared cannot move 4 elements at a time: the padding 1 makes the rows of A.shared 33 elements apart, which is not a multiple of 4
  for b in 0..1 {
    alloc A.shared: f32[8, 32] @shared  <-- here
    copy A.shared[0 .. +8, 0 .. +32] <- A[0 .. +8, 0 .. +32]
    for t in 0..8 {)");
  expect_refusal(
      rows_of_vectors, copies(Layout::order({1, 0})),
      R"(error: layout: A.shared cannot move 4 elements at a time: the copy takes one element of each row
  for b in 0..1 {
    alloc A.shared: f32[8, 32] @shared  <-- here
    copy A.shared[0 .. +8, 0 .. +32] <- A[0 .. +8, 0 .. +32]
    for t in 0..8 {)");
}

}  // namespace set_layout_vectors_test
}  // namespace hone

// The default layout of a shared tile: the order of the tensor.
#include "gtest/gtest.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace cache_layout_test {

/// Tiles of 4 x 8 elements of A, whose rows are turned round; they stand in shared memory where
/// there is an `alloc`, which says in which layout.
std::string matrix(const std::string& layout, const std::string& alloc = "") {
  const std::string source = alloc.empty() ? "A[i*4 + u, j*8 + 7 - v]" : "A.shared[u, 7 - v]";
  return "func f(A: f32[8, 24]" + layout + R"(, C: f32[8, 24]) {
    for i in 0..2 @block.y { for j in 0..3 @block.x { )" +
         (alloc.empty() ? ""
                        : "alloc A.shared: f32[4, 8]" + alloc +
                              " @shared\ncopy A.shared[0 .. +4, 0 .. +8] <- "
                              "A[i*4 .. +4, j*8 .. +8]\n") +
         "for u in 0..4 @thread.y { for v in 0..8 @thread.x { C[i*4 + u, j*8 + v] = " + source +
         " } } } } }";
}

TEST(CacheLayout, OfARowMajorTensorIsRowMajor) {
  expect_rewrite(matrix(""), stages("A", "j"), matrix("", " "));
}

TEST(CacheLayout, OfAColumnMajorTensorIsColumnMajor) {
  expect_rewrite(matrix(" @order(1, 0)"), stages("A", "j"),
                 matrix(" @order(1, 0)", " @order(1, 0)"));
}

TEST(CacheLayout, LeavesThePitchOfTheTensorBehind) {
  expect_rewrite(matrix(" @order(1, 0) @pitch(12)"), stages("A", "j"),
                 matrix(" @order(1, 0) @pitch(12)", " @order(1, 0)"));
}

TEST(CacheLayout, OfItsOwnCounts) {
  expect_rewrite(matrix(" @order(1, 0)"), stages("A", "j", {.layout = Layout::order({0, 1})}),
                 matrix(" @order(1, 0)", " @order(0, 1)"));
  expect_rewrite(matrix(""), stages("A", "j", {.layout = Layout::order({1, 0})}),
                 matrix("", " @order(1, 0)"));
}

TEST(CacheLayout, ThatPadsKeepsTheOrderOfTheTensor) {
  expect_rewrite(matrix(" @order(1, 0)"), stages("A", "j", {.layout = Layout().pad(1)}),
                 matrix(" @order(1, 0)", " @order(1, 0) @pad(1)"));
  expect_rewrite(matrix(" @order(1, 0)"),
                 stages("A", "j", {.layout = Layout::order({0, 1}).pad(1)}),
                 matrix(" @order(1, 0)", " @order(0, 1) @pad(1)"));
  expect_rewrite(matrix(""), stages("A", "j", {.layout = Layout().pad(1)}), matrix("", " @pad(1)"));
}

/// A block takes `part` of T, of which it is given a tile.
std::string box(const std::string& layout, const std::string& part, const std::string& tile = "") {
  return "func f(T: f32[6, 4, 8]" + layout + R"(, C: f32[6, 4, 8]) {
    for b in 0..3 @block.x { )" +
         tile + R"(for i in 0..2 @thread.z { for j in 0..4 @thread.y { for k in 0..8 @thread.x {
      C[b*2 + i, j, k] = )" +
         part + " } } } } }";
}

constexpr const char* whole = "T[b*2 + i, 3 - j, k]";
constexpr const char* whole_tile = "T.shared[i, 3 - j, k]";

std::string tile_of(const std::string& layout) {
  return "alloc T.shared: f32[2, 4, 8]" + layout +
         " @shared\ncopy T.shared[0 .. +2, 0 .. +4, 0 .. +8] <- T[b*2 .. +2, 0 .. +4, 0 .. +8]\n";
}

TEST(CacheLayout, FollowsAnyOrderOfThreeDimensions) {
  for (const std::string order : {" @order(0, 2, 1)", " @order(1, 0, 2)", " @order(1, 2, 0)",
                                  " @order(2, 0, 1)", " @order(2, 1, 0)"})
    expect_rewrite(box(order, whole), stages("T", "b"), box(order, whole_tile, tile_of(order)));
  expect_rewrite(box("", whole), stages("T", "b"), box("", whole_tile, tile_of("")));
}

TEST(CacheLayout, IsThatOfTheDimensionsThatTheTileHas) {
  const auto slice = [](const std::string& layout) {
    return "alloc T.shared: f32[4, 8]" + layout +
           " @shared\ncopy T.shared[0 .. +4, 0 .. +8] <- T[b, 0 .. +4, 0 .. +8]\n";
  };
  const auto expect_slice = [&](const std::string& order, const std::string& layout) {
    expect_rewrite(box(order, "T[b, 3 - j, k]"), stages("T", "b"),
                   box(order, "T.shared[3 - j, k]", slice(layout)));
  };
  expect_slice(" @order(1, 2, 0)", "");
  expect_slice(" @order(1, 0, 2)", "");
  expect_slice(" @order(2, 1, 0)", " @order(1, 0)");
  expect_slice(" @order(2, 0, 1)", " @order(1, 0)");
  expect_slice(" @order(0, 2, 1)", " @order(1, 0)");
}

TEST(CacheLayout, OfARowHasNoOrder) {
  expect_rewrite(box(" @order(2, 1, 0)", "T[b, 2, k]"), stages("T", "b"),
                 box(" @order(2, 1, 0)", "T.shared[k]",
                     "alloc T.shared: f32[8] @shared\ncopy T.shared[0 .. +8] <- "
                     "T[b, 2, 0 .. +8]\n"));
}

}  // namespace cache_layout_test
}  // namespace hone

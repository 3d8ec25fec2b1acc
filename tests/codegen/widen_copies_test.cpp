#include <gtest/gtest.h>

#include "codegen/pass/passes.h"
#include "fmt/format.h"
#include "ir/traverse/visit.h"
#include "tests/support/codegen/passes.h"

namespace hone {
namespace widen_copies_test {

/// A tile of 32 x 32 elements of A, which is 256 x 256, for a block of 256 threads.
struct TileCopy {
  std::string type = "f32", shape = "256, 256", layout = "", assumption = "";
  std::string tile = "32, 32", tile_layout = "";
  std::string to = "0 .. +32, 0 .. +32", from = "b*32 .. +32, k*32 .. +32", promise = "";
  int threads = 256;

  std::string text() const {
    return fmt::format(
        "func f[n](A: {0}[{1}]{2}, C: {0}[8]){3} {{ for b in 0..8 @block.x {{ for k in 0..8 {{\n"
        "alloc s: {0}[{4}]{5} @shared\ncopy s[{6}] <- A[{7}]{8}\n"
        "for t in 0..{9} @thread.x {{ C[b] = s[0, 0] }} }} }} }}",
        type, shape, layout, assumption, tile, tile_layout, to, from, promise, threads);
  }
};

/// The number of elements in one access of the only copy, after widening; 0 if that stays open.
int64_t width_of(const std::string& text) {
  KernelFunction kernel = unlowered(text);
  share_copies(kernel);
  widen_copies(kernel);
  int64_t result = -1;
  walk(kernel.body, [&](const Stmt& stmt) {
    if (const auto* copy = llvm::dyn_cast<Copy>(stmt)) result = copy->vector;
  });
  return result;
}

int64_t width(const TileCopy& copy) { return width_of(copy.text()); }

TEST(WidenCopies, SaysHowManyElementsMoveAtATime) {
  const std::string text = after_passes({share_copies, widen_copies}, TileCopy().text());
  EXPECT_NE(
      text.find(
          "copy s[0 .. +32, 0 .. +32] <- A[b*32 .. +32, k*32 .. +32] @vector(4) @by(thread.x)\n"),
      std::string::npos)
      << text;
}

TEST(WidenCopies, TakesSixteenBytesOfAnyType) {
  EXPECT_EQ(width({.type = "f32", .threads = 32}), 4);
  EXPECT_EQ(width({.type = "f16", .threads = 32}), 8);
  EXPECT_EQ(width({.type = "bf16", .threads = 32}), 8);
  EXPECT_EQ(width({.type = "f64", .threads = 32}), 2);
  EXPECT_EQ(width({.type = "i64", .threads = 32}), 2);
  EXPECT_EQ(width({.type = "i8", .threads = 32}), 16);
}

TEST(WidenCopies, LeavesEveryThreadAVector) {
  EXPECT_EQ(width({.threads = 1}), 4);
  EXPECT_EQ(width({.threads = 255}), 4);
  EXPECT_EQ(width({.threads = 256}), 4);
  EXPECT_EQ(width({.threads = 257}), 2);
  EXPECT_EQ(width({.threads = 512}), 2);
  EXPECT_EQ(width({.threads = 513}), 0);
  EXPECT_EQ(width({.tile = "32, 8", .to = "0 .. +32, 0 .. +8", .from = "b*32 .. +32, k*8 .. +8"}),
            0);
  EXPECT_EQ(width({.type = "i8", .threads = 512}), 2);
}

TEST(WidenCopies, ThreadsWithCopiesOfTheirOwnDoNotCount) {
  // Each y has a row, which 32 threads share.
  EXPECT_EQ(width_of(R"(func f(A: f32[64, 128], C: f32[8]) { for b in 0..8 @block.x {
              alloc s: f32[8, 128] @shared
              for y in 0..8 @thread.y {
                copy s[y, 0 .. +128] <- A[b*8 + y, 0 .. +128]
                for x in 0..32 @thread.x { C[b] = s[0, 0] } } } })"),
            4);
}

TEST(WidenCopies, ABlockOfUnknownSizeTakesElements) {
  EXPECT_EQ(width_of("func f[n](A: f32[64, 64], C: f32[n]) { for b in 0..2 @block.x {\n"
                     "alloc s: f32[32, 32] @shared\n"
                     "copy s[0 .. +32, 0 .. +32] <- A[b*32 .. +32, 0 .. +32]\n"
                     "for t in 0..n @thread.x { C[t] = s[0, 0] } } }"),
            0);
}

TEST(WidenCopies, RowsMustBeWholeVectorsApart) {
  EXPECT_EQ(width({.shape = "256, 250"}), 2);
  EXPECT_EQ(width({.shape = "250, 256"}), 4);
  EXPECT_EQ(width({.shape = "256, 251"}), 0);
  EXPECT_EQ(width({.shape = "n, n"}), 0);
  EXPECT_EQ(width({.shape = "256, 250", .layout = " @pitch(256)"}), 2);
  EXPECT_EQ(width({.shape = "256, 256", .layout = " @pitch(257)"}), 0);
  EXPECT_EQ(width({.shape = "256, 256", .layout = " @pitch(n)"}), 0);
}

TEST(WidenCopies, WhatLaunchesCheckCounts) {
  EXPECT_EQ(width({.shape = "n, n", .assumption = " where n % 4 == 0"}), 4);
  EXPECT_EQ(width({.shape = "n, n", .assumption = " where n % 2 == 0"}), 2);
  EXPECT_EQ(width({.shape = "n, n", .assumption = " where n % 3 == 0"}), 0);
  EXPECT_EQ(width({.layout = " @pitch(n)", .assumption = " where n % 8 == 0"}), 4);
}

TEST(WidenCopies, CopiesMustStartAtWholeVectors) {
  EXPECT_EQ(width({.from = "b*32 .. +32, k*32 + 2 .. +32"}), 2);
  EXPECT_EQ(width({.from = "b*32 .. +32, k*32 + 1 .. +32"}), 0);
  EXPECT_EQ(width({.from = "b*32 - 1 .. +32, k*32 .. +32"}), 4);
  EXPECT_EQ(width({.from = "b*32 .. +32, k*32 - 1 .. +32"}), 0);
  EXPECT_EQ(width({.from = "b*32 .. +32, n .. +32"}), 0);
  EXPECT_EQ(width({.assumption = " where n % 4 == 0", .from = "b*32 .. +32, n .. +32"}), 4);
  EXPECT_EQ(width({.tile = "32, 36", .to = "0 .. +32, 2 .. +32"}), 2);
  EXPECT_EQ(width({.tile = "32, 36", .to = "0 .. +32, 4 .. +32"}), 4);
}

TEST(WidenCopies, RowsOfTheCopyMustBeWholeVectors) {
  EXPECT_EQ(width({.to = "0 .. +32, 0 .. +30", .from = "b*32 .. +32, k*32 .. +30"}), 2);
  EXPECT_EQ(width({.to = "0 .. +32, 0 .. +31", .from = "b*32 .. +32, k*32 .. +31"}), 0);
}

TEST(WidenCopies, FollowsTheLayoutOfTheTile) {
  EXPECT_EQ(width({.tile_layout = " @pad(1)"}), 0);
  EXPECT_EQ(width({.tile_layout = " @pad(2)"}), 2);
  EXPECT_EQ(width({.tile_layout = " @pad(4)"}), 4);
  EXPECT_EQ(width({.tile_layout = " @swizzle(1, 32, 1)"}), 0);
  EXPECT_EQ(width({.tile_layout = " @swizzle(2, 16, 1)"}), 2);
  EXPECT_EQ(width({.tile_layout = " @swizzle(4, 8, 1)"}), 4);
}

TEST(WidenCopies, BothSidesMustRunInTheSameDirection) {
  EXPECT_EQ(width({.tile_layout = " @order(1, 0)"}), 0);
  EXPECT_EQ(width({.layout = " @order(1, 0)"}), 0);
  EXPECT_EQ(width({.layout = " @order(1, 0)", .tile_layout = " @order(1, 0)"}), 4);
  // A row and a column, as rows of the tile.
  EXPECT_EQ(width({.to = "3, 0 .. +32", .from = "b, k*32 .. +32", .threads = 8}), 4);
  EXPECT_EQ(width({.to = "3, 0 .. +32", .from = "k*32 .. +32, b", .threads = 8}), 0);
}

TEST(WidenCopies, ElementsThatLieAStrideApartMoveAlone) {
  EXPECT_EQ(width({.from = "b*32 .. +32, k*32 .. +32 by 2"}), 0);
  EXPECT_EQ(width({.from = "b*32 .. +32 by 2, k*32 .. +32"}), 4);
}

TEST(WidenCopies, APromiseIsKeptAsItIs) {
  EXPECT_EQ(width({.promise = " @vector(1)"}), 1);
  EXPECT_EQ(width({.promise = " @vector(2)"}), 2);
  EXPECT_EQ(width({.promise = " fill 1.0"}), 4);
}

TEST(WidenCopies, AThreadMovesItsRegistersInVectors) {
  const auto text = [](const std::string& copy) {
    return "func f(A: f32[64, 64], C: f32[64, 64]) {\nalloc s: f32[64, 64] @shared\n"
           "for t in 0..64 @thread.x {\nalloc r: f32[8] @registers\n" +
           copy + "\nC[t, 0] = r[0] + s[0, 0] } }";
  };
  EXPECT_EQ(width_of(text("copy C[t, 0 .. +8] <- r[0 .. +8]")), 4);
  EXPECT_EQ(width_of(text("copy r[0 .. +8] <- A[t, 8 .. +8]")), 4);
  EXPECT_EQ(width_of(text("copy r[0 .. +8] <- A[t, 2 .. +8]")), 2);
  EXPECT_EQ(width_of(text("copy r[0 .. +8] <- A[0 .. +8, t]")), 0);
  // The CUDA compiler sees both.
  EXPECT_EQ(width_of(text("copy r[0 .. +8] <- s[t, 0 .. +8]")), 0);
}

}  // namespace widen_copies_test
}  // namespace hone

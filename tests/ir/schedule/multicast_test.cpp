// Tiles that blocks of a cluster fill for each other, in loop IR.
#include <gtest/gtest.h>

#include "fmt/format.h"
#include "ir/text/parser.h"
#include "tests/support/ir/expect_rewrite.h"

namespace hone {
namespace multicast_test {

Rewriting multicasts(llvm::StringRef tile, int64_t blocks) {
  return [=](const Function& f) { return multicast(f, tensor(f, tile), blocks).function; };
}

/// Two blocks after the other store the columns of the same tiles of A, each of them others.
struct Columns {
  std::string blocks = "M / 64 * 2", loop = "@roles(1)", guard;
  std::string place = "b / 2*64 + m*16 .. +16, 0 .. +32";
  std::string tile = "m % 3, 0 .. +16, 0 .. +32", how = "@bulk @by(producers)";

  std::string text() const {
    const std::string open = guard.empty() ? "" : fmt::format("if ({}) {{ ", guard);
    return to_string(parse_function(fmt::format(
        R"(func f[M](A: f32[M, 32], C: f32[32, M]) where M % 64 == 0 {{
  for b in 0..{} @block.x {{
    for t in 0..32 @thread.x {{
      alloc T: f32[3, 16, 32] @shared @align(128)
      {}for m in 0..4 {} {{
        copy T[{}] <- A[{}] {}
        for r in 0..8 {{
          C[t, b / 2*64 + m*16 + b % 2*8 + r] = T[m % 3, b % 2*8 + r, t]
        }}
      }}{}
    }}
  }}
}})",
        blocks, open, loop, tile, place, how, guard.empty() ? "" : " }")));
  }
};

TEST(Multicast, TwoBlocksFillATileForEachOther) {
  Columns after;
  after.how = "@bulk @by(producers) @multicast(2)";
  expect_rewrite(Columns().text(), multicasts("T", 2), after.text());
}

TEST(Multicast, UnderAConditionThatBothHave) {
  Columns before, after;
  before.guard = after.guard = "b / 2 < 3";
  after.how = "@bulk @by(producers) @multicast(2)";
  expect_rewrite(before.text(), multicasts("T", 2), after.text());
}

// ---- Refusals -----------------------------------------------------------------------------------

void expect_refused(const Columns& columns, int64_t blocks, const std::string& message) {
  const std::string text = columns.text();
  try {
    const Function function = parse_function(text);
    multicast(function, tensor(function, "T"), blocks);
    FAIL() << "not refused:\n" << text;
  } catch (const ScheduleError& error) {
    const auto [first, rest] = llvm::StringRef(error.what()).split('\n');
    const auto note = rest.substr(rest.rfind("note: "));
    EXPECT_EQ(first.str() + "\n" + note.str(), message);
  }
}

TEST(MulticastRefusals, OfTilesThatTheEngineDoesNotFill) {
  Columns columns;
  columns.how = "@async @by(producers)";
  expect_refused(columns, 2,
                 "error: multicast: T is not filled by the copy engine for producers, which alone "
                 "fills tiles of several blocks\n"
                 "note: specialize with CopyEngine::boxes first");
}

TEST(MulticastRefusals, OfOtherNumbersOfBlocks) {
  for (const int64_t blocks : {0, 1, 9})
    expect_refused(Columns(), blocks,
                   fmt::format("error: multicast: T is to be filled for {} blocks, and a cluster "
                               "has 2 to 8\nnote: 2",
                               blocks));
  Columns odd;
  odd.blocks = "M / 64";
  odd.place = "b*64 + m*16 .. +16, 0 .. +32";
  expect_refused(odd, 2,
                 "error: multicast: b has M / 64 iterations, which are not proved to be whole "
                 "clusters of 2 blocks\n"
                 "note: split off 2 blocks, and fuse them into the axis as the inner one");
}

TEST(MulticastRefusals, OfBlocksThatWantOtherElements) {
  Columns columns;
  columns.place = "b*32 + m*8 .. +16, 0 .. +32";
  expect_refused(columns, 2,
                 "error: multicast: its copy starts at b*32 + m*8, which may differ between the 2 "
                 "blocks that fill T for each other: b numbers them\n"
                 "note: fuse the axis in which they differ into that of block.x as the inner one");
  expect_refused(Columns(), 4,
                 "error: multicast: b has (M / 64)*2 iterations, which are not proved to be whole "
                 "clusters of 4 blocks\n"
                 "note: split off 4 blocks, and fuse them into the axis as the inner one");
}

TEST(MulticastRefusals, OfBlocksThatWantItInOtherPlaces) {
  Columns columns;
  columns.place = "b / 2*64 + m*16 .. +8, 0 .. +32";
  columns.tile = "m % 3, b % 2*8 .. +8, 0 .. +32";
  expect_refused(columns, 2,
                 "error: multicast: its copy goes to (b % 2)*8, which may differ between the 2 "
                 "blocks that fill T for each other: b numbers them\n"
                 "note: fuse the axis in which they differ into that of block.x as the inner one");
}

TEST(MulticastRefusals, OfBlocksThatComeAtOtherTimes) {
  Columns columns;
  columns.guard = "b < 3";
  expect_refused(
      columns, 2,
      "error: multicast: it is copied under b < 3, which may differ between the 2 blocks "
      "that fill T for each other: b numbers them\n"
      "note: fuse the axis in which they differ into that of block.x as the inner one");
}

TEST(MulticastRefusals, OfBoxesWithoutParts) {
  Columns columns;
  columns.blocks = "M / 64 * 3";
  columns.place = "b / 3*64 + m*16 .. +16, 0 .. +32";
  expect_refused(columns, 3,
                 "error: multicast: 3 blocks cannot share the box of T: none of its dimensions has "
                 "parts that start where the copy engine wants them\n"
                 "note: a tile whose rows are a multiple of 8 times the blocks");
}

}  // namespace multicast_test
}  // namespace hone

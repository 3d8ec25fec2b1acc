// Stores by the copy engine in loop IR: a tile goes back as a whole.
#include <gtest/gtest.h>

#include "fmt/format.h"
#include "ir/schedule/legality/promises.h"
#include "ir/text/parser.h"
#include "tests/support/ir/expect_rewrite.h"

namespace hone {
namespace copy_bulk_store_test {

Rewriting stores_in_bulk(llvm::StringRef tile) {
  return [=](const Function& f) { return copy_bulk(f, tensor(f, tile)).function; };
}

/// Doubles rows of A by way of tiles of 16 x 32.
struct Doubling {
  std::string promises = " where N % 4 == 0", type = "f32", sizes = "M, N";
  std::string tile = "{}[16, 32]", attributes, inside, behind;
  std::string place = "m*16 .. +16, 0 .. +32", source = "0 .. +16, 0 .. +32", how;

  std::string text() const {
    const std::string name = fmt::format(fmt::runtime(tile), type);
    return fmt::format(R"(func f[M, N](A: {0}[M, N], C: {0}[{1}]){2} {{
  for m in 0..M / 16 @block.x {{
    alloc T: {3} @shared{4}
    for t in 0..32 @thread.x {{
      for r in 0..16 {{
        T[r, t] = A[m*16 + r, t] + A[m*16 + r, t]
      }}
    }}
{5}    copy C[{6}] <- T[{7}]{8}
{9}  }}
}})",
                       type, sizes, promises, name, attributes, inside, place, source, how, behind);
  }
};

TEST(CopyBulk, TakesATileBack) {
  Doubling bulk;
  bulk.attributes = " @align(128)";
  bulk.how = " @bulk";
  expect_rewrite(Doubling().text(), stores_in_bulk("T"), bulk.text());
}

TEST(CopyBulk, TakesASwizzledTileBack) {
  Doubling before, after;
  before.tile = after.tile = "{}[16, 32] @swizzle(4, 8, 1)";
  after.attributes = " @align(1024)";
  after.how = " @bulk";
  expect_rewrite(before.text(), stores_in_bulk("T"), after.text());
}

/// The tile goes back in a loop of that head, so many rows an iteration.
Doubling in_parts(const std::string& loop, int64_t rows) {
  Doubling doubling;
  doubling.inside = fmt::format("    for g in {} {{\n  ", loop);
  doubling.place = fmt::format("m*16 + g*{0} .. +{0}, 0 .. +32", rows);
  doubling.source = fmt::format("g*{0} .. +{0}, 0 .. +32", rows);
  doubling.behind = "    }\n";
  return doubling;
}

TEST(CopyBulk, TakesEqualPartsOfATileBack) {
  for (const char* loop : {"0..4", "0..4 @warp", "0..4 @thread.y", "0..2 @thread.x(64)"}) {
    const int64_t rows = llvm::StringRef(loop).contains("0..2") ? 8 : 4;
    Doubling before = in_parts(loop, rows), after = in_parts(loop, rows);
    after.attributes = " @align(128)";
    after.how = " @bulk";
    expect_rewrite(before.text(), stores_in_bulk("T"), after.text());
  }
}

/// The columns of a part lie together, as the engine has them.
TEST(CopyBulk, TakesPanelsBack) {
  Doubling before;
  before.tile = "{}[16, 32] @order(1/16, 0, 1%16)";
  before.place = "m*16 .. +16, 16 .. +16";
  before.source = "0 .. +16, 16 .. +16";
  Doubling after = before;
  after.attributes = " @align(128)";
  after.how = " @bulk";
  expect_rewrite(before.text(), stores_in_bulk("T"), after.text());
}

/// The swizzle begins anew in each.
TEST(CopyBulk, TakesPartsOfASwizzledTileBack) {
  Doubling before = in_parts("0..2", 8);
  before.tile = "{}[16, 32] @swizzle(4, 8, 1)";
  Doubling after = before;
  after.attributes = " @align(1024)";
  after.how = " @bulk";
  expect_rewrite(before.text(), stores_in_bulk("T"), after.text());
}

// ---- Refusals -----------------------------------------------------------------------------------

/// `here`: the lines of the loop that messages show; that of the copy back where it is empty.
void expect_refused(const Doubling& doubling, const std::string& message, const std::string& note,
                    std::string here = "") {
  const std::string text = doubling.text();
  if (here.empty())
    here = "    copy C" + llvm::StringRef(text).split("    copy C").second.split('\n').first.str();
  expect_refusal(
      text, stores_in_bulk("T"),
      fmt::format("error: copy_bulk: {}\n  for m in 0..M / 16 @block.x {{\n{}  <-- here\n"
                  "note: {}",
                  message, here, note));
}

TEST(CopyBulk, RefusesRowsOfOtherPitch) {
  Doubling doubling;
  doubling.promises = "";
  expect_refused(
      doubling, "rows of C lie N elements apart, and those of a bulk copy at multiples of 16 bytes",
      "assume(N % 4 == 0)");
}

TEST(CopyBulk, RefusesColumnsAtOtherPlaces) {
  Doubling doubling;
  doubling.place = "m*16 .. +16, 2 .. +32";
  expect_refused(
      doubling,
      "the box of C starts at element 2 of its rows, and that of a bulk copy at a multiple of 16 "
      "bytes, 4 elements",
      "leave it to the threads, a wider tile whose first column is such a multiple, or a layout of "
      "C in which elements of another dimension lie side by side");
}

/// The engine ends the kernel there, at whole pieces too.
TEST(CopyBulk, RefusesBoxesThatMayStartBeforeATensor) {
  const auto expect_start = [](const std::string& place, const std::string& start) {
    Doubling doubling;
    doubling.place = place;
    expect_refused(doubling,
                   "the box of C starts at " + start +
                       ", which may be negative, and a bulk copy to memory starts at 0 or behind",
                   "leave it to the threads");
  };
  expect_start("m*16 .. +16, m*32 - 32 .. +32", "m*32 - 32 in dimension 1");
  expect_start("m*16 - 1 .. +16, 0 .. +32", "m*16 - 1 in dimension 0");
  expect_start("m*16 .. +16, N - 32 .. +32", "N - 32 in dimension 1");
}

/// The engine would write to what lies behind them.
TEST(CopyBulk, RefusesRowsThatEndWithinAPiece) {
  const auto text = [](const std::string& row) {
    return fmt::format(R"(func f[N](A: f32[{0}], C: f32[{0}]) {{
  for b in 0..({0} + 31) / 32 @block.x {{
    alloc T: f32[32] @shared
    for t in 0..32 @thread.x {{
      if (b*32 + t < {0}) {{
        T[t] = A[b*32 + t] * 2.0
      }}
    }}
    copy C[b*32 .. +32] <- T[0 .. +32]
  }}
}})",
                       row);
  };
  const auto message = [](const std::string& row, const std::string& note) {
    return fmt::format(
        "error: copy_bulk: rows of C have {0} elements, and a bulk copy to memory writes whole "
        "pieces of 16 bytes, 4 elements\n  for b in 0..({0} + 31) / 32 @block.x {{\n"
        "    copy C[b*32 .. +32] <- T[0 .. +32]  <-- here\nnote: {1}",
        row, note);
  };
  expect_refusal(text("N"), stores_in_bulk("T"), message("N", "assume(N % 4 == 0)"));
}

TEST(CopyBulk, RefusesAPaddedTile) {
  Doubling doubling;
  doubling.tile = "{}[16, 32] @pad(1)";
  expect_refused(doubling,
                 "T has a padding behind its rows, and a bulk copy lays out rows as they come, or "
                 "in the swizzle of as many bytes, 32, 64 or 128",
                 "Layout().swizzle_bytes(128, f32), or no layout of its own");
}

TEST(CopyBulk, RefusesAPartOfATile) {
  Doubling doubling;
  doubling.place = "m*16 .. +16, 0 .. +12";
  doubling.source = "0 .. +16, 0 .. +12";
  expect_refused(doubling,
                 "the copy takes a part of T in dimension 1, and a bulk copy takes all "
                 "of it, or one of equal parts",
                 "copy a whole tile");
}

TEST(CopyBulk, RefusesPartsThatAreNotEqual) {
  const auto expect_no_part = [](const std::string& place, const std::string& source) {
    Doubling doubling;
    doubling.place = place;
    doubling.source = source;
    expect_refused(doubling,
                   "the copy takes a part of T in dimension 0, and a bulk copy takes all of it, or "
                   "one of equal parts",
                   "copy a whole tile");
  };
  expect_no_part("m*16 .. +5, 0 .. +32", "5 .. +5, 0 .. +32");
  expect_no_part("m*16 .. +8, 0 .. +32", "4 .. +8, 0 .. +32");
  expect_no_part("m*16 .. +8, 0 .. +32", "0 .. +8 by 2, 0 .. +32");
}

TEST(CopyBulk, RefusesColumnsOfATileThatHasRows) {
  Doubling doubling;
  doubling.place = "m*16 .. +16, 16 .. +16";
  doubling.source = "0 .. +16, 16 .. +16";
  expect_refused(doubling,
                 "elements of T lie in another order than in C, and a bulk copy lays out rows as "
                 "they come, or in the swizzle of as many bytes, 32, 64 or 128",
                 "Layout().swizzle_bytes(64, f32), or no layout of its own");
}

/// The first part would be right: the rows of the next have their chunks in another order.
TEST(CopyBulk, RefusesPartsOfWhichAnotherIsSwizzled) {
  for (const auto& [rows, part] : {std::pair(16, 8), {15, 5}}) {
    Doubling doubling;
    doubling.tile = fmt::format("{{}}[{}, 32] @swizzle(4, 8, {})", rows, part);
    doubling.place = fmt::format("m*16 .. +{}, 0 .. +32", part);
    doubling.source = fmt::format("0 .. +{}, 0 .. +32", part);
    expect_refused(doubling,
                   "T is swizzled otherwise, and a bulk copy lays out rows as they come, or in the "
                   "swizzle of as many bytes, 32, 64 or 128",
                   "Layout().swizzle_bytes(128, f32), or no layout of its own");
  }
}

TEST(CopyBulk, RefusesSmallParts) {
  Doubling rows;
  rows.type = "bf16";
  rows.promises = " where N % 8 == 0";
  rows.place = "m*16 .. +1, 0 .. +32";
  rows.source = "3 .. +1, 0 .. +32";
  expect_refused(rows, "parts of T lie 64 bytes apart, and a bulk copy goes to a multiple of 128",
                 "larger tiles");
  Doubling padded;
  padded.tile = "{}[16, 32] @pad(8)";
  padded.place = "m*16 .. +1, 0 .. +32";
  padded.source = "3 .. +1, 0 .. +32";
  expect_refused(padded,
                 "parts of T lie 160 bytes apart, and a bulk copy goes to a multiple of 128",
                 "larger tiles");
  Doubling swizzled;
  swizzled.tile = "{}[16, 32] @swizzle(4, 8, 1)";
  swizzled.place = "m*16 .. +4, 0 .. +32";
  swizzled.source = "12 .. +4, 0 .. +32";
  expect_refused(swizzled,
                 "parts of T lie 512 bytes apart, and a bulk copy goes to a multiple of 1024",
                 "larger tiles");
}

TEST(CopyBulk, RefusesCopiesOfHalfWarps) {
  for (const auto& [loop, rows] : {std::pair("0..2 @thread.x(16)", 8), {"0..8 @thread.x(16)", 2}}) {
    const Doubling doubling = in_parts(loop, rows);
    expect_refused(doubling,
                   "threads have copies of T of their own, and a bulk copy is one of whole warps",
                   "cache_shared at a loop around all threads",
                   fmt::format("    for g in {} {{\n      copy C[{}] <- T[{}]", loop,
                               doubling.place, doubling.source));
  }
}

TEST(CopyBulk, RefusesATensorThatTheKernelUses) {
  Doubling doubling;
  doubling.inside = "    for u in 0..32 @thread.x {\n      C[m, u] = T[0, u]\n    }\n";
  expect_refused(doubling,
                 "C is used elsewhere in the kernel, which has no order with a bulk copy to it",
                 "leave it to the threads");
}

TEST(CopyBulk, RefusesCopiesOfThreads) {
  Doubling doubling;
  doubling.inside = "    for u in 0..32 @thread.x {\n  ";
  doubling.behind = "    }\n";
  expect_refused(doubling,
                 "threads have copies of T of their own, and a bulk copy is one of whole warps",
                 "cache_shared at a loop around all threads",
                 "    for u in 0..32 @thread.x {\n"
                 "      copy C[m*16 .. +16, 0 .. +32] <- T[0 .. +16, 0 .. +32]");
}

TEST(CopyBulk, RefusesATileThatAsynchronousCopiesFill) {
  Doubling doubling;
  doubling.inside = "    copy T[0 .. +16, 0 .. +32] <- A[m*16 .. +16, 0 .. +32] @async\n";
  doubling.how = " @bulk";
  expect_refusal(
      doubling.text(),
      [](const Function& f) {
        check_function(f);
        return f;
      },
      "error: check: T is filled by copies that go on while threads do something else, and a bulk "
      "copy of it would not wait for these\n"
      "  for m in 0..M / 16 @block.x {\n"
      "    copy C[m*16 .. +16, 0 .. +32] <- T[0 .. +16, 0 .. +32] @bulk  <-- here\n"
      "note: fill it with loads and stores");
}

/// Nothing else is a tile: the message is that of a ring that nobody fills.
TEST(CopyBulk, RefusesRegistersThatAreCopied) {
  expect_refusal(
      R"(func f[M](C: f32[M, 32]) {
  for m in 0..M / 16 @block.x {
    for t in 0..32 @thread.x {
      alloc R: f32[16] @registers
      R[0] = 1.0
      copy C[m*16 .. +16, t] <- R[0 .. +16]
    }
  }
})",
      stores_in_bulk("R"),
      "error: copy_bulk: R is neither a ring that producers fill nor a shared tile that is "
      "copied back, and the engine makes no other copies\n"
      "  for m in 0..M / 16 @block.x {\n"
      "    for t in 0..32 @thread.x {\n"
      "      alloc R: f32[16] @registers    <-- here\n"
      "      R[0] = 1.0\n"
      "      copy C[m*16 .. +16, t] <- R[0 .. +16]\n"
      "note: copy_async, and specialize the loop first");
}

TEST(CopyBulk, RefusesATileThatThreadsFillFromMemory) {
  expect_refusal(
      R"(func f(C: f32[64, 32]) {
  for m in 0..4 @block.x {
    alloc T: f32[16, 32] @shared
    copy T[0 .. +16, 0 .. +32] <- C[m*16 .. +16, 0 .. +32]
    for t in 0..32 @thread.x { T[t % 16, t] = 1.0 }
    copy C[m*16 .. +16, 0 .. +32] <- T[0 .. +16, 0 .. +32]
  }
})",
      stores_in_bulk("T"),
      R"(error: copy_bulk: T is filled from memory by threads before it is copied back, and the engine writes tiles that start without values
  for m in 0..4 @block.x {
    alloc T: f32[16, 32] @shared     <-- here
    copy T[0 .. +16, 0 .. +32] <- C[m*16 .. +16, 0 .. +32]
    for t in 0..32 @thread.x {
note: set all of its elements before they are read, and let sizes divide: assume(...))");
}

TEST(CopyBulk, RefusesATileThatGoesToRegisters) {
  Doubling doubling;
  doubling.inside =
      "    for u in 0..32 @thread.x {\n      alloc R: f32[16, 32] @registers\n"
      "      copy R[0 .. +16, 0 .. +32] <- T[0 .. +16, 0 .. +32]\n    }\n";
  expect_refused(doubling, "T is copied to R, and a bulk copy of it goes to global memory",
                 "cache_shared of an output makes such a copy",
                 "    for u in 0..32 @thread.x {\n"
                 "      copy R[0 .. +16, 0 .. +32] <- T[0 .. +16, 0 .. +32]");
}

}  // namespace copy_bulk_store_test
}  // namespace hone

// Copies by the copy engine in loop IR: producers ask for whole tiles.
#include <gtest/gtest.h>

#include <map>

#include "fmt/format.h"
#include "ir/core/layout.h"
#include "ir/memory/boxes.h"
#include "ir/memory/storage_map.h"
#include "ir/schedule/legality/promises.h"
#include "ir/text/parser.h"
#include "tests/support/ir/expect_rewrite.h"

namespace hone {
namespace copy_bulk_test {

Rewriting copies_in_bulk(llvm::StringRef ring) {
  return [=](const Function& f) { return copy_bulk(f, tensor(f, ring)).function; };
}

/// Sums of columns of A, tiles of 16 x 32 by producers.
struct Sum {
  std::string sizes = "M, K", promises = " where K % 4 == 0", type = "f32";
  std::string source = "A: {}[M, K]", place = "m*16 .. +16, 0 .. +32";
  std::string ring = "{}[3, 16, 32]", attributes;
  std::string tile = "0 .. +16, 0 .. +32", how = "@async @by(producers)";
  std::string loop = "@roles(1)";

  std::string text() const {
    const auto typed = [&](const std::string& text) {
      return fmt::format(fmt::runtime(text), type);
    };
    return fmt::format(R"(func f[{}]({}, C: {}[32, 16]){} {{
  for t in 0..32 @thread.x {{
    alloc T: {} @shared{}
    for m in 0..M / 16 {} {{
      copy T[m % 3, {}] <- A[{}] {}
      for r in 0..16 {{
        C[t, r] = T[m % 3, r, t]
      }}
    }}
  }}
}})",
                       sizes, typed(source), type, promises, typed(ring), attributes, loop, tile,
                       place, how);
  }
};

TEST(CopyBulk, OneProducerAsksForATile) {
  Sum bulk;
  bulk.attributes = " @align(128)";
  bulk.how = "@bulk @by(producers)";
  expect_rewrite(Sum().text(), copies_in_bulk("T"), bulk.text());
}

TEST(CopyBulk, OfOneOfEqualPartsOfASlot) {
  Sum before, after;
  before.place = after.place = "m*16 .. +8, 0 .. +32";
  before.tile = after.tile = "8 .. +8, 0 .. +32";
  after.attributes = " @align(128)";
  after.how = "@bulk @by(producers)";
  expect_rewrite(before.text(), copies_in_bulk("T"), after.text());
}

TEST(CopyBulk, OfSlotsOfOneRowWithAPaddingOfLines) {
  Sum before, after;
  before.place = after.place = "m .. +1, 0 .. +32";
  before.tile = after.tile = "0 .. +1, 0 .. +32";
  before.ring = after.ring = "{}[3, 1, 32] @pad(32)";
  after.attributes = " @align(128)";
  after.how = "@bulk @by(producers)";
  expect_rewrite(before.text(), copies_in_bulk("T"), after.text());
}

/// The promise to move vectors is about threads.
TEST(CopyBulk, OfASwizzledTile) {
  Sum before, after;
  before.ring = after.ring = "{}[3, 16, 32] @swizzle(4, 8, 1)";
  before.how = "@vector(4) @async @by(producers)";
  after.attributes = " @align(1024)";
  after.how = "@bulk @by(producers)";
  expect_rewrite(before.text(), copies_in_bulk("T"), after.text());
}

TEST(CopyBulk, MayBeAsynchronousAgain) {
  Sum bulk, async;
  bulk.attributes = async.attributes = " @align(128)";
  bulk.how = "@bulk @by(producers)";
  expect_rewrite(
      bulk.text(), [](const Function& f) { return copy_async(f, tensor(f, "T")).function; },
      async.text());
}

/// The engine knows three swizzles, and layouts by name are these.
TEST(CopyBulk, LayoutsByNameAreTheSwizzlesOfTheEngine) {
  const auto text = [](int64_t bytes, DType type) {
    return to_string(Layout().swizzle_bytes(bytes, type));
  };
  EXPECT_EQ(text(32, f32), " @swizzle(4, 2, 4)");
  EXPECT_EQ(text(64, f32), " @swizzle(4, 4, 2)");
  EXPECT_EQ(text(128, f32), " @swizzle(4, 8, 1)");
  EXPECT_EQ(text(64, DType::f16), " @swizzle(8, 4, 2)");
  EXPECT_EQ(text(128, DType::f64), " @swizzle(2, 8, 1)");
  for (const int64_t bytes : {32, 64, 128}) {
    const int64_t columns = bytes / 4;
    const TensorPtr tile =
        make_tensor("T", f32, {2, 32, columns}, Scope::shared, Layout().swizzle_bytes(bytes, f32));
    const TensorPtr source = make_tensor("A", f32, {64, 128});
    const Stmt copy =
        Copy::make({tile, {{1}, {0, 32}, {0, columns}}}, {source, {{32, 32}, {0, columns}}});
    EXPECT_EQ(swizzle_of(*llvm::cast<Copy>(copy)), bytes);
    EXPECT_EQ(box_alignment(bytes), bytes * 8);
  }
}

/// Three slots of so many rows, looked at element by element.
std::optional<int64_t> swizzle_by_elements(const TensorNode& tile, int64_t rows, int64_t columns) {
  const StorageMap map(tile);
  for (const int64_t swizzle : {int64_t{0}, columns * 4}) {
    bool fits = true;
    for (int64_t slot = 0; slot < 3; ++slot) {
      const int64_t start = swizzled_place(map.offset({slot, 0, 0}) * 4, swizzle);
      for (int64_t n = 0; n < rows * columns; ++n)
        fits &= map.offset({slot, n / columns, n % columns}) * 4 ==
                swizzled_place(start + n * 4, swizzle);
    }
    if (fits) return swizzle;
  }
  return std::nullopt;
}

/// Sizes that are no powers of two are looked at run by run.
TEST(CopyBulk, FitsWhereEachElementDoes) {
  std::map<std::optional<int64_t>, int> found;
  for (const int64_t rows : {8, 24, 40, 64, 96})
    for (const int64_t columns : {8, 16, 32}) {
      std::vector<Layout> layouts = {Layout(), Layout().pad(8), Layout().pad(32)};
      for (const int64_t period : {2, 4, 8})
        for (const int64_t by : {1, 2, 4})
          if (4 * period <= columns)
            layouts.push_back(Layout().swizzle({.chunk = 4, .period = period, .rows = by}));
      for (const Layout& layout : layouts) {
        const TensorPtr tile = make_tensor("T", f32, {3, rows, columns}, Scope::shared, layout);
        const TensorPtr source = make_tensor("A", f32, {128, 128});
        const Stmt copy =
            Copy::make({tile, {{1}, {0, rows}, {0, columns}}}, {source, {{0, rows}, {0, columns}}});
        const auto swizzle = swizzle_of(*llvm::cast<Copy>(copy));
        EXPECT_EQ(swizzle, swizzle_by_elements(*tile, rows, columns))
            << rows << " x " << columns << to_string(layout);
        ++found[swizzle];
      }
    }
  EXPECT_EQ(found.size(), 5u);  // none, 0, 32, 64 and 128 bytes
}

TEST(CopyBulk, ThereAreNoOtherSwizzles) {
  const auto message = [](int64_t bytes, DType type) -> std::string {
    try {
      Layout().swizzle_bytes(bytes, type);
      return "";
    } catch (const DefinitionError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(message(48, f32),
            "there is no swizzle of 48 bytes; rows of 32, 64 and 128 bytes have one");
  EXPECT_EQ(message(64, tuple_of({f32, f32, f32, f64})),
            "elements of (f32, f32, f32, f64) are 32 bytes, and 16 bytes of a swizzle that stay "
            "together are no multiple");
}

// ---- Refusals -----------------------------------------------------------------------------------

/// The loops around the copy as messages show them, and the note.
void expect_refused(const Sum& sum, const std::string& message, const std::string& note) {
  const std::string text = sum.text();
  const auto [before, copy] = llvm::StringRef(text).split("      copy ");
  const std::string loop = before.split("    for m").second.str();
  expect_refusal(text, copies_in_bulk("T"),
                 fmt::format("error: copy_bulk: {}\n  for t in 0..32 @thread.x {{\n    for m{}"
                             "      copy {}  <-- here{}",
                             message, loop, copy.split('\n').first.str(),
                             note.empty() ? "" : "\nnote: " + note));
}

TEST(CopyBulkRefusals, OfArguments) {
  expect_refusal(Sum().text(), copies_in_bulk("A"),
                 "error: copy_bulk: A is an argument, and a bulk copy fills a tile\n"
                 "note: cache_shared(A, ...) makes one");
}

TEST(CopyBulkRefusals, OfCopiesThatProducersDoNotMake) {
  expect_refusal(
      R"(func f(A: f32[64], C: f32[64]) {
  for t in 0..64 @thread.x {
    alloc T: f32[64] @shared
    copy T[0 .. +64] <- A[0 .. +64] @async
    C[t] = T[63 - t]
  }
})",
      copies_in_bulk("T"),
      R"(error: copy_bulk: T is neither a ring that producers fill nor a shared tile that is copied back, and the engine makes no other copies
  for t in 0..64 @thread.x {
    alloc T: f32[64] @shared         <-- here
    copy T[0 .. +64] <- A[0 .. +64] @async
    C[t] = T[63 - t]
note: copy_async, and specialize the loop first)");
}

TEST(CopyBulkRefusals, OfCopiesThatAreSoAlready) {
  Sum sum;
  sum.attributes = " @align(128)";
  sum.how = "@bulk @by(producers)";
  expect_refused(sum, "T is copied so already", "");
}

TEST(CopyBulkRefusals, OfLargeElements) {
  Sum sum;
  sum.type = "(f32, f32, f32)";
  expect_refused(
      sum,
      "elements of T are (f32, f32, f32), of 16 bytes, and a bulk copy moves those of 1, 2, 4 or 8",
      "leave it asynchronous");
}

TEST(CopyBulkRefusals, OfRowsAtOtherPlaces) {
  Sum sum;
  sum.promises = "";
  expect_refused(
      sum, "rows of A lie K elements apart, and those of a bulk copy at multiples of 16 bytes",
      "assume(K % 4 == 0)");
  sum.source = "A: {}[M, 33]";
  sum.sizes = "M";
  expect_refused(
      sum, "rows of A lie 33 elements apart, and those of a bulk copy at multiples of 16 bytes",
      "leave it asynchronous, or cache_global(A, Layout().pitch(36)) first");
}

/// A halo before a tile: the engine ends the kernel with an illegal instruction.
TEST(CopyBulkRefusals, OfColumnsAtOtherPlaces) {
  const auto expect_column = [](const Sum& sum, const std::string& column,
                                const std::string& bytes = "16 bytes, 4 elements") {
    expect_refused(sum,
                   "the box of A starts at element " + column +
                       " of its rows, and that of a bulk copy at a multiple of " + bytes,
                   "leave it asynchronous, a wider tile whose first column is such a multiple, or "
                   "a layout of A in which elements of another dimension lie side by side");
  };
  Sum sum;
  for (const char* column : {"2", "m*32 - 1", "m*2", "K - 2", "m*32 - 6"}) {
    sum.place = fmt::format("m*16 .. +16, {} .. +32", column);
    expect_column(sum, column);
  }
  sum.ring = "{}[3, 16, 32] @swizzle(4, 8, 1)";
  expect_column(sum, "m*32 - 6");
  sum = Sum();
  sum.type = "f16";
  sum.promises = " where K % 8 == 0";
  sum.place = "m*16 .. +16, m*32 + 4 .. +32";
  expect_column(sum, "m*32 + 4", "16 bytes, 8 elements");
}

TEST(CopyBulk, OfColumnsAtWholePieces) {
  for (const char* column : {"4", "m*32 - 4", "m*4", "K - 8"}) {
    Sum before, after;
    before.place = after.place = fmt::format("m*16 .. +16, {} .. +32", column);
    after.attributes = " @align(128)";
    after.how = "@bulk @by(producers)";
    expect_rewrite(before.text(), copies_in_bulk("T"), after.text());
  }
}

TEST(CopyBulkRefusals, OfManyDimensions) {
  Sum sum;
  sum.source = "A: {}[2, 2, 2, 2, M, 32]";
  sum.place = "0, 1, 0, 1, " + sum.place;
  expect_refused(sum, "A has 6 dimensions, and a bulk copy takes a box of 1 to 5",
                 "leave it asynchronous");
}

TEST(CopyBulkRefusals, OfLongBoxes) {
  Sum sum;
  sum.ring = "{}[3, 16, 512]";
  sum.tile = "0 .. +16, 0 .. +512";
  sum.place = "m*16 .. +16, 0 .. +512";
  expect_refused(sum,
                 "the copy takes 512 elements of A along one dimension, and the box of a bulk copy "
                 "has 256 at most",
                 "smaller tiles");
}

TEST(CopyBulkRefusals, OfRowsThatAreNoMultiples) {
  Sum sum;
  sum.type = "i8";
  sum.promises = " where K % 16 == 0";
  sum.ring = "{}[3, 16, 40]";
  sum.tile = "0 .. +16, 0 .. +40";
  sum.place = "m*16 .. +16, 0 .. +40";
  sum.how = "@async @by(producers)";
  expect_refused(sum,
                 "rows of the box of A are 40 bytes, and those of a bulk copy are multiples of 16",
                 "tiles that are longer where elements lie side by side");
}

TEST(CopyBulkRefusals, OfEveryOtherElement) {
  Sum sum;
  sum.place = "m*16 .. +16 by 2, 0 .. +32";
  expect_refused(sum,
                 "the copy takes elements that lie 2 apart in A, and a bulk copy takes neighbours",
                 "leave it asynchronous");
}

TEST(CopyBulkRefusals, OfPartsOfASlot) {
  Sum sum;
  sum.tile = "0 .. +16, 0 .. +12";
  sum.place = "m*16 .. +16, 0 .. +12";
  expect_refused(
      sum,
      "the copy fills a part of a slot of T in dimension 2, and a bulk copy fills all of "
      "it, or one of equal parts",
      "copy a whole tile");
}

TEST(CopyBulkRefusals, OfOtherLayouts) {
  Sum sum;
  sum.ring = "{}[3, 16, 32] @pad(4)";
  expect_refused(sum,
                 "T has a padding behind its rows, and a bulk copy lays out rows as they come, or "
                 "in the swizzle of as many bytes, 32, 64 or 128",
                 "Layout().swizzle_bytes(128, f32), or no layout of its own");
  sum.ring = "{}[3, 16, 32] @order(0, 2, 1)";
  expect_refused(sum,
                 "elements of T lie in another order than in A, and a bulk copy lays out rows as "
                 "they come, or in the swizzle of as many bytes, 32, 64 or 128",
                 "Layout().swizzle_bytes(128, f32), or no layout of its own");
  sum.ring = "{}[3, 16, 32] @swizzle(4, 4, 1)";
  expect_refused(sum,
                 "T is swizzled otherwise, and a bulk copy lays out rows as they come, or in the "
                 "swizzle of as many bytes, 32, 64 or 128",
                 "Layout().swizzle_bytes(128, f32), or no layout of its own");
  sum.ring = "{}[3, 16, 64] @swizzle(4, 8, 1)";
  sum.tile = "0 .. +16, 0 .. +64";
  sum.place = "m*16 .. +16, 0 .. +64";
  expect_refused(sum,
                 "T is swizzled otherwise, and a bulk copy lays out rows as they come, or in the "
                 "swizzle of as many bytes, 32, 64 or 128",
                 "no layout of its own");
}

TEST(CopyBulkRefusals, OfSlotsAtOtherPlaces) {
  Sum sum;
  sum.ring = "{}[3, 3, 4]";
  sum.tile = "0 .. +3, 0 .. +4";
  sum.place = "m*3 .. +3, 0 .. +4";
  expect_refused(sum, "slots of T lie 48 bytes apart, and a bulk copy goes to a multiple of 128",
                 "larger tiles");
  sum.ring = "{}[3, 1, 32] @pad(8)";
  sum.tile = "0 .. +1, 0 .. +32";
  sum.place = "m .. +1, 0 .. +32";
  expect_refused(sum, "slots of T lie 160 bytes apart, and a bulk copy goes to a multiple of 128",
                 "larger tiles");
}

// ---- Later steps, and texts ---------------------------------------------------------------------

/// The message about a text.
std::string message_about(const Sum& sum) {
  try {
    check_function(parse_function(sum.text()));
    return "";
  } catch (const ScheduleError& error) {
    return error.what();
  }
}

const std::string loop_with_roles =
    "  for t in 0..32 @thread.x {\n    for m in 0..M / 16 @roles(1) {\n";
const std::string loop_without_roles = "  for t in 0..32 @thread.x {\n    for m in 0..M / 16 {\n";
const std::string copied = "      copy T[m % 3, 0 .. +16, 0 .. +32] <- A[m*16 .. +16, 0 .. +32] ";

TEST(CopyBulkRefusals, OfTexts) {
  Sum sum;
  sum.how = "@bulk @by(producers)";
  EXPECT_EQ(message_about(sum),
            "error: check: T starts at a multiple of 16 bytes, and its bulk copy at one of 128\n" +
                loop_with_roles + copied + "@bulk @by(producers)  <-- here\nnote: align(T, 128)");
  sum.attributes = " @align(128)";
  EXPECT_EQ(message_about(sum), "");
  sum.how = "@bulk";
  sum.loop = "";
  EXPECT_EQ(
      message_about(sum),
      "error: check: T is copied by the threads that use it, and producers alone ask for bulk "
      "copies\n" +
          loop_without_roles + copied + "@bulk  <-- here\nnote: specialize the loop first");
  sum.how = "fill 1.0 @bulk";
  EXPECT_EQ(message_about(sum),
            "error: check: T is 1.0 beyond the ends of A, and bulk copies have zeros there\n" +
                loop_without_roles + copied +
                "fill 1.0 @bulk  <-- here\nnote: copy it with loads and stores");
}

TEST(CopyBulkRefusals, OfColumnsInTexts) {
  Sum sum;
  sum.attributes = " @align(128)";
  sum.place = "m*16 .. +16, 2 .. +32";
  sum.how = "@bulk @by(producers)";
  EXPECT_EQ(message_about(sum),
            "error: check: the box of A starts at element 2 of its rows, and that of a bulk copy "
            "at a multiple of 16 bytes, 4 elements\n" +
                loop_with_roles +
                "      copy T[m % 3, 0 .. +16, 0 .. +32] <- A[m*16 .. +16, 2 .. +32] @bulk "
                "@by(producers)  <-- here\n"
                "note: leave it asynchronous, a wider tile whose first column is such a multiple, "
                "or a layout of A in which elements of another dimension lie side by side");
}

TEST(CopyBulkRefusals, OfLayoutsThatComeLater) {
  Sum sum;
  sum.attributes = " @align(128)";
  sum.how = "@bulk @by(producers)";
  expect_refusal(
      sum.text(),
      [](const Function& f) { return set_layout(f, tensor(f, "T"), Layout().pad(4)).function; },
      "error: layout: T has a padding behind its rows, and a bulk copy lays out rows as they come, "
      "or in the swizzle of as many bytes, 32, 64 or 128\n"
      "  for t in 0..32 @thread.x {\n"
      "    alloc T: f32[3, 16, 32] @shared @align(128)  <-- here\n"
      "    for m in 0..M / 16 @roles(1) {\n" +
          copied +
          "@bulk @by(producers)\n"
          "note: Layout().swizzle_bytes(128, f32), or no layout of its own");
}

TEST(CopyBulkRefusals, OfLoopsOfIt) {
  Sum sum;
  sum.attributes = " @align(128)";
  sum.how = "@bulk @by(producers)";
  expect_refusal(
      sum.text(),
      [](const Function& f) { return copy_loops(f, tensor(f, "T"), Direction::fill).function; },
      "error: copy_loops: T is copied asynchronously, and loops would read and write each "
      "element\n" +
          loop_with_roles + copied +
          "@bulk @by(producers)  <-- here\nnote: copy_loops instead of copy_async");
}

}  // namespace copy_bulk_test
}  // namespace hone

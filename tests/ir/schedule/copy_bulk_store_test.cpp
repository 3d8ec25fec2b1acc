// Stores by the copy engine in loop IR: a tile goes back as a whole.
#include <gtest/gtest.h>

#include "fmt/format.h"
#include "ir/schedule/legality/promises.h"
#include "ir/text/parser.h"
#include "tests/support/ir/expect_rewrite.h"

namespace hone {
namespace {

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

// ---- Refusals -----------------------------------------------------------------------------------

/// The note comes last.
void expect_refused(const Doubling& doubling, const std::string& message, const std::string& note) {
  try {
    const Function function = parse_function(doubling.text());
    copy_bulk(function, tensor(function, "T"));
    FAIL() << "is accepted";
  } catch (const ScheduleError& error) {
    const auto [first, rest] = llvm::StringRef(error.what()).split('\n');
    EXPECT_EQ(first, "error: copy_bulk: " + message);
    EXPECT_EQ(rest.trim().rsplit('\n').second.trim(), "note: " + note);
  }
}

TEST(CopyBulk, RefusesRowsOfOtherPitch) {
  Doubling doubling;
  doubling.promises = "";
  expect_refused(
      doubling, "rows of C lie N elements apart, and those of a bulk copy at multiples of 16 bytes",
      "assume(N % 4 == 0)");
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
  doubling.place = "m*16 .. +16, 0 .. +16";
  doubling.source = "0 .. +16, 0 .. +16";
  expect_refused(doubling,
                 "the copy takes a part of T in dimension 1, and a bulk copy takes all "
                 "of it",
                 "copy a whole tile");
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
                 "threads have copies of T of their own, and a bulk copy is one of the whole block",
                 "cache_shared at a loop around all threads");
}

TEST(CopyBulk, RefusesATileThatAsynchronousCopiesFill) {
  Doubling doubling;
  doubling.inside = "    copy T[0 .. +16, 0 .. +32] <- A[m*16 .. +16, 0 .. +32] @async\n";
  doubling.how = " @bulk";
  try {
    check_function(parse_function(doubling.text()));
    FAIL() << "is accepted";
  } catch (const ScheduleError& error) {
    EXPECT_EQ(llvm::StringRef(error.what()).split('\n').first,
              "error: check: T is filled by copies that go on while threads do something else, and "
              "a bulk copy of it would not wait for these");
  }
}

/// Nothing else is a tile: the message is that of a ring that nobody fills.
TEST(CopyBulk, RefusesRegistersThatAreCopied) {
  const Function function = parse_function(R"(func f[M](C: f32[M, 32]) {
  for m in 0..M / 16 @block.x {
    for t in 0..32 @thread.x {
      alloc R: f32[16] @registers
      R[0] = 1.0
      copy C[m*16 .. +16, t] <- R[0 .. +16]
    }
  }
})");
  try {
    copy_bulk(function, tensor(function, "R"));
    FAIL() << "is accepted";
  } catch (const ScheduleError& error) {
    EXPECT_EQ(
        llvm::StringRef(error.what()).split('\n').first,
        "error: copy_bulk: R is neither copied by producers nor back to global memory, and the "
        "engine makes no other copies");
  }
}

TEST(CopyBulk, RefusesATileThatGoesToRegisters) {
  Doubling doubling;
  doubling.inside =
      "    for u in 0..32 @thread.x {\n      alloc R: f32[16, 32] @registers\n"
      "      copy R[0 .. +16, 0 .. +32] <- T[0 .. +16, 0 .. +32]\n    }\n";
  expect_refused(doubling, "T is copied to R, and a bulk copy of it goes to global memory",
                 "cache_shared of an output makes such a copy");
}

}  // namespace
}  // namespace hone

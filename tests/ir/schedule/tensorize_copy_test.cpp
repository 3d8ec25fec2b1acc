// Copies whose tiles an instruction moves.
#include <gtest/gtest.h>

#include "fmt/format.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace tensorize_copy_test {

Rewriting moves_by(const std::string& word, const std::string& tile = "T") {
  return [=](const Function& f) { return tensorize(f, tensor(f, tile), word).function; };
}

/// A warp that takes a tile of `rows` by `columns` from a larger one, in which it starts at
/// `first`.
std::string fragment(int rows, int columns, const std::string& copy = "",
                     const std::string& first = "w*16, 16", const std::string& layout = "") {
  return fmt::format(R"(func f(A: bf16[64, 40], C: bf16[64, 40]) {{
  alloc S: bf16[64, 40]{4} @shared
  copy S[0 .. +64, 0 .. +40] <- A[0 .. +64, 0 .. +40]
  for w in 0..2 @warp {{
    alloc T: bf16[{0}, {1}] @registers
    copy T[0 .. +{0}, 0 .. +{1}] <- S[{2}]{3}
    copy C[{2}] <- T[0 .. +{0}, 0 .. +{1}]
  }}
}})",
                     rows, columns,
                     fmt::format("{} .. +{}, {} .. +{}", first.substr(0, first.find(',')), rows,
                                 first.substr(first.find(',') + 2), columns),
                     copy, layout);
}

TEST(TensorizeCopy, IsSaidOfTheCopyThatFillsATile) {
  expect_rewrite(fragment(32, 16), moves_by("ldmatrix_x4_bf16"),
                 fragment(32, 16, " @ldmatrix_x4_bf16"));
  expect_rewrite(fragment(16, 8), moves_by("ldmatrix_x2_trans_bf16"),
                 fragment(16, 8, " @ldmatrix_x2_trans_bf16"));
}

void expect_refusal_of(const std::string& text, const std::string& word, const std::string& problem,
                       const std::string& note = "", Location location = Location::current(),
                       const std::string& tile = "T") {
  const testing::ScopedTrace trace(location.file, location.line, "expect_refusal_of");
  try {
    moves_by(word, tile)(parse_function(text));
    ADD_FAILURE() << "accepted:\n" << text;
  } catch (const ScheduleError& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.substr(0, message.find('\n')), "error: tensorize: " + problem);
    const size_t at = message.find("\nnote: ");
    EXPECT_EQ(at == std::string::npos ? "" : message.substr(at + 7), note);
  }
}

TEST(TensorizeCopyRefusals, OfOtherShapes) {
  expect_refusal_of(fragment(24, 16), "ldmatrix_x4_bf16",
                    "ldmatrix_x4_bf16 moves tiles of [16, 16], and T is copied as [24, 16]",
                    "the tiles divide what is copied");
}

TEST(TensorizeCopyRefusals, OfOtherTypes) {
  expect_refusal_of(fragment(16, 16), "ldmatrix_x4_f16",
                    "T is bf16, and ldmatrix_x4_f16 moves f16");
}

TEST(TensorizeCopyRefusals, OfCopiesFromOtherMemory) {
  expect_refusal_of(R"(func f(A: bf16[16, 16], C: bf16[16, 16]) {
  alloc T: bf16[16, 16] @registers
  copy T[0 .. +16, 0 .. +16] <- A[0 .. +16, 0 .. +16]
  copy C[0 .. +16, 0 .. +16] <- T[0 .. +16, 0 .. +16]
})",
                    "ldmatrix_x4_bf16",
                    "A is in no shared memory, which ldmatrix_x4_bf16 moves tiles from",
                    "cache_shared of it first");
}

TEST(TensorizeCopyRefusals, OfRowsThatStartAnywhere) {
  expect_refusal_of(
      fragment(16, 16, "", "w*16, 4"), "ldmatrix_x4_bf16",
      "ldmatrix_x4_bf16 takes 8 neighbours of S at a multiple of 16 bytes, and S[.tile*16 + w*16 + "
      ".lane, .tile*16 + .value + .lane*8 + 4] starts at .tile*16 + .lane*8 + 4, which is not "
      "proved "
      "to be a multiple of 8");
}

TEST(TensorizeCopyRefusals, OfPartsThatMayNotExist) {
  expect_refusal_of(fragment(16, 16, "", "w*56, 16"), "ldmatrix_x4_bf16",
                    "ldmatrix_x4_bf16 moves whole tiles, and some of what T is copied from may not "
                    "exist",
                    "tiles in shared memory that are split with Tail::pad are whole");
}

TEST(TensorizeCopyRefusals, OfTilesThatNoCopyFills) {
  expect_refusal_of(R"(func f(C: bf16[16, 16]) {
  alloc T: bf16[16, 16] @registers
  for i in 0..16 { T[i, i] = 0.0bf16
    C[i, i] = T[i, i] }
})",
                    "ldmatrix_x4_bf16", "no copy fills T");
}

TEST(TensorizeCopyRefusals, OfCopiesThatSayHowTheyAreMade) {
  expect_refusal_of(fragment(16, 16, " @ldmatrix_x4_bf16"), "ldmatrix_x4_bf16",
                    "the copy to T says already how it is made");
}

// ---- Stores -------------------------------------------------------------------------------------

/// Two warps that put 16 rows each of a tile into shared memory, from a column on.
std::string store(const std::string& copy = "", int column = 16, const std::string& layout = "",
                  const std::string& type = "bf16",
                  const std::string& loop = "for w in 0..2 @warp") {
  return fmt::format(R"(func f(A: {0}[32, 16], C: {0}[32, 16]) {{
  alloc S: {0}[32, 40]{1} @shared
  {4} {{
    alloc T: {0}[16, 16] @registers
    copy T[0 .. +16, 0 .. +16] <- A[w*16 .. +16, 0 .. +16]
    copy S[w*16 .. +16, {2} .. +16] <- T[0 .. +16, 0 .. +16]{3}
  }}
  copy C[0 .. +32, 0 .. +16] <- S[0 .. +32, {2} .. +16]
}})",
                     type, layout, column, copy, loop);
}

TEST(TensorizeStore, IsSaidOfTheCopyToSharedMemory) {
  for (const char* word : {"stmatrix_x4_bf16", "stmatrix_x2_bf16", "stmatrix_x1_bf16"})
    expect_rewrite(store(), moves_by(word, "S"), store(std::string(" @") + word));
  expect_rewrite(store("", 16, " @order(1, 0)"), moves_by("stmatrix_x4_trans_bf16", "S"),
                 store(" @stmatrix_x4_trans_bf16", 16, " @order(1, 0)"));
}

void expect_refusal_of_store(const std::string& text, const std::string& word,
                             const std::string& problem, const std::string& note = "",
                             Location location = Location::current()) {
  expect_refusal_of(text, word, problem, note, location, "S");
}

TEST(TensorizeStoreRefusals, OfTilesThatNoRegistersFill) {
  expect_refusal_of_store(R"(func f(A: bf16[16, 16], C: bf16[16, 16]) {
  alloc S: bf16[16, 16] @shared
  copy S[0 .. +16, 0 .. +16] <- A[0 .. +16, 0 .. +16]
  copy C[0 .. +16, 0 .. +16] <- S[0 .. +16, 0 .. +16]
})",
                          "stmatrix_x4_bf16",
                          "A is in no registers, which stmatrix_x4_bf16 moves tiles from",
                          "cache_registers of it first");
}

TEST(TensorizeStoreRefusals, OfTilesInRegisters) {
  expect_refusal_of(store(), "stmatrix_x4_bf16",
                    "T is in no shared memory, which stmatrix_x4_bf16 moves tiles to",
                    "cache_shared of it first");
}

TEST(TensorizeStoreRefusals, OfOtherTypes) {
  expect_refusal_of_store(store("", 16, "", "f32"), "stmatrix_x4_bf16",
                          "S is f32, and stmatrix_x4_bf16 moves bf16");
}

TEST(TensorizeStoreRefusals, OfRowsThatStartAnywhere) {
  expect_refusal_of_store(
      store("", 4), "stmatrix_x4_bf16",
      "stmatrix_x4_bf16 takes 8 neighbours of S at a multiple of 16 bytes, and S[.tile*16 + w*16 + "
      ".lane, .tile*16 + .value + .lane*8 + 4] starts at .tile*16 + .lane*8 + 4, which is not "
      "proved to be a multiple of 8");
}

/// Rows of eight are columns of a transposed store.
TEST(TensorizeStoreRefusals, OfLayoutsThatKeepNoEightTogether) {
  expect_refusal_of_store(
      store(), "stmatrix_x4_trans_bf16",
      "stmatrix_x4_trans_bf16 takes 8 neighbours of S at a multiple of 16 bytes, and S[.tile*16 + "
      "w*16 + .value + .lane*8, .tile*16 + .lane + .lane*8 + 16] does not run along the fastest "
      "dimension of S",
      "what lies side by side in S are the elements along dimension 1");
  expect_refusal_of_store(
      store("", 16, " @order(1, 0)"), "stmatrix_x4_bf16",
      "stmatrix_x4_bf16 takes 8 neighbours of S at a multiple of 16 bytes, and S[.tile*16 + w*16 + "
      ".lane, .tile*16 + .value + .lane*8 + 16] does not run along the fastest dimension of S",
      "what lies side by side in S are the elements along dimension 0");
}

TEST(TensorizeStoreRefusals, OfUnknownShapes) {
  expect_refusal_of_store(
      store(), "stmatrix_x8_bf16", "no instruction has the name 'stmatrix_x8_bf16'",
      "there are stmatrix_x4_bf16, stmatrix_x2_bf16, stmatrix_x1_bf16, stmatrix_x4_f16, "
      "stmatrix_x2_f16, stmatrix_x1_f16 and 12 others");
}

// ---- Lanes --------------------------------------------------------------------------------------

TEST(TensorizeCopyRefusals, OfTilesOfALane) {
  expect_refusal_of_store(
      store("", 16, "", "bf16", "for w in 0..2 @lane"), "stmatrix_x4_bf16",
      "w is bound to lane, and all lanes of a warp run stmatrix_x4_bf16 together",
      "bind the loops around it to warps");
  std::string load = fragment(16, 16);
  load.replace(load.find("@warp"), 5, "@thread.x");
  expect_refusal_of(load, "ldmatrix_x4_bf16",
                    "w is bound to thread.x, and all lanes of a warp run ldmatrix_x4_bf16 together",
                    "bind the loops around it to warps");
}

TEST(TensorizeCopyRefusals, OfBlocksThatAreNoWholeWarps) {
  std::string load = fragment(16, 16, "", "0, 16");
  load.replace(load.find("for w in 0..2 @warp"), 19,
               "for t in 0..48 @thread.x { C[t, 0] = A[t, 0] }\n  for w in 0..1");
  expect_refusal_of(load, "ldmatrix_x4_bf16",
                    "a block would have 48 threads in thread.x, and ldmatrix_x4_bf16 takes whole "
                    "warps",
                    "48 is no multiple of 32");
}

}  // namespace tensorize_copy_test
}  // namespace hone

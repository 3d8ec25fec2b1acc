// The rungs of matmul that give warps tiles of their own, and fill tiles ahead of their use.

#include "examples/ladders/matmul_tiles.h"
#include "llvm/Support/MathExtras.h"

namespace hone {
namespace {

void warp_tile(Schedule& s, const Matmul& p) { warp_tiles(s, p, large_warp_tiles); }

void double_buffer(Schedule& s, const Matmul& p) {
  pipelined_warp_tiles(s, p, large_warp_tiles, 2);
}

void async_copy(Schedule& s, const Matmul& p) { pipelined_warp_tiles(s, p, large_warp_tiles, 3); }

constexpr WarpRoles with_many_registers = {
    .producer_warps = 4, .producer_registers = 40, .consumer_registers = 232};

void producer_consumer(Schedule& s, const Matmul& p) {
  specialized_warp_tiles(s, p, huge_warp_tiles, 4, with_many_registers);
}

void ordered(Schedule& s, const Matmul& p) {
  ordered_warp_tiles(s, p, huge_warp_tiles, 4, with_many_registers);
}

OrderedWarpTiles by_engine(Schedule& s, const Matmul& p) {
  return bulk_warp_tiles(s, p, huge_warp_tiles, 4, with_many_registers,
                         in_whole_vectors(p.expected));
}

void tma(Schedule& s, const Matmul& p) { by_engine(s, p); }

void reload(Schedule& s, const Matmul& p) { s.pipeline(by_engine(s, p).fragment_step, 1); }

void split_k(Schedule& s, const Matmul& p) { schedule_tiles(s, p, {&block_tiles().back(), 4}); }

void tuned(Schedule& s, const Matmul& p) {
  s.launch_early();
  schedule_tiles(s, p, fastest_choice(tile_table(), p.expected));
}

/// The numbers of rows, or of columns where `rows` is given, that block tiles have.
std::vector<int64_t> block_sizes(std::optional<int64_t> rows) {
  std::vector<int64_t> sizes;
  for (const BlockTiles& tiles : block_tiles()) {
    if (rows && tiles.shape.block_rows != *rows) continue;
    const int64_t size = rows ? tiles.shape.block_columns : tiles.shape.block_rows;
    if (!llvm::is_contained(sizes, size)) sizes.push_back(size);
  }
  return sizes;
}

/// The block tiles of `tuned`, by other orders of blocks, with sums in parts, and with copies of
/// operands whose rows hold no whole vectors.
void tuned_by_choice(Schedule& s, const Matmul& p, tune::Choices& choices) {
  s.launch_early();
  const int64_t rows = choices.choice("block_rows", block_sizes(std::nullopt));
  const int64_t columns = choices.choice("block_columns", block_sizes(rows));
  BlockTiles tiles = *llvm::find_if(block_tiles(), [&](const BlockTiles& one) {
    return one.shape.block_rows == rows && one.shape.block_columns == columns;
  });
  tiles.shape.group_rows = choices.choice("group_rows", {0, 8});
  std::vector<int64_t> parts;
  for (const TileChoice& one : tile_choices(tiles, p.expected))
    if (one.copied == Operands() && llvm::isPowerOf2_64(one.parts)) parts.push_back(one.parts);
  TileChoice choice = {&tiles, choices.choice("parts", parts)};
  const Operands whole = in_whole_vectors(p.expected);
  if ((!whole.A || !whole.B) && choices.choice("copied", {0, 1}) == 1)
    choice.copied = {!whole.A, !whole.B};
  if (const auto time = expected_microseconds(tile_table(), choice, p.expected))
    choices.expect_seconds(*time * 1e-6, "H200 SXM");
  schedule_tiles(s, p, choice);
}

Rung tuned_rung(const RungMaker<Matmul>& rung) {
  return rung.tunable(
      rung(
          "tuned", "tile sizes chosen by problem size",
          {"Which tiles, and how many parts of a sum, are fastest at a given size?",
           "Large tiles pay where there are enough of them to keep all multiprocessors busy to the "
           "end; parts of sums pay where there are few tiles and long sums. A table of measured "
           "times chooses by the sizes. An operand whose rows hold no whole vectors is copied to "
           "rows that do, where that pays. Each kernel starts while the one before it ends."},
          tuned, {.builds_on = "split-k"}),
      tuned_by_choice);
}

/// All warps copy and multiply.
std::vector<Rung> warp_tile_rungs(const RungMaker<Matmul>& rung) {
  return {
      rung("warp-tile", "a tile for each warp, 4 x 8 lanes in it",
           {"The lanes of a warp read their operands together. Which shape of lanes reads the "
            "fewest bytes, and side by side?",
            "Each warp has 32 x 64 elements to itself. Its lanes stand in 4 rows of 8 and take 4 x "
            "4 elements at a time, so that the vectors that they read lie side by side in shared "
            "memory. Steps are sixteen products deep: half the barriers."},
           warp_tile, {.builds_on = "vectorized"}),
      rung("double-buffer", "two tiles of each operand alternate",
           {"A block waits for its tiles, multiplies them, and waits again. How can it do both at "
            "once?",
            "While a block computes with one tile of each operand, copies fill the other. The "
            "copies are asynchronous: they go to shared memory without a register on the way, and "
            "one barrier a step is left. The fragments in registers alternate in the same way."},
           double_buffer, {.builds_on = "warp-tile"}),
      rung("async-copy", "three tiles, the copies of two steps in flight",
           {"A copy has the time of one step to arrive. How can it have more?",
            "A third tile gives each copy two steps to arrive. Each wait leaves the newest copies "
            "in flight."},
           async_copy, {.builds_on = "double-buffer"}),
  };
}

std::vector<Rung> producer_rungs(const RungMaker<Matmul>& rung) {
  return {
      rung("producer-consumer", "producer warps issue the copies",
           {"Warps that multiply also issue copies, and all meet at a barrier. Which of that could "
            "other warps do?",
            "Four warps do nothing but fill the tiles, up to four steps ahead of the eight that "
            "compute. They wait for each other a slot at a time, without a barrier of the block. "
            "Producers give registers to consumers, which then have room for 8 x 16 elements a "
            "thread."},
           producer_consumer, {.builds_on = "async-copy"}),
      rung("ordered", "the machine code keeps the order of the products",
           {"All operands of a product are in registers. What can still delay it?",
            "Two operands from one register bank do. Threads take four elements of A along k at a "
            "time, so that A is copied as it lies, in vectors. Each row of products runs in the "
            "direction opposite to the one before, so neighbouring instructions share an operand, "
            "which is read once. The compiler keeps that order."},
           ordered, {.builds_on = "producer-consumer"}),
      rung("tma", "one lane requests whole tiles from the copy engine",
           {"The producers spend issue slots on addresses and copies. Can the hardware copy a "
            "whole tile?",
            "The copy engine moves the tiles of both operands, and counts their bytes at an "
            "mbarrier. One lane requests them; the other producers do nothing, and leave all issue "
            "slots to the products."},
           tma, {.builds_on = "ordered"}),
      rung("reload", "rows of A are loaded where their registers become free",
           {"All rows of A are loaded before the products that need them, which wait for the last "
            "one. When could each row be loaded instead?",
            "A row of A is loaded for the next four products right after the last product that "
            "uses it, among the products of other rows: no product waits for all rows at once."},
           reload, {.builds_on = "tma"}),
  };
}

}  // namespace

std::vector<Rung> pipelined_rungs(const RungMaker<Matmul>& rung) {
  std::vector<Rung> rungs = warp_tile_rungs(rung);
  llvm::append_range(rungs, producer_rungs(rung));
  rungs.push_back(
      rung("split-k", "four blocks share each sum",
           {"A small result has fewer tiles than a GPU has multiprocessors. How can all of them "
            "work?",
            "Each sum is cut in parts. Separate blocks compute the parts, with small tiles, and a "
            "second kernel adds them up."},
           split_k, {.builds_on = "reload"}));
  rungs.push_back(tuned_rung(rung));
  return rungs;
}

}  // namespace hone

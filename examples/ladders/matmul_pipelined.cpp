// The rungs of matmul that give warps tiles of their own, and fill tiles ahead of their use.

#include "examples/ladders/tiling.h"

namespace hone {
namespace {

void warp_tile(Schedule& s, const Matmul& p) { warp_tiles(s, p, large_warp_tiles); }

void double_buffer(Schedule& s, const Matmul& p) {
  pipelined_warp_tiles(s, p, large_warp_tiles, 2);
}

void async_copy(Schedule& s, const Matmul& p) { pipelined_warp_tiles(s, p, large_warp_tiles, 3); }

}  // namespace

std::vector<Rung> pipelined_rungs(const RungMaker<Matmul>& rung) {
  return {
      rung(
          "warp-tile", "a tile for each warp, 4 x 8 lanes in it",
          "Each warp has 32 x 64 elements to itself. Its lanes stand in 4 rows of 8 and take 4 x 4 "
          "elements at a time, so that the vectors that they read lie side by side in shared "
          "memory. Steps are sixteen products deep: half the barriers.",
          warp_tile, {.builds_on = "vectorized"}),
      rung(
          "double-buffer", "two tiles of each operand take turns",
          "While a block computes with one tile of each operand, copies fill the other. The copies "
          "are asynchronous: they go to shared memory without a register on the way, and one "
          "barrier a step is left. The fragments in registers take turns in the same way.",
          double_buffer, {.builds_on = "warp-tile"}),
      rung("async-copy", "three tiles: the copies of two steps on their way",
           "A third tile gives each copy two steps to arrive. A wait leaves the copies of the step "
           "after the next one alone.",
           async_copy, {.builds_on = "double-buffer"}),
  };
}

}  // namespace hone

// The rungs of matmul that run on the CPU.

#include "examples/ladders/tiling.h"

namespace hone {
namespace {

void accumulating(Schedule& s, const Matmul&) { s.may_alias(); }

void restricted(Schedule&, const Matmul&) {}

void in_registers(Schedule& s, const Matmul& p) { s.cache_registers(p.result, p.j); }

/// Blocks of 64 x 64 x 64, whose innermost loop runs along rows. Returns the axes of the blocks of
/// rows, and of the steps and columns within a block.
std::array<Axis, 3> blocks(Schedule& s, const Matmul& p) {
  promise_whole_tiles(s, p, 64, 64, 64);
  auto [io, ii] = s.split(p.i, 64, {.names = {"block_row", "row"}});
  auto [ko, ki] = s.split(p.k, 64, {.names = {"step", "k"}});
  auto [jo, ji] = s.split(p.j, 64, {.names = {"block_column", "column"}});
  s.reorder({io, ko, jo, ii, ki, ji});
  return {io, ki, ji};
}

void blocked(Schedule& s, const Matmul& p) { blocks(s, p); }

/// Returns the axis of the blocks of rows.
Axis four_steps(Schedule& s, const Matmul& p) {
  auto [rows, step, column] = blocks(s, p);
  auto [ko, ki] = s.split(step, 4, {.names = {"k", "product"}});
  s.reorder({ko, column, ki});
  s.cache_registers(p.result, column);
  s.unroll(ki);
  return rows;
}

void unrolled(Schedule& s, const Matmul& p) { four_steps(s, p); }

void on_all_cores(Schedule& s, const Matmul& p) { s.bind(four_steps(s, p), parallel); }

}  // namespace

std::vector<Rung> host_rungs(const RungMaker<Matmul>& rung) {
  return {
      rung("host", "triple loop on the CPU",
           "The definition as it stands. C is accumulated in memory: as far as the compiler knows, "
           "a store to C may change A or B, so every step of k stores and loads.",
           accumulating, {.target = RungTarget::host}),
      rung("host-restrict", "the same with restrict pointers",
           {"Each step of k stores an element of C and loads it again. What keeps the compiler "
            "from holding it in a register?",
            "A store to C might change A or B. These pointers promise not to overlap, so the "
            "compiler may keep the sum in a register by itself."},
           restricted, {.builds_on = "host", .target = RungTarget::host}),
      rung("host-register", "the sum in a local variable",
           {"Does the compiler have to find the register by itself?",
            "One accumulator, one store per element: nothing is left for the compiler to prove."},
           in_registers, {.builds_on = "host-restrict", .target = RungTarget::host}),
      rung("host-blocked", "blocks of 64 x 64 x 64 for the cache",
           {"The innermost loop walks down a column of B and takes a cache line for each element. "
            "Which order of loops uses all of a line, and finds it in the cache the next time?",
            "Three blocks of 16 KiB stay in the cache while they are multiplied. The innermost "
            "loop runs along a row of B and of C, whose elements lie side by side."},
           blocked, {.builds_on = "host-restrict", .target = RungTarget::host}),
      rung("host-unrolled", "four products a visit",
           {"Each product loads and stores an element of C. How can four products share one load "
            "and one store?",
            "Four steps of k are written one after the other: an element of C is loaded and stored "
            "once for four products."},
           unrolled, {.builds_on = "host-blocked", .target = RungTarget::host}),
      rung("host-parallel", "blocks of rows on all cores",
           {"One core works. What can the others compute without waiting for it?",
            "No two blocks of rows share an element of C: each goes to a core of the CPU."},
           on_all_cores, {.builds_on = "host-unrolled", .target = RungTarget::host}),
  };
}

}  // namespace hone

// matmul: C = A B, row-major floats. From a triple loop on the CPU to one thread per element.

#include "examples/ladders/matmul.h"

namespace hone {
namespace {

Matmul row_major(const Sizes& fixed, const Sizes& expected) {
  const MatmulShape p(fixed);
  const Tensor A("A", f32, {p.M, p.K}), B("B", f32, {p.K, p.N}), C("C", f32, {p.M, p.N});
  const Program program("matmul", C(p.i, p.j) = sum(p.k, A(p.i, p.k) * B(p.k, p.j)));
  return {p, A, B, C, p.i, p.j, program, expected};
}

constexpr int64_t max_threads = 1024;

void host(Schedule& s, const Matmul&) { s.may_alias(); }

void host_restrict(Schedule&, const Matmul&) {}

void host_register(Schedule& s, const Matmul& p) { s.cache_registers(p.result, p.j); }

void rows_to_blocks(Schedule& s, const Matmul& p) {
  s.bind(p.i, block.x);
  if (p.expected.at("N") <= max_threads) {
    s.bind(p.j, thread.x);
    return;
  }
  // A row with more columns than a block has threads takes several blocks.
  auto [jo, ji] = s.split(p.j, max_threads);
  s.bind(jo, block.y);
  s.bind(ji, thread.x);
}

void global_accumulate(Schedule& s, const Matmul& p) {
  s.may_alias();
  square_blocks(s, p, 32);
}

void register_accumulate(Schedule& s, const Matmul& p) {
  s.may_alias();
  sums_in_registers(s, p);
}

void restrict_pointers(Schedule& s, const Matmul& p) { square_blocks(s, p, 32); }

}  // namespace

Ladder matmul_ladder() {
  Ladder ladder = matmul_family("matmul", "C = A B in single precision, row-major", row_major);
  const RungMaker rung(row_major);
  ladder.rungs = {
      rung("host", "triple loop on the CPU",
           "The definition as it stands. C is accumulated in memory: as far as the compiler knows, "
           "a "
           "store to C may change A or B, so every step of k stores and loads.",
           host, {.target = RungTarget::host}),
      rung(
          "host-restrict", "the same with restrict pointers",
          "The pointers promise not to overlap, and the compiler may keep the sum in a register by "
          "itself.",
          host_restrict, {.builds_on = "host", .target = RungTarget::host}),
      rung("host-register", "the sum in a local variable",
           "One accumulator, one store per element: nothing is left for the compiler to prove.",
           host_register, {.builds_on = "host-restrict", .target = RungTarget::host}),
      rung("bind", "rows to blocks, columns to threads",
           "The two spatial loops become the grid and the block. Each thread computes one element; "
           "a "
           "row must fit in a block, or takes several.",
           rows_to_blocks, {.builds_on = "host"}),
      rung("global-accumulate", "a two-dimensional grid, sums in global memory",
           "Blocks of 32 x 32 threads cover C, and a guard cuts off what lies beyond the edges. "
           "Each "
           "step of k loads and stores an element of C in global memory.",
           global_accumulate, {.builds_on = "bind"}),
      rung(
          "register-accumulate", "the sum in a register",
          "The element of C that a thread computes lives in a register while k runs, and is stored "
          "once.",
          register_accumulate, {.builds_on = "global-accumulate"}),
      rung("restrict", "restrict pointers alone",
           "The schedule of global-accumulate, with pointers that promise not to overlap: the "
           "compiler finds the register by itself.",
           restrict_pointers, {.builds_on = "global-accumulate"}),
  };
  llvm::append_range(ladder.rungs, shared_rungs(rung));
  llvm::append_range(ladder.rungs, thread_tile_rungs(rung));
  return ladder;
}

}  // namespace hone

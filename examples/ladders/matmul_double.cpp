// matmul in double precision: elements of eight bytes, of which each operation takes one from
// memory as long as nothing is staged.

#include "examples/ladders/tiling.h"

namespace hone {
namespace {

Matmul in_double(const Sizes& fixed, const Sizes& expected) {
  const MatmulShape p(fixed);
  const Tensor A("A", f64, {p.M, p.K}), B("B", f64, {p.K, p.N}), C("C", f64, {p.M, p.N});
  const Program program("matmul_double", C(p.i, p.j) = sum(p.k, A(p.i, p.k) * B(p.k, p.j)));
  return {p, A, B, C, p.i, p.j, program, expected};
}

void global_accumulate(Schedule& s, const Matmul& p) {
  s.may_alias();
  square_blocks(s, p, 32);
}

}  // namespace

Ladder matmul_double_ladder() {
  Ladder ladder =
      matmul_family("matmul-double", "C = A B in double precision, row-major", in_double);
  const auto single = ladder.bytes;
  ladder.bytes = [single](const Sizes& sizes) { return 2 * single(sizes); };
  const RungMaker rung(in_double);
  ladder.rungs = {
      rung("global-accumulate", "sums in global memory",
           "Two operations of a step read two elements of 8 bytes, and load and store the sum: an "
           "operation for each access of an operand. At one operation for 8 bytes, 240 GB/s of "
           "memory feed 30 GFLOPS, however many a GPU could do.",
           global_accumulate),
      rung("register-accumulate", "the sum in a register",
           {"Which accesses of a step can a register save?",
            "The sum stays with its thread, in two registers. Each operation still takes 8 bytes."},
           sums_in_registers, {.builds_on = "global-accumulate"}),
      rung("shared-32", "tiles of 32 x 32 in shared memory",
           {"A block loads each element of A and B 32 times. How often would be enough?",
            "The schedule of matmul/shared-32. Each element of A and B is read once per block in "
            "place of 32 times: an operation takes a quarter of a byte of global memory. Two tiles "
            "take 16 KiB."},
           [](Schedule& s, const Matmul& p) { shared_tiles(s, p, 32); },
           {.builds_on = "register-accumulate"}),
  };
  return ladder;
}

}  // namespace hone

// igemm-s8: C = A B^T of int8, as quantized networks have it. Sums are of int32, and exact.

#include "examples/ladders/hgemm.h"

namespace hone {
namespace {

NarrowMatmul igemm(const Sizes& fixed, const Sizes& expected) {
  const MatmulShape p(fixed);
  const Tensor A("A", i8, {p.M, p.K}), B("B", i8, {p.N, p.K}), C("C", i32, {p.M, p.N});
  const Program program("igemm_s8",
                        C(p.i, p.j) = sum(p.k, cast(i32, A(p.i, p.k)) * cast(i32, B(p.j, p.k))));
  return {{p, A, B, C, p.i, p.j, program, expected}, C, true};
}

}  // namespace

Ladder igemm_ladder() {
  Ladder ladder = matmul_family("igemm-s8", "C = A B^T of int8, sums of int32", as_matmul<igemm>);
  ladder.bytes = [](const Sizes& sizes) {
    const double m = sizes.at("M"), n = sizes.at("N"), k = sizes.at("K");
    return m * k + k * n + 4.0 * m * n;
  };
  const RungMaker rung(igemm);
  ladder.rungs = {
      rung("global", "one thread per element, sums in a register",
           "Blocks of 32 x 32 threads cover C. Each product is one of int32, on CUDA cores.",
           sums_in_registers),
      rung("wgmma", "warpgroups multiply tiles in shared memory",
           "The copy engine fills tiles up to four steps ahead: rows of 128 bytes, which are 128 "
           "products deep. Two warpgroups multiply 64 rows by 256 columns each, twice as many "
           "products at a time as of bf16. Both operands have rows along k: the tensor cores take "
           "bytes in no other order.",
           hgemm_wgmma, {.builds_on = "global"}),
      rung("persistent", "blocks stay, and tiles are filled from one to the next",
           "A block for each multiprocessor takes one tile after the other. Lanes store pairs of "
           "their sums, while producers fetch the next tile.",
           hgemm_persistent, {.builds_on = "wgmma"}),
      rung("tuned", "tiles by size, and launches that overlap",
           "Tiles are as large as the sizes leave one for each multiprocessor. A single "
           "warpgroup starts the next product while one goes on. Blocks of the next launch "
           "start where those of this one leave room.",
           hgemm_tuned, {.builds_on = "persistent"}),
  };
  return ladder;
}

}  // namespace hone

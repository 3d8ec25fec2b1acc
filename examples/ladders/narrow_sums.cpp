// Products of narrow types whose sums are the results: igemm-s8 of int8, as quantized networks have
// it, and gemm-tf32 of floats that tensor cores cut. Rows of both operands run along k: tensor
// cores take the elements of these types in no other order.

#include "examples/ladders/hgemm.h"

namespace hone {
namespace {

NarrowMatmul product(const char* name, DType type, DType sums, const Sizes& fixed,
                     const Sizes& expected) {
  const MatmulShape p(fixed);
  const Tensor A("A", type, {p.M, p.K}), B("B", type, {p.N, p.K}), C("C", sums, {p.M, p.N});
  const Program program(name,
                        C(p.i, p.j) = sum(p.k, cast(sums, A(p.i, p.k)) * cast(sums, B(p.j, p.k))));
  return {{p, A, B, C, p.i, p.j, program, expected}, C, true};
}

NarrowMatmul igemm(const Sizes& fixed, const Sizes& expected) {
  return product("igemm_s8", i8, i32, fixed, expected);
}

NarrowMatmul gemm_tf32(const Sizes& fixed, const Sizes& expected) {
  return product("gemm_tf32", tf32, f32, fixed, expected);
}

/// The notes on rungs, as far as they are about a ladder's type.
struct Notes {
  const char *global, *wgmma;
};

std::vector<Rung> rungs_of(const RungMaker<NarrowMatmul>& rung, const Notes& notes) {
  return {
      rung("global", "one thread per element, sums in a register", notes.global, sums_in_registers),
      rung("wgmma", "warpgroups multiply tiles in shared memory", notes.wgmma, hgemm_wgmma,
           {.builds_on = "global"}),
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
}

}  // namespace

Ladder igemm_ladder() {
  Ladder ladder = matmul_family("igemm-s8", "C = A B^T of int8, sums of int32", as_matmul<igemm>);
  ladder.bytes = [](const Sizes& sizes) {
    const double m = sizes.at("M"), n = sizes.at("N"), k = sizes.at("K");
    return m * k + k * n + 4.0 * m * n;
  };
  ladder.rungs = rungs_of(
      RungMaker(igemm),
      {"Blocks of 32 x 32 threads cover C. Each product is one of int32, on CUDA cores.",
       "The copy engine fills tiles up to four steps ahead: rows of 128 bytes, which are 128 "
       "products deep. Two warpgroups multiply 64 rows by 256 columns each, twice as many "
       "products at a time as of bf16. Both operands have rows along k: the tensor cores take "
       "bytes in no other order."});
  return ladder;
}

Ladder gemm_tf32_ladder() {
  Ladder ladder =
      matmul_family("gemm-tf32", "C = A B^T of floats, multiplied as tf32", as_matmul<gemm_tf32>);
  ladder.rungs = rungs_of(
      RungMaker(gemm_tf32),
      {"Blocks of 32 x 32 threads cover C. Each product is one of floats without their lower 13 "
       "bits, on CUDA cores.",
       "The copy engine fills tiles up to four steps ahead: rows of 128 bytes, which are 32 "
       "products deep. Two warpgroups multiply 64 rows by 256 columns each, half as many "
       "products at a time as of bf16, and read the upper 19 bits of each float. Both operands "
       "have rows along k: the tensor cores take floats in no other order."});
  return ladder;
}

}  // namespace hone

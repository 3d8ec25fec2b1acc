// gemm-fp8-blocks: C = A B^T of floats of 8 bits that have scales in blocks, as networks are
// trained in. A row of A has a scale for each 128 elements of k, and B one for each 128 x 128
// elements. Tensor cores add up the products of a block of k, and CUDA cores the scaled sums of
// these blocks: in single precision, of which Hopper's tensor cores are reported to keep 14 bits.

#include <cmath>

#include "examples/ladders/hgemm.h"

namespace hone {
namespace {

/// Blocks that the size begins.
Expr blocks_of(const Expr& size) { return (size + (scale_block - 1)) / scale_block; }

NarrowMatmul gemm_fp8_blocks(const Sizes& fixed, const Sizes& expected) {
  const MatmulShape p(fixed);
  const Tensor A("A", f8e4m3, {p.M, p.K}), B("B", f8e4m3, {p.N, p.K}), C("C", bf16, {p.M, p.N});
  const Tensor A_scale("A_scale", f32, {p.M, blocks_of(p.K)});
  const Tensor B_scale("B_scale", f32, {blocks_of(p.N), blocks_of(p.K)});
  const Expr scale =
      A_scale(p.i, p.k / scale_block) * B_scale(p.j / scale_block, p.k / scale_block);
  const Definition scaled = C(p.i, p.j) =
      cast(bf16, sum(p.k, scale * (cast(f32, A(p.i, p.k)) * cast(f32, B(p.j, p.k)))));
  NarrowMatmul problem = {
      {p, A, B, Tensor(scaled.reduced()), p.i, p.j, Program("gemm_fp8_blocks", scaled), expected},
      C,
      true};
  problem.scales = {A_scale, B_scale};
  return problem;
}

/// Bytes of the operands, the results and the scales.
double bytes_of(const Sizes& sizes) {
  const auto m = static_cast<double>(sizes.at("M")), n = static_cast<double>(sizes.at("N"));
  const auto k = static_cast<double>(sizes.at("K"));
  const auto blocks = [](double size) { return std::ceil(size / scale_block); };
  return m * k + k * n + 2 * m * n + 4 * blocks(k) * (m + blocks(n));
}

}  // namespace

Ladder gemm_fp8_blocks_ladder() {
  Ladder ladder = matmul_family("gemm-fp8-blocks",
                                "C = A B^T of e4m3 with a scale for each 128 of k, rounded to bf16",
                                as_matmul<gemm_fp8_blocks>);
  ladder.bytes = bytes_of;
  const RungMaker rung(gemm_fp8_blocks);
  ladder.rungs = {
      rung("global", "one thread per element, sums in a register",
           "Blocks of 32 x 32 threads cover C. Each product is converted, scaled and added on CUDA "
           "cores.",
           sums_in_registers),
      rung("wgmma", "warpgroups multiply a block of k, and add its scaled sums to theirs",
           {"The sums of each block of k have a scale of their own. Who can scale them while the "
            "tensor cores multiply?",
            "The other warpgroup. Two warpgroups multiply 64 rows by 128 columns each, one block "
            "of 128 of k a step. The sums of a step start from zero in separate registers. When "
            "they are complete, each lane multiplies them by the scales and adds them to those of "
            "the steps before, while the tensor cores multiply for the other warpgroup. The copy "
            "engine fills tiles up to five steps ahead."},
           hgemm_wgmma, {.builds_on = "global"}),
      persistent_rung(rung),
      rung("tuned", "blocks stay where there are few tiles, and launches overlap",
           {"Do blocks that stay pay at every size?",
            "No: where multiprocessors have several tiles each, a block for each tile is faster. "
            "Blocks of a cluster fetch a tile for each other where its rows start within lines of "
            "memory; operands whose rows hold no whole pieces of 16 bytes are copied first. Blocks "
            "of the next launch start where those of this one leave room."},
           hgemm_tuned, {.builds_on = "persistent"}),
  };
  return ladder;
}

}  // namespace hone

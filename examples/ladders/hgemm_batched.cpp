// hgemm-batched: products of many matrices of bf16, each as hgemm has one. Their tiles are those of
// one long row of products: blocks go on from one product to the next.

#include "examples/ladders/hgemm.h"

namespace hone {
namespace {

NarrowMatmul batched(const Sizes& fixed, const Sizes& expected) {
  const MatmulShape p(fixed);
  const Expr count = size_or_param(fixed, "batch");
  const Axis b("b", count);
  const Tensor A("A", bf16, {count, p.M, p.K}), B("B", bf16, {count, p.K, p.N});
  const Tensor C("C", bf16, {count, p.M, p.N});
  const Definition rounded = C(b, p.i, p.j) =
      cast(bf16, sum(p.k, cast(f32, A(b, p.i, p.k)) * cast(f32, B(b, p.k, p.j))));
  return {
      {p, A, B, Tensor(rounded.reduced()), p.i, p.j, Program("hgemm_batched", rounded), expected},
      C,
      false,
      b};
}

void global(Schedule& s, const NarrowMatmul& p) {
  s.bind(*p.batch, block.z);
  sums_in_registers(s, p);
}

}  // namespace

Ladder hgemm_batched_ladder() {
  Ladder ladder =
      matmul_family("hgemm-batched", "C[b] = A[b] B[b] of bf16, row-major", as_matmul<batched>);
  ladder.sizes = {{"batch", 64}, {"M", 512}, {"N", 512}, {"K", 512}};
  ladder.flops = [](const Sizes& sizes) {
    return 2.0 * sizes.at("batch") * sizes.at("M") * sizes.at("N") * sizes.at("K");
  };
  ladder.bytes = [](const Sizes& sizes) {
    const double m = sizes.at("M"), n = sizes.at("N"), k = sizes.at("K");
    return 2.0 * sizes.at("batch") * (m * k + k * n + m * n);
  };
  const RungMaker rung(batched);
  ladder.rungs = {
      rung("global", "one thread per element, a layer of the grid per product",
           "Blocks of 32 x 32 threads cover a matrix of the batch, and the third dimension of the "
           "grid counts them. Products are added on CUDA cores.",
           global),
      rung("wgmma", "warpgroups multiply tiles in shared memory",
           {"Do the tiles of hgemm suit products as small as 512?",
            "Partly. As in hgemm, the copy engine fills tiles up to four steps ahead, boxes of one "
            "matrix of the batch. But a product of 512 has eight tiles of eight steps each, so the "
            "start and the end of each block take much of the time."},
           hgemm_wgmma, {.builds_on = "global"}),
      rung.tunable(
          rung("tuned", "blocks stay, from one product to the next",
               {"A block is done after eight steps. How can the end of one product overlap with "
                "the start of the next?",
                "The tiles of all products are one row, and a block for each multiprocessor takes "
                "every 132nd of them. Its producers fetch the first steps of the next product "
                "during the last ones of this, and the copy engine takes results away meanwhile."},
               hgemm_tuned, {.builds_on = "wgmma"}),
          hgemm_by_choice),
  };
  return ladder;
}

}  // namespace hone

// gemm-fp8: C = scale A B^T of floats of 8 bits, as networks have it whose tensors have a scale
// each. Sums are scaled and rounded at the end; Hopper's tensor cores are reported to keep 14 bits
// of them.

#include "examples/ladders/hgemm.h"

namespace hone {
namespace {

NarrowMatmul gemm_fp8(const Sizes& fixed, const Sizes& expected) {
  const MatmulShape p(fixed);
  const Tensor A("A", f8e4m3, {p.M, p.K}), B("B", f8e4m3, {p.N, p.K}), C("C", bf16, {p.M, p.N});
  const Tensor A_scale("A_scale", f32, {}), B_scale("B_scale", f32, {});
  const Reduction sums = sum(p.k, cast(f32, A(p.i, p.k)) * cast(f32, B(p.j, p.k)));
  const Definition scaled = C(p.i, p.j) =
      sums.then([=](const Expr& total) { return cast(bf16, total * (A_scale() * B_scale())); });
  return {{p, A, B, Tensor(scaled.reduced()), p.i, p.j, Program("gemm_fp8", scaled), expected},
          C,
          true};
}

}  // namespace

Ladder gemm_fp8_ladder() {
  Ladder ladder = matmul_family("gemm-fp8", "C = A_scale B_scale A B^T of e4m3, rounded to bf16",
                                as_matmul<gemm_fp8>);
  ladder.bytes = [](const Sizes& sizes) {
    const double m = sizes.at("M"), n = sizes.at("N"), k = sizes.at("K");
    return m * k + k * n + 2.0 * m * n;
  };
  const RungMaker rung(gemm_fp8);
  ladder.rungs = {
      rung("global", "one thread per element, sums in a register",
           "Blocks of 32 x 32 threads cover C. Each product is converted and added on CUDA cores.",
           sums_in_registers),
      wgmma_rung(rung, "global"),
      persistent_rung(rung),
      deferred_rung(rung),
      tuned_rung(rung),
  };
  return ladder;
}

}  // namespace hone

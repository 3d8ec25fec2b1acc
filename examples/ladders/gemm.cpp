// gemm: D = alpha A B + beta C, the product that BLAS computes.

#include "examples/ladders/matmul.h"

namespace hone {
namespace {

/// alpha and beta are tensors without dimensions: one element each, in global memory.
Matmul gemm(const Sizes& fixed, const Sizes& expected) {
  const MatmulShape p(fixed);
  const Tensor alpha("alpha", f32, {}), beta("beta", f32, {});
  const Tensor A("A", f32, {p.M, p.K}), B("B", f32, {p.K, p.N});
  const Tensor C("C", f32, {p.M, p.N}), D("D", f32, {p.M, p.N});
  const Program program(
      "gemm", D(p.i, p.j) = alpha() * sum(p.k, A(p.i, p.k) * B(p.k, p.j)) + beta() * C(p.i, p.j));
  return {p, A, B, D, p.i, p.j, program, expected};
}

}  // namespace

Ladder gemm_ladder() {
  Ladder ladder =
      matmul_family("gemm", "D = alpha A B + beta C in single precision, row-major", gemm);
  ladder.flops = [](const Sizes& sizes) {
    const double m = sizes.at("M"), n = sizes.at("N"), k = sizes.at("K");
    return 2.0 * m * n * k + 3.0 * m * n;
  };
  ladder.bytes = [](const Sizes& sizes) {
    const double m = sizes.at("M"), n = sizes.at("N"), k = sizes.at("K");
    return 4.0 * (m * k + k * n + 2.0 * m * n + 2.0);
  };
  const RungMaker rung(gemm);
  ladder.rungs = {
      rung(
          "global", "one thread per element, the epilogue in its register",
          "Blocks of 32 x 32 threads cover D. A thread sums its element of A B in a register; what "
          "alpha, beta and C make of it follows in the same thread, and D is stored once.",
          sums_in_registers),
      shared_32_rung(rung),
      thread_2d_rung(rung),
  };
  return ladder;
}

}  // namespace hone

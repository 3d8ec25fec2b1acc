// gemm-bias-gelu: C = gelu(A B + bias) of bf16, a layer of a network with its activation.

#include "examples/ladders/hgemm.h"

namespace hone {
namespace {

/// x where x is large, and 0 where -x is: by the tangent that networks use.
Expr gelu(const Expr& x) {
  constexpr double root_of_two_over_pi = 0.7978845608028654;
  const Expr slope = root_of_two_over_pi + root_of_two_over_pi * 0.044715 * (x * x);
  return 0.5 * x + 0.5 * x * tanh_approx(x * slope);
}

NarrowMatmul layer(const Sizes& fixed, const Sizes& expected) {
  const MatmulShape p(fixed);
  const Tensor A("A", bf16, {p.M, p.K}), B("B", bf16, {p.K, p.N}), bias("bias", bf16, {p.N});
  const Tensor C("C", bf16, {p.M, p.N});
  const Reduction sums = sum(p.k, cast(f32, A(p.i, p.k)) * cast(f32, B(p.k, p.j)));
  const Definition activated = C(p.i, p.j) =
      sums.then([=](const Expr& total) { return cast(bf16, gelu(total + cast(f32, bias(p.j)))); });
  NarrowMatmul layer = {{p, A, B, Tensor(activated.reduced()), p.i, p.j,
                         Program("gemm_bias_gelu", activated), expected},
                        C};
  layer.bias = bias;
  return layer;
}

}  // namespace

Ladder gemm_bias_gelu_ladder() {
  Ladder ladder =
      matmul_family("gemm-bias-gelu", "C = gelu(A B + bias) of bf16, row-major", as_matmul<layer>);
  ladder.bytes = [](const Sizes& sizes) {
    const double m = sizes.at("M"), n = sizes.at("N"), k = sizes.at("K");
    return 2.0 * (m * k + k * n + m * n + n);
  };
  const RungMaker rung(layer);
  ladder.rungs = {
      rung("global", "one thread per element, the activation in its register",
           "Blocks of 32 x 32 threads cover C. Each product is converted and added on CUDA cores; "
           "what the bias and gelu make of a sum follows in the same thread.",
           sums_in_registers),
      rung.tunable(
          rung("tuned", "the schedule of hgemm/tuned, with the activation where sums are rounded",
               {"Where can the activation be applied without a second pass over memory?",
                "The warpgroups add the bias to their sums and apply gelu as they round them. No "
                "result goes to memory twice."},
               hgemm_tuned, {.builds_on = "global"}),
          hgemm_by_choice),
  };
  return ladder;
}

}  // namespace hone

// gemm: D = alpha A B + beta C, the product that BLAS computes.

#include "examples/ladders/matmul_tiles.h"

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

/// alpha and beta are read once per thread, not once per element.
void thread_2d(Schedule& s, const Matmul& p) {
  const Axis threads = large_staged_tiles(s, p).threads;
  for (const char* scale : {"alpha", "beta"}) s.cache_registers(s.tensor(scale), threads);
}

/// Whole sums: those of parts would be scaled before they are added up.
void tuned(Schedule& s, const Matmul& p) {
  s.launch_early();
  schedule_tiles(s, p, fastest_choice(tile_table(), p.expected, 1));
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
      rung("thread-2d", "8 x 8 elements a thread",
           {"A thread has 64 results. How often does it have to load alpha and beta?",
            "Once: it holds them in registers. The rest is the schedule of matmul/thread-2d, with "
            "128 x 128 elements a block."},
           thread_2d, {.builds_on = "shared-32"}),
      rung("tuned", "tiles by size, and the epilogue where the sums are",
           {"When should a result of A B meet alpha, beta and C?",
            "The schedule of matmul/tuned. The sums of a thread stay in its registers; alpha, beta "
            "and C come in when they are stored."},
           tuned, {.builds_on = "thread-2d"}),
  };
  return ladder;
}

}  // namespace hone

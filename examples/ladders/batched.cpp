// batched: products of many small matrices. Each has its blocks, along the third dimension of the
// grid; within them, the schedules are those of one product.

#include "examples/ladders/tiling.h"

namespace hone {
namespace {

struct Batched : Matmul {
  Axis batch;
};

Batched problem(const Sizes& fixed, const Sizes& expected) {
  const MatmulShape p(fixed);
  const Expr count = size_or_param(fixed, "batch");
  const Tensor A("A", f32, {count, p.M, p.K}), B("B", f32, {count, p.K, p.N});
  const Tensor C("C", f32, {count, p.M, p.N});
  const Axis b("b", count);
  const Program program("batched", C(b, p.i, p.j) = sum(p.k, A(b, p.i, p.k) * B(b, p.k, p.j)));
  return {{p, A, B, C, p.i, p.j, program, expected}, b};
}

void register_accumulate(Schedule& s, const Batched& p) {
  s.bind(p.batch, block.z);
  sums_in_registers(s, p);
}

void shared_32(Schedule& s, const Batched& p) {
  s.bind(p.batch, block.z);
  shared_tiles(s, p, 32);
}

void vectorized(Schedule& s, const Batched& p) {
  s.bind(p.batch, block.z);
  vectorized_tiles(s, p, large_tiles, widest_vectors(p));
}

}  // namespace

Ladder batched_ladder() {
  Ladder ladder;
  ladder.name = "batched";
  ladder.title = "C[b] = A[b] B[b] in single precision, row-major";
  ladder.sizes = {{"batch", 64}, {"M", 256}, {"N", 256}, {"K", 256}};
  ladder.program = [](const Sizes& fixed) { return problem(fixed, {}).program; };
  ladder.flops = [](const Sizes& sizes) {
    return 2.0 * sizes.at("batch") * sizes.at("M") * sizes.at("N") * sizes.at("K");
  };
  ladder.bytes = [](const Sizes& sizes) {
    const double m = sizes.at("M"), n = sizes.at("N"), k = sizes.at("K");
    return 4.0 * sizes.at("batch") * (m * k + k * n + m * n);
  };
  const RungMaker rung(problem);
  ladder.rungs = {
      rung("register-accumulate", "a thread per element, a layer of the grid per product",
           "The matrices of a batch know nothing of each other: the third dimension of the grid "
           "counts them.",
           register_accumulate),
      rung("shared-32", "tiles of 32 x 32 in shared memory",
           {"What has to change in the schedule of matmul/shared-32 for a batch?",
            "One bind comes first, of the batch to the third dimension of the grid."},
           shared_32, {.builds_on = "register-accumulate"}),
      rung("vectorized", "8 x 8 elements a thread, four floats an access",
           {"Does the schedule of matmul/vectorized take a batch as easily?",
            "Yes: 128 x 128 elements a block, and vectors wherever data move, behind the same "
            "bind."},
           vectorized, {.builds_on = "shared-32"}),
  };
  return ladder;
}

}  // namespace hone

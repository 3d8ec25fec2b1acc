// Loops of the host that end where their guards do, run on sizes that tiles do not divide.
#include "dsl/schedule.h"
#include "gtest/gtest.h"
#include "tests/support/runtime/interpreted.h"

namespace hone {
namespace clipped_loops_test {

/// A product in blocks of 8, whose sums are kept in a register for four steps.
Function blocked_product() {
  const Param M("M"), N("N"), K("K");
  const Tensor A("A", f32, {M, K}), B("B", f32, {K, N}), C("C", f32, {M, N});
  const Axis i("i", M), j("j", N);
  const ReduceAxis k("k", K);
  const Program program("product", C(i, j) = sum(k, A(i, k) * B(k, j)));
  Schedule s(program);
  auto [io, ii] = s.split(i, 8);
  auto [jo, ji] = s.split(j, 8);
  auto [ko, ki] = s.split(k, 8);
  auto [step, part] = s.split(ki, 4);
  s.reorder({io, ko, jo, ii, step, ji, part});
  s.cache_registers(C, ji);
  s.unroll(part);
  s.bind(io, parallel);
  return s.function();
}

TEST(ClippedLoops, ComputeWhatTheGuardsLetThrough) {
  const Function product = blocked_product();
  for (const int64_t m : {0, 1, 7, 8, 9, 17})
    for (const int64_t n : {0, 1, 7, 8, 9})
      for (const int64_t k : {0, 1, 3, 8, 13})
        expect_as_interpreted_on_host(product, {{"M", m}, {"N", n}, {"K", k}});
}

}  // namespace clipped_loops_test
}  // namespace hone

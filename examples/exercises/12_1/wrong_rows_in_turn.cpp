//| not yet: all blocks together have 32 threads at M=8 N=64; wanted: 256 threads in all
//| Each row has a warp.
#include <hone/exercises/answer.h>

#include <limits>

using namespace hone;

Schedule solve() {
  const Param M("M"), N("N");
  const Tensor X("X", f32, {M, N}), R("R", f32, {M});
  const Axis i("i", M);
  const ReduceAxis k("k", N);
  const Tensor extent("extent", tuple_of({f32, f32}), {M});
  constexpr float most = std::numeric_limits<float>::max();
  const Program range("range",
                      extent(i) = reduce({k}, pair(-most, most), pair(X(i, k), X(i, k)),
                                         [](const Expr& x, const Expr& y) {
                                           return pair(max(first(x), first(y)),
                                                       min(second(x), second(y)));
                                         },
                                         {.name = "extent", .associative = true}),
                      R(i) = first(extent(i)) - second(extent(i)));
  Schedule s(range);
  const Axis row = s.axis(R, i);
  // One warp goes over all rows.
  s.compute_at(extent, row);
  auto [turn, lane] = s.split(k, 32);
  s.reorder({lane, turn});
  s.bind(lane, thread.x, Combine::shuffle);
  return s;
}

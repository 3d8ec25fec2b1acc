//| not yet: there are 128 global loads of X per result at M=8 N=64; wanted: at most 64 global loads of X per result
//| A pair of the largest and the least value so far is one reduction: reduce({k}, pair(...), pair(X(i, k), X(i, k)), ...).
#include <hone/exercises/answer.h>

#include <limits>

using namespace hone;

Schedule solve() {
  const Param M("M"), N("N");
  const Tensor X("X", f32, {M, N}), R("R", f32, {M});
  const Axis i("i", M);
  const ReduceAxis k("k", N);
  const Tensor largest("largest", f32, {M}), least("least", f32, {M});
  const Program range("range", largest(i) = max(k, X(i, k)), least(i) = min(k, X(i, k)),
                      R(i) = largest(i) - least(i));
  Schedule s(range);
  const Axis row = s.axis(R, i);
  s.bind(row, block.x);
  for (const Tensor& tensor : {largest, least}) {
    s.compute_at(tensor, row);
    auto [turn, lane] = s.split(s.axis(tensor, k), 32);
    s.reorder({lane, turn});
    s.bind(lane, thread.x, Combine::shuffle);
  }
  return s;
}

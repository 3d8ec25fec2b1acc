//| not yet: a step was refused
//| examples/exercises/12_1/wrong_strict.cpp:34: error: reorder: iterations of k.0 that touch one element of extent would change places (extent[])
//|   for i.R in 0..M @block.x {
//|     reduce k.0 in 0..(N + 31) / 32 {  <-- here
//|       reduce k.1 in 0..32 {
//|         if (k.0*32 + k.1 < N) {
//| note: only a reduction with one of the operators +=, *=, min=, max=, and=, or=, or with one declared associative, may be done in another order
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
                                         {.name = "extent"}),
                      R(i) = first(extent(i)) - second(extent(i)));
  Schedule s(range);
  const Axis row = s.axis(R, i);
  s.bind(row, block.x);
  s.compute_at(extent, row);
  auto [turn, lane] = s.split(k, 32);
  s.reorder({lane, turn});
  s.bind(lane, thread.x, Combine::shuffle);
  return s;
}

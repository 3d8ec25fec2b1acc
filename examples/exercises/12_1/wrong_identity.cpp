//| not yet: examples/exercises/12_1/wrong_identity.cpp:15: error: extent is declared associative, and it is not unchanged by its identity: extent(extent((1.0, 1.0), (1.0, 1.0)), (0.0, 0.0)) is (1.0, 0.0), and extent((1.0, 1.0), (1.0, 1.0)) is (1.0, 1.0); an identity changes no value, as the least number changes none under max, and what is done to each value once belongs into the value that is reduced
#include <hone/exercises/answer.h>

#include <limits>

using namespace hone;

Schedule solve() {
  const Param M("M"), N("N");
  const Tensor X("X", f32, {M, N}), R("R", f32, {M});
  const Axis i("i", M);
  const ReduceAxis k("k", N);
  const Tensor extent("extent", tuple_of({f32, f32}), {M});
  const Program range("range",
                      extent(i) = reduce({k}, pair(0.0, 0.0), pair(X(i, k), X(i, k)),
                                         [](const Expr& x, const Expr& y) {
                                           return pair(max(first(x), first(y)),
                                                       min(second(x), second(y)));
                                         },
                                         {.name = "extent", .associative = true}),
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

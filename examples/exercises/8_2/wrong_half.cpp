//| not yet: the global loads of B move 2 elements at a time at K=32 M=128 N=128; wanted: global loads of B move 4 elements at a time
//| cache_shared(tensor, axis, {.vectorize = 4}) promises vectors.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [by, bx, rows, tx] = s.tile({s.axis("i"), s.axis("j")}, {32, 32});
  auto [ty, y] = s.split(rows, 4);
  s.reorder({ty, tx, y});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  s.cache_registers(s.tensor("C"), tx);
  auto [ko, ki] = s.split(s.axis("k"), 32);
  static_cast<void>(ki);
  s.assume_aligned(s.tensor("A"), 16);
  s.cache_shared(s.tensor("A"), ko, {.vectorize = 4});
  s.assume_aligned(s.tensor("B"), 8);
  s.cache_shared(s.tensor("B"), ko, {.vectorize = 2});
}

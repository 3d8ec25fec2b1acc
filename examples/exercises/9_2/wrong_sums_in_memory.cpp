//| not yet: there are 33 global stores of C per result at K=32 M=128 N=128; wanted: at most 1 global stores of C per result
//| The sums of a thread stay in registers: cache_registers(C, axis).
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [by, bx, rows, columns] = s.tile({s.axis("i"), s.axis("j")}, {64, 128});
  auto [ty, tx, y, x] = s.tile({rows, columns}, {4, 8});
  auto [ko, ki] = s.split(s.axis("k"), 16);
  s.reorder({by, bx, ty, tx, ko, ki, y, x});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  // No sums in registers leave room, and go to memory with each product.
  const Cache A_shared = s.cache_shared(s.tensor("A"), ko);
  const Cache B_shared = s.cache_shared(s.tensor("B"), ko);
  s.cache_registers(A_shared, ki);
  s.cache_registers(B_shared, ki);
}

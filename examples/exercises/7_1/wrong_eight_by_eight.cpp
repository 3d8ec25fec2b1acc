//| not yet: all blocks together have 256 threads at K=32 M=128 N=128; wanted: 1024 threads in all
//| A thread has 4 x 4 elements, and no loop over blocks or threads is left in it.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [by, bx, rows, columns] = s.tile({s.axis("i"), s.axis("j")}, {64, 64});
  // As few reads, and a quarter of the threads.
  auto [ty, tx, y, x] = s.tile({rows, columns}, {8, 8});
  auto [ko, ki] = s.split(s.axis("k"), 16);
  s.reorder({by, bx, ty, tx, ko, ki, y, x});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  s.cache_registers(s.tensor("C"), tx);
  const Cache A_shared = s.cache_shared(s.tensor("A"), ko);
  const Cache B_shared = s.cache_shared(s.tensor("B"), ko);
  s.cache_registers(A_shared, ki);
  s.cache_registers(B_shared, ki);
}

//| not yet: there are no shared stores of A.shared at K=128 M=128 N=128; wanted: A.shared in shared memory, written and read
//| The operands stay in shared memory.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [by, bx, rows, columns] = s.tile({s.axis("i"), s.axis("j")}, {64, 64});
  auto [ty, tx, y, x] = s.tile({rows, columns}, {4, 4});
  s.reorder({by, bx, ty, tx, s.axis("k"), y, x});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  s.cache_registers(s.tensor("C"), tx);
}

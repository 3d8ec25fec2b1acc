//| not yet: there are 16 shared loads of A.shared per result at K=32 M=128 N=128; wanted: at most 8 shared loads of A.shared per result
//| One iteration of the loop over k inside a step needs four elements of either tile: cache_registers(tile, ki), with that loop outside of those over a thread's elements.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [by, bx, rows, columns] = s.tile({s.axis("i"), s.axis("j")}, {32, 32});
  auto [ty, tx, y, x] = s.tile({rows, columns}, {2, 2});
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

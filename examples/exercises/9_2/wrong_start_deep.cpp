//| not yet: the tiles of a thread take 80 registers at K=32 M=128 N=128; wanted: at most 48 registers for the tiles of a thread
//| m x n sums and m + n operands: 4 x 8 elements take 44 registers.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [by, bx, rows, columns] = s.tile({s.axis("i"), s.axis("j")}, {128, 128});
  auto [ty, tx, y, x] = s.tile({rows, columns}, {8, 8});
  auto [ko, ki] = s.split(s.axis("k"), 8);
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

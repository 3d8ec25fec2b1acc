//| not yet: 576 wavefronts are bank conflicts, all of them in the shared loads of A.shared at M=64 N=96; wanted: no bank conflict
//| Chunk c of row r lies where c ^ (r % period) would: a column is in as many banks as there are permutations, of chunks of one float.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [by, bx, columns, tx] = s.tile({s.axis("j"), s.axis("i")}, {32, 32});
  auto [step, ty] = s.split(columns, 8);
  static_cast<void>(step);
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);

  // Eight permutations leave four rows in each bank.
  s.layout(s.cache_shared(s.tensor("A"), bx), Layout().swizzle({.chunk = 1, .period = 8}));
}

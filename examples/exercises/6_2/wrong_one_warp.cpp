//| not yet: all blocks together have 192 threads at M=64 N=96; wanted: 1536 threads in all
//| A loop that could be the grid's stays inside the threads: bind its axis.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [by, bx, columns, tx] = s.tile({s.axis("j"), s.axis("i")}, {32, 32});
  // A warp has the whole tile.
  static_cast<void>(columns);
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(tx, thread.x);

  s.layout(s.cache_shared(s.tensor("A"), bx), Layout().swizzle({.chunk = 1, .period = 32}));
}

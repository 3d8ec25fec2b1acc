//| not yet: all blocks together have 512 threads at K=20 M=32 N=48; wanted: 1536 threads in all
//| Each element has a thread: the tile of a block has no more of them than the block has threads.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  // Each thread has four elements, one after the other.
  auto [by, bx, rows, columns] = s.tile({s.axis("i"), s.axis("j")}, {32, 32});
  auto [y, x, ty, tx] = s.tile({rows, columns}, {16, 16});
  s.reorder({ty, tx, y, x});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  s.cache_registers(s.tensor("C"), tx);
}

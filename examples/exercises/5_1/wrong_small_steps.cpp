//| not yet: a block meets 128 barriers at K=64 M=32 N=48; wanted: at most 8 barriers a block
//| A step has two barriers, however many products it has: 4 steps of 16 have eight.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [by, bx, ty, tx] = s.tile({s.axis("i"), s.axis("j")}, {16, 16});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  s.cache_registers(s.tensor("C"), tx);

  // Tiles of one column each: 16 times the barriers.
  s.cache_shared(s.tensor("A"), s.axis("k"));
  s.cache_shared(s.tensor("B"), s.axis("k"));
}

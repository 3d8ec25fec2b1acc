#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [by, ty] = s.split(s.axis("i"), 16);
  auto [bx, tx] = s.split(s.axis("j"), 16);
  s.reorder({by, bx, ty, tx});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  s.cache_registers(s.tensor("C"), tx);
}

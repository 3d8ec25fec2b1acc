#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  // Coalesced loads, and stores that are not.
  auto [by, bx, ty, tx] = s.tile({s.axis("i"), s.axis("j")}, {32, 32});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
}

#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [by, ty] = s.split(s.axis("y"), 8);
  auto [bx, tx] = s.split(s.axis("x"), 32);
  s.reorder({by, bx, ty, tx});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
}

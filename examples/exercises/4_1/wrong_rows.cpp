#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [by, bx, ty, tx] = s.tile({s.axis("i"), s.axis("j")}, {32, 8});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.x);
  s.bind(tx, thread.y);
}

#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [by, bx, rows, tx] = s.tile({s.axis("i"), s.axis("j")}, {8, 64});
  auto [ty, y] = s.split(rows, 2);
  s.reorder({ty, tx, y});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  s.unroll(y);
}

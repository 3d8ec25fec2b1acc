//| not yet: the block is 16 x 16 at H=40 W=96; wanted: the block is 32 x 8
//| Split both axes, y by 8 and x by 32, and bind both inner axes, that of x to thread.x.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  // A warp has two rows of sixteen pixels.
  auto [by, ty] = s.split(s.axis("y"), 16);
  auto [bx, tx] = s.split(s.axis("x"), 16);
  s.reorder({by, bx, ty, tx});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
}

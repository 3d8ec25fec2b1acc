//| not yet: a request of the global loads of in takes 8 sectors at H=40 W=96; wanted: at most 4 sectors a request, of the global loads of in
//| Neighbouring threads, those along thread.x, are to take neighbouring pixels of a row.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [by, ty] = s.split(s.axis("y"), 8);
  auto [bx, tx] = s.split(s.axis("x"), 32);
  s.reorder({by, bx, ty, tx});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.x);
  s.bind(tx, thread.y);
}

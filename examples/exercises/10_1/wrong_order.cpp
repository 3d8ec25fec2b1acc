//| not yet: a warp has 40 shuffles at M=16 N=256; wanted: at most 5 shuffles a warp
//| The lanes combine in each iteration of the outer loop: reorder({lane, turn}) has a lane put together its own elements first.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [b, warp] = s.split(s.axis("i"), 8);
  s.bind(b, block.x);
  s.bind(warp, thread.y);
  auto [turn, lane] = s.split(s.axis("k"), 32);
  // A tree for each 32 elements.
  static_cast<void>(turn);
  s.bind(lane, thread.x, Combine::shuffle);
}

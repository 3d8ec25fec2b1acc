//| not yet: a request of the global loads of A takes 32 sectors at M=16 N=256; wanted: at most 4 sectors a request, of the global loads of A
//| Split k by 32: the inner axis are the lanes, which take neighbours.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  // Each lane takes a run of its own, not every 32nd element.
  auto [b, warp] = s.split(s.axis("i"), 8);
  s.bind(b, block.x);
  s.bind(warp, thread.y);
  auto [lane, run] = s.split_into(s.axis("k"), 32);
  static_cast<void>(run);
  s.bind(lane, thread.x, Combine::shuffle);
}

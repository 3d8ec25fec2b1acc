#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [b, warp] = s.split(s.axis("i"), 8);
  s.bind(b, block.x);
  s.bind(warp, thread.y);
  auto [turn, lane] = s.split(s.axis("k"), 32);
  s.reorder({lane, turn});
  s.bind(lane, thread.x, Combine::shuffle);
}

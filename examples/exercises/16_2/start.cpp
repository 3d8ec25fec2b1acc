#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [b, part] = s.split(s.axis("k"), 512);
  auto [item, t] = s.split(part, 256);
  s.reorder({t, item});
  s.bind(b, block.x, Combine::atomic);
  s.bind(t, thread.x, Combine::two_level);
}

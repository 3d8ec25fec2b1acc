#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  s.require(Numbers::run_to_run);
  auto [b, part] = s.split(s.axis("k"), 512);
  auto [item, t] = s.split(part, 256);
  s.reorder({t, item});
  const RFactor parts = s.rfactor(s.tensor("S"), b);
  s.bind(parts.partial, block.x);
  s.bind(t, thread.x, Combine::two_level);
}

//| not yet: the parts of S.rf over k.1.1 are added as they come at n=8192; wanted: the same bits in each run
//| rfactor gives each block a part of its own in memory, and a second kernel adds the parts in order.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [b, part] = s.split(s.axis("k"), 512);
  auto [item, t] = s.split(part, 256);
  s.reorder({t, item});
  // Blocks have parts of their own, to which threads add as they come.
  const RFactor parts = s.rfactor(s.tensor("S"), b);
  s.bind(parts.partial, block.x);
  s.bind(t, thread.x, Combine::atomic);
}

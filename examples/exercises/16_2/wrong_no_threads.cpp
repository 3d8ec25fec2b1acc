//| not yet: all blocks together have 16 threads at n=8192; wanted: 4096 threads in all
//| Bind the loop over the terms of a block to threads, and say how they combine.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [b, part] = s.split(s.axis("k"), 512);
  auto [item, t] = s.split(part, 256);
  s.reorder({t, item});
  const RFactor parts = s.rfactor(s.tensor("S"), b);
  s.bind(parts.partial, block.x);
  static_cast<void>(t);
}

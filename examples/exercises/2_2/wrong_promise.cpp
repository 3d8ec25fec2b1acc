//| not yet: squares was compiled for n % 256 == 0, and n is 128
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  // More is promised than the callers keep: the check runs at n=128 too.
  const Param n("n");
  s.assume(n % 256 == 0);
  auto [b, t] = s.split(s.axis("i"), 128);
  s.bind(b, block.x);
  s.bind(t, thread.x);
}

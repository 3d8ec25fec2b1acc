//| not yet: there is a guard, `if (i.0*128 + i.1 < n)` at n=1024; wanted: no guard
//| s.assume(condition) promises a condition on the sizes, here that 128 divides n; a split that comes after it needs no guard.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [b, t] = s.split(s.axis("i"), 128);
  s.bind(b, block.x);
  s.bind(t, thread.x);
}

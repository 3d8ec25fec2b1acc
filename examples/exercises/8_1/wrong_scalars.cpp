//| not yet: the global loads of A move one element at a time at n=1024; wanted: global loads of A move 4 elements at a time
//| Split off an inner axis of four iterations, and vectorize it.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  const Param n("n");
  s.assume(n % 4 == 0);
  auto [rest, v] = s.split(s.axis("i"), 4);
  auto [b, t] = s.split(rest, 64);
  s.bind(b, block.x);
  s.bind(t, thread.x);

  s.unroll(v);
}

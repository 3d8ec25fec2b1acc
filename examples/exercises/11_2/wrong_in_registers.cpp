//| not yet: there are no shared stores of T at n=1024; wanted: T in shared memory, written and read
//| compute_at(T, axis, {.scope = Scope::shared}) computes what one iteration of the axis of blocks reads, before its threads are bound.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  // Each thread computes the three elements that it reads.
  auto [b, t] = s.split(s.axis("i"), 128);
  s.bind(b, block.x);
  s.bind(t, thread.x);
  s.compute_at(s.tensor("T"), t);
}

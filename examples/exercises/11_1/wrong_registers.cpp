//| not yet: there are no shared stores of A.shared at n=1024; wanted: A.shared in shared memory, written and read
//| cache_shared(A, t) stages what an iteration of the threads' axis touches, over all of them: the halo is part of it.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [b, t] = s.split(s.axis("i"), 256);
  s.bind(b, block.x);
  s.bind(t, thread.x);
  s.cache_registers(s.tensor("A"), t);
}

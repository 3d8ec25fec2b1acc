//| not yet: a block has 1 thread at n=1000; wanted: 128 threads a block
//| The inner axis of a split has as many iterations as its factor; bind it to thread.x.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  // Each element has a block, and a block one thread.
  s.bind(s.axis("i"), block.x);
}

//| not yet: a request of the global stores of B takes 32 sectors at M=64 N=96; wanted: at most 4 sectors a request, of the global stores of B
//| cache_shared(A, axis), where one iteration of the axis is a block's, fills the tile in the order of A.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  // Coalesced loads, and stores that are not.
  auto [by, bx, ty, tx] = s.tile({s.axis("i"), s.axis("j")}, {32, 32});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
}

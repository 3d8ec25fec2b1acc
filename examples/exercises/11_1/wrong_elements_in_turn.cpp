//| not yet: a block has 64 threads at n=1024; wanted: 256 threads a block
//| The tile of a block is for 256 threads, an element each.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [b, t] = s.split(s.axis("i"), 256);
  // A tile of 256 elements for 64 threads.
  auto [turn, lane] = s.split(t, 64);
  static_cast<void>(turn);
  s.bind(b, block.x);
  s.bind(lane, thread.x);
  s.cache_shared(s.tensor("A"), turn);
}

//| not yet: there are no shared stores of A.shared at K=64 M=32 N=48; wanted: A.shared in shared memory, written and read
//| cache_shared(A, axis) stages what one iteration of the axis touches, over all threads of the block.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [by, bx, ty, tx] = s.tile({s.axis("i"), s.axis("j")}, {16, 16});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  s.cache_registers(s.tensor("C"), tx);

  // A thread has its own 16 elements of A and B, which nobody else uses.
  auto [ko, ki] = s.split(s.axis("k"), 16);
  static_cast<void>(ki);
  s.cache_registers(s.tensor("A"), ko);
  s.cache_registers(s.tensor("B"), ko);
}

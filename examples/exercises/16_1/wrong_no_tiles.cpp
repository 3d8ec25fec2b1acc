//| not yet: there are no shared stores of A.shared at K=64 M=32 N=32; wanted: A.shared in shared memory, written and read
//| cache_shared(A, step) stages what a block reads in a step.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [by, bx, ty, tx] = s.tile({s.axis("i"), s.axis("j")}, {16, 16});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  auto [step, k] = s.split(s.axis("k"), 16);
  static_cast<void>(step);
  static_cast<void>(k);
  s.cache_registers(s.tensor("C"), tx);
}

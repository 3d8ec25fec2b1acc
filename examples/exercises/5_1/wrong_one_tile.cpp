//| not yet: there are no shared stores of B.shared at K=64 M=32 N=48; wanted: B.shared in shared memory, written and read
//| B is staged like A.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [by, bx, ty, tx] = s.tile({s.axis("i"), s.axis("j")}, {16, 16});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  s.cache_registers(s.tensor("C"), tx);

  auto [ko, ki] = s.split(s.axis("k"), 16);
  static_cast<void>(ki);
  s.cache_shared(s.tensor("A"), ko);
}

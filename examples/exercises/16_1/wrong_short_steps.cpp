//| not yet: a block meets 16 barriers at K=64 M=32 N=32; wanted: at most 8 barriers a block
//| A step of 16 terms has two barriers.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [by, bx, ty, tx] = s.tile({s.axis("i"), s.axis("j")}, {16, 16});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  auto [step, k] = s.split(s.axis("k"), 8);
  s.cache_registers(s.tensor("C"), tx);
  s.cache_shared(s.tensor("A"), step);
  s.cache_shared(s.tensor("B"), step);
}

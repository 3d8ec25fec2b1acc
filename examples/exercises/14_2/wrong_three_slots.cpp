//| not yet: the ring has 3 slots at K=64 M=2; wanted: a ring of 4 slots
//| specialize(axis, 4, {.producer_warps = ...}) makes a ring of four slots.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  const Axis t = s.axis("t");
  s.bind(s.axis("i"), block.x);
  s.bind(t, thread.x);
  s.cache_registers(s.tensor("S"), t);
  auto [step, row] = s.split(s.axis("k"), 4);
  const Cache tile = s.cache_shared(s.tensor("A"), step);
  s.copy_async(tile);
  s.specialize(step, 3, {.producer_warps = 2});
}

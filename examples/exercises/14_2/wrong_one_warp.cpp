//| not yet: there is 1 warp of producers at K=64 M=2; wanted: 2 warps of producers
//| Threads that fill the ring themselves are a pipeline. specialize takes the number of warps: {.producer_warps = 2}.
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
  s.specialize(step, 4, {.producer_warps = 1});
}

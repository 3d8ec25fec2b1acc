//| not yet: a step was refused
//| examples/exercises/14_2/wrong_stores.cpp:20: error: specialize: no asynchronous copy fills a tile at the start of k.0
//|   for i in 0..M @block.x {
//|     for t in 0..64 @thread.x {
//|       reduce k.0 in 0..(K + 3) / 4 {  <-- here
//|         alloc A.shared: f32[4, 64] @shared
//|         copy A.shared[0 .. +4, 0 .. +64] <- A[i, k.0*4 .. +4, 0 .. +64]
//| note: cache_shared under it and copy_async first
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  const Axis t = s.axis("t");
  s.bind(s.axis("i"), block.x);
  s.bind(t, thread.x);
  s.cache_registers(s.tensor("S"), t);
  auto [step, row] = s.split(s.axis("k"), 4);
  s.cache_shared(s.tensor("A"), step);
  s.specialize(step, 4, {.producer_warps = 2});
}

//| not yet: a step was refused
//| examples/exercises/11_2/wrong_late.cpp:17: error: compute_at: each thread of i.1 would compute its own part of T, and a block has its shared memory together
//|   for i.0 in 0..(n + 127) / 128 @block.x {
//|     for i.1 in 0..128 @thread.x {    <-- here
//|       if (i.0*128 + i.1 < n) {
//|         B[i.0*128 + i.1] = T[i.0*128 + i.1] + T[i.0*128 + i.1 + 1] + T[i.0*128 + i.1 + 2]
//| note: compute it around i.1, or in registers
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  // Threads compute before the tile that they share is there.
  auto [b, t] = s.split(s.axis("i"), 128);
  s.bind(b, block.x);
  s.bind(t, thread.x);
  s.compute_at(s.tensor("T"), t, {.scope = Scope::shared});
}

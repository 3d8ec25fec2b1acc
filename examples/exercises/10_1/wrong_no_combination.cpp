//| not yet: a step was refused
//| examples/exercises/10_1/wrong_no_combination.cpp:20: error: bind: k.1 is a reduction axis: all its iterations update S[i.0*8 + i.1]
//|   for i.0 in 0..(M + 7) / 8 @block.x {
//|     for i.1 in 0..8 @thread.y {
//|       if (i.0*8 + i.1 < M) {
//|         reduce k.1 in 0..32 {        <-- here
//|           reduce k.0 in 0..(N + 31) / 32 {
//|             if (k.0*32 + k.1 < N) {
//| note: say how threads combine: Combine::sequential, interleaved_modulo or interleaved_strided (a tree), shuffle, two_level or atomic
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [b, warp] = s.split(s.axis("i"), 8);
  s.bind(b, block.x);
  s.bind(warp, thread.y);
  auto [turn, lane] = s.split(s.axis("k"), 32);
  s.reorder({lane, turn});
  s.bind(lane, thread.x);
}

//| not yet: a step was refused
//| examples/exercises/16_2/wrong_refused.cpp:16: error: bind: the parts of S over k.0 would be added as they come, and the schedule requires run_to_run
//|   reduce k.0 in 0..(n + 511) / 512 {  <-- here
//|     reduce k.1.1 in 0..256 {
//|       reduce k.1.0 in 0..2 {
//| note: combine by another method: Combine::last_block adds in order
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  s.require(Numbers::run_to_run);
  auto [b, part] = s.split(s.axis("k"), 512);
  auto [item, t] = s.split(part, 256);
  s.reorder({t, item});
  s.bind(b, block.x, Combine::atomic);
}

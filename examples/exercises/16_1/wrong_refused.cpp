//| not yet: a step was refused
//| examples/exercises/16_1/wrong_refused.cpp:25: error: reorder: the terms of C would come in another order, and the schedule requires same_order
//|   for i.0 in 0..(M + 15) / 16 @block.y {
//|     for j.0 in 0..(N + 15) / 16 @block.x {
//|       for i.1 in 0..16 @thread.y {
//|         for j.1 in 0..16 @thread.x {
//|           if (i.0*16 + i.1 < M) {
//|             if (j.0*16 + j.1 < N) {
//|               reduce k.0 in 0..(K + 15) / 16 {  <-- here
//|                 reduce k.1 in 0..16 {
//|                   if (k.0*16 + k.1 < K) {
//| note: schedule the loops around the sums instead, or leave require out
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  s.require(Numbers::same_order);
  auto [by, bx, ty, tx] = s.tile({s.axis("i"), s.axis("j")}, {16, 16});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  auto [step, k] = s.split(s.axis("k"), 16);
  s.reorder({k, step});
}

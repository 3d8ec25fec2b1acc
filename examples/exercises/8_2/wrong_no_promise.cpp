//| not yet: a step was refused
//| examples/exercises/8_2/wrong_no_promise.cpp:29: error: cache_shared: A cannot move 4 elements at a time: rows of A are K elements apart, which is not proved to be a multiple of 4
//|   for i.0 in 0..(M + 31) / 32 @block.y {
//|     for j.0 in 0..(N + 31) / 32 @block.x {
//|       for i.1.0 in 0..8 @thread.y {
//|         for j.1 in 0..32 @thread.x {
//|           for i.1.1 in 0..4 @unroll {
//|             if (i.0*32 + i.1.0*4 + i.1.1 < M) {
//|               if (j.0*32 + j.1 < N) {
//|                 reduce k.0 in 0..(K + 31) / 32 {  <-- here
//|                   reduce k.1 in 0..32 {
//|                     if (k.0*32 + k.1 < K) {
//| note: assume(K % 4 == 0) promises it, and launches check it
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [by, bx, rows, tx] = s.tile({s.axis("i"), s.axis("j")}, {32, 32});
  auto [ty, y] = s.split(rows, 4);
  s.reorder({ty, tx, y});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  s.cache_registers(s.tensor("C"), tx);
  auto [ko, ki] = s.split(s.axis("k"), 32);
  static_cast<void>(ki);
  s.cache_shared(s.tensor("A"), ko, {.vectorize = 4});
  s.cache_shared(s.tensor("B"), ko, {.vectorize = 4});
}

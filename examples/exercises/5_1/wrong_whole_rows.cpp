//| not yet: a step was refused
//| examples/exercises/5_1/wrong_whole_rows.cpp:21: error: cache_shared: the part of A that A[i.0*16 + i.1, k] touches has no constant size
//|   for i.0 in 0..(M + 15) / 16 @block.y {
//|     for j.0 in 0..(N + 15) / 16 @block.x {
//|       for i.1 in 0..16 {
//|         for j.1 in 0..16 {
//|           if (i.0*16 + i.1 < M) {
//|             if (j.0*16 + j.1 < N) {
//|               reduce k in 0..K {
//|                 C[i.0*16 + i.1, j.0*16 + j.1] += A[i.0*16 + i.1, k] * B[j.0*16 + j.1, k]  <-- here
//| note: loops between the axis and the access must have constant extents; split them, or make their sizes constants
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  // The rows of A and B have any length: no tile can hold them.
  auto [by, bx, ty, tx] = s.tile({s.axis("i"), s.axis("j")}, {16, 16});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.cache_shared(s.tensor("A"), bx);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
}

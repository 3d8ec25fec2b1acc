//| not yet: a step was refused
//| examples/exercises/2_1/wrong_threads_of_a_sum.cpp:18: error: bind: k.1 is a reduction axis: all its iterations update C[i, j]
//|   for i in 0..M @block.x {
//|     for j in 0..N {
//|       reduce k.0 in 0..(K + 15) / 16 {
//|         reduce k.1 in 0..16 {        <-- here
//|           if (k.0*16 + k.1 < K) {
//|             C[i, j] += A[i, k.0*16 + k.1] * B[k.0*16 + k.1, j]
//| note: say how threads combine: Combine::sequential, interleaved_modulo or interleaved_strided (a tree), shuffle, two_level or atomic
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  // A reduction axis on threads: lesson 10 is about what this takes.
  auto [outer, inner] = s.split(s.axis("k"), 16);
  s.bind(s.axis("i"), block.x);
  s.bind(inner, thread.x);
}

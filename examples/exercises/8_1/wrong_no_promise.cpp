//| not yet: a step was refused
//| examples/exercises/8_1/wrong_no_promise.cpp:20: error: vectorize: A[i.0.0*256 + i.0.1*4 + i.1] would be predicated: i.0.0*256 + i.0.1*4 + i.1 < n is not the same in all 4 iterations of i.1
//|   for i.0.0 in 0..((n + 3) / 4 + 63) / 64 @block.x {
//|     for i.0.1 in 0..64 @thread.x {
//|       if (i.0.0*64 + i.0.1 < (n + 3) / 4) {
//|         for i.1 in 0..4 {
//|           if (i.0.0*256 + i.0.1*4 + i.1 < n) {
//|             C[i.0.0*256 + i.0.1*4 + i.1] = A[i.0.0*256 + i.0.1*4 + i.1] + B[i.0.0*256 + i.0.1*4 + i.1]  <-- here
//| note: sizes that 4 divides need no such condition; assume(n % 4 == 0) promises one
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [rest, v] = s.split(s.axis("i"), 4);
  auto [b, t] = s.split(rest, 64);
  s.bind(b, block.x);
  s.bind(t, thread.x);

  s.vectorize(v);
}

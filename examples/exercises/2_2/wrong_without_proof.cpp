//| not yet: a step was refused
//| examples/exercises/2_2/wrong_without_proof.cpp:11: error: split: 128 is not proved to divide the extent n of i and the tail is 'exact'
//|   for i in 0..n {                    <-- here
//|     B[i] = A[i] * A[i]
//| note: sizes known at launch only prove nothing; {.tail = Tail::guard} takes any factor
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [b, t] = s.split(s.axis("i"), 128, {.tail = Tail::exact});
  s.bind(b, block.x);
  s.bind(t, thread.x);
}

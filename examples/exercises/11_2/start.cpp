#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [b, t] = s.split(s.axis("i"), 128);
  s.bind(b, block.x);
  s.bind(t, thread.x);
  auto [first_b, first_t] = s.split(s.axis("v"), 128);
  s.bind(first_b, block.x);
  s.bind(first_t, thread.x);
}

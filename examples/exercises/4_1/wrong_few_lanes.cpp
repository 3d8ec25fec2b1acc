#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [b, t] = s.split(s.axis("j"), 8);
  s.bind(s.axis("i"), block.y);
  s.bind(b, block.x);
  s.bind(t, thread.x);
}

#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [b, t] = s.split(s.axis("i"), 128);
  s.bind(b, block.x);
  s.bind(t, thread.x);
  s.cache_registers(s.tensor("S"), t);
}

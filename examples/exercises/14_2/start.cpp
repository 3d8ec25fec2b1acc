#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  const Axis t = s.axis("t");
  s.bind(s.axis("i"), block.x);
  s.bind(t, thread.x);
  s.cache_registers(s.tensor("S"), t);
  auto [step, row] = s.split(s.axis("k"), 4);
  s.cache_shared(s.tensor("A"), step);
}

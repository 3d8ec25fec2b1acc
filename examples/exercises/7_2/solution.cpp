#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [rest, r] = s.split(s.axis("i"), 4);
  auto [b, t] = s.split(rest, 64);
  s.bind(b, block.x);
  s.bind(t, thread.x);

  s.reorder({t, s.axis("k"), r});
  s.cache_registers(s.tensor("y"), t);
  s.cache_registers(s.tensor("x"), s.axis("k"));
}

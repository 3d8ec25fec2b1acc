#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  s.require(Numbers::same_order);
  auto [by, bx, ty, tx] = s.tile({s.axis("i"), s.axis("j")}, {16, 16});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  auto [step, k] = s.split(s.axis("k"), 16);
  s.cache_registers(s.tensor("C"), tx);
  s.cache_shared(s.tensor("A"), step);
  s.cache_shared(s.tensor("B"), step);
}

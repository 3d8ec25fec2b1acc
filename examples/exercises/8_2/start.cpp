#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [by, bx, rows, tx] = s.tile({s.axis("i"), s.axis("j")}, {32, 32});
  auto [ty, y] = s.split(rows, 4);
  s.reorder({ty, tx, y});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  s.cache_registers(s.tensor("C"), tx);
  auto [ko, ki] = s.split(s.axis("k"), 32);
  static_cast<void>(ki);
  s.cache_shared(s.tensor("A"), ko);
  s.cache_shared(s.tensor("B"), ko);
}

#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  // The rows of A and B have any length: no tile can hold them.
  auto [by, bx, ty, tx] = s.tile({s.axis("i"), s.axis("j")}, {16, 16});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.cache_shared(s.tensor("A"), bx);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
}

#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [by, ty] = s.split(s.axis("i"), 16);
  auto [bx, tx] = s.split(s.axis("j"), 16);
  s.reorder({by, bx, ty, tx});
  // Bind the four axes. `s.tensor("C")` is C.
}

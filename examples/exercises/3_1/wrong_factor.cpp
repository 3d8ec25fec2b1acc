//| not yet: line 4 reads `for i.1.0 in 0..2 @thread.y {` and is to read `for i.1.0 in 0..4 @thread.y {` at M=16 N=64; wanted: the loops as the task prints them
//| The name of an axis tells its history: i.1.0 is the outer part of the inner part of i.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [by, bx, rows, tx] = s.tile({s.axis("i"), s.axis("j")}, {8, 64});
  auto [ty, y] = s.split(rows, 4);
  s.reorder({ty, tx, y});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  s.unroll(y);
}

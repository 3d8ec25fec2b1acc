//| not yet: a request of the global loads of A takes 32 sectors at M=64 N=128; wanted: at most 4 sectors a request, of the global loads of A
//| Neighbouring threads are to take neighbours in a row: the axis on thread.x is the last index of A and B, without a factor.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [by, bx, ty, tx] = s.tile({s.axis("i"), s.axis("j")}, {32, 8});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.x);
  s.bind(tx, thread.y);
}

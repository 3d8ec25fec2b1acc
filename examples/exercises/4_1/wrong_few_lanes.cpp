//| not yet: a block has 8 threads at M=64 N=128; wanted: 32 to 1024 threads a block
//| A warp has 32 lanes; a smaller block leaves some of them idle.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [b, t] = s.split(s.axis("j"), 8);
  s.bind(s.axis("i"), block.y);
  s.bind(b, block.x);
  s.bind(t, thread.x);
}

//| not yet: 192 wavefronts are bank conflicts, all of them in the shared loads of A.shared at M=64 N=96; wanted: no bank conflict
//| Elements 32 floats apart are in one bank. layout(tile, Layout().pad(n)) puts n floats between the rows.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [by, bx, columns, tx] = s.tile({s.axis("j"), s.axis("i")}, {32, 32});
  auto [step, ty] = s.split(columns, 8);
  static_cast<void>(step);
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);

  s.layout(s.cache_shared(s.tensor("A"), bx), Layout().pad(2));
}

// Blocks in which the loop that is bound to threads is empty, while another part has work.
#include "dsl/schedule.h"
#include "gtest/gtest.h"
#include "tests/support/runtime/interpreted.h"

namespace hone {
namespace {

/// One thread runs the tail, and fills no tile: nothing divides by the 0 threads of the loop.
TEST(EmptyThreadLoops, LeaveTheTailToOneThread) {
  const Param N("N"), M("M");
  const Axis i("i", N), j("j", M);
  const ReduceAxis m("m", 2);
  const Tensor A("A", f32, {N, M + 1}), B("B", f32, {2}), C("C", f32, {N, M});
  Schedule s(Program("rows", C(i, j) = sum(m, A(i, j + m) * B(m))));
  const auto [i_0, j_0, i_1, j_1] = s.tile({i, j}, {2, 2});
  const auto [j_0_0, j_0_1] = s.split(j_0, 2, {.tail = Tail::peel});
  s.bind(j_0_0, thread.x);
  s.cache_shared(B, j_1);
  for (const int64_t columns : {1, 2, 3, 4, 7, 9})
    expect_as_interpreted(s.function(), {{"N", 3}, {"M", columns}});
}

}  // namespace
}  // namespace hone

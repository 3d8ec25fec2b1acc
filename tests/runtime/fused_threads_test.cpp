// Two reduction axes over the threads of a block: fused, they are bound as one.
#include <gtest/gtest.h>

#include "tests/support/random/random_program.h"
#include "tests/support/runtime/reductions.h"

namespace hone {
namespace {

TEST(FusedThreads, TwoReductionAxesCombineAsOne) {
  Param M("M"), N("N");
  Tensor A("A", f32, {M, N}), S("S", f32, {});
  ReduceAxis k("k", M), l("l", N);
  const Program program("total", S() = sum({k, l}, A(k, l)));
  for (const Combine& combine : all_thread_combines(256)) {
    Schedule s(program);
    auto [ko, ki] = s.split(k, 8);
    auto [lo, li] = s.split(l, 32);
    s.reorder({ki, li, ko, lo});
    s.bind(s.fuse(ki, li), thread.x, combine);
    for (const int64_t m : {0, 1, 7, 9})
      for (const int64_t n : {1, 31, 33}) {
        const Sizes sizes = {{"M", m}, {"N", n}};
        expect_as_meant(program, s, sizes, random_buffers(program.function(), sizes, 7));
      }
  }
}

TEST(FusedThreads, OneAxisOverBothIndicesTakesAnotherWay) {
  Tensor A("A", f32, {8, 32}), S("S", f32, {});
  ReduceAxis k("k", 8), l("l", 32);
  Schedule s(Program("total", S() = sum({k, l}, A(k, l))));
  s.bind(k, thread.y, Combine::sequential);
  try {
    s.bind(l, thread.x, Combine::sequential);
    FAIL() << "two loops combine over threads";
  } catch (const ScheduleError& error) {
    EXPECT_EQ(error.message(), "k combines over thread.y already, and l stands inside it");
    EXPECT_EQ(error.note(), "fuse the two axes, and bind them as one");
  }
}

}  // namespace
}  // namespace hone

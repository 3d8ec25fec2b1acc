// Two reduction axes over the threads of a block: fused, they are bound as one.
#include <gtest/gtest.h>

#include "tests/support/random/random_program.h"
#include "tests/support/runtime/reductions.h"

namespace hone {
namespace fused_threads_test {

TEST(FusedThreads, TwoReductionAxesCombineAsOne) {
  Param M("M"), N("N");
  Tensor A("A", f32, {M, N}), S("S", f32, {});
  ReduceAxis k("k", M), l("l", N);
  const Program program("total", S() = sum({k, l}, A(k, l)));
  for (const CombineLevels& combine : all_thread_combines(256)) {
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

constexpr Combine trees[] = {{Combine::sequential},
                             {Combine::sequential, true},
                             {Combine::interleaved_modulo},
                             {Combine::interleaved_strided, true}};

/// Expects that `schedule` means the same as `program` at odd sizes.
void expect_total(const Program& program, const Schedule& schedule) {
  for (const int64_t m : {0, 1, 7, 9})
    for (const int64_t n : {1, 31, 33}) {
      const Sizes sizes = {{"M", m}, {"N", n}};
      expect_as_meant(program, schedule, sizes, random_buffers(program.function(), sizes, 7));
    }
}

struct Total {
  Param M{"M"}, N{"N"};
  Tensor A{"A", f32, {M, N}}, S{"S", f32, {}};
  ReduceAxis k{"k", M}, l{"l", N};
  Program program{"total", S() = sum({k, l}, A(k, l))};
};

/// Those of thread.x first.
TEST(FusedThreads, TwoReductionAxesCombineOneAfterTheOther) {
  const Total p;
  for (const Combine& outer : trees)
    for (const CombineLevels& inner : all_thread_combines(32)) {
      if (inner.is_atomic()) continue;
      Schedule s(p.program);
      auto [ko, ki] = s.split(p.k, 8);
      auto [lo, li] = s.split(p.l, 32);
      s.reorder({ki, li, ko, lo});
      s.bind(li, thread.x, inner);
      s.bind(ki, thread.y, outer);
      expect_total(p.program, s);
    }
}

/// Also where they do so in each turn of a loop between them, and after the threads of thread.y.
TEST(FusedThreads, TwoReductionAxesCombineInEachTurn) {
  const Total p;
  for (const Combine& outer : trees) {
    Schedule s(p.program);
    auto [ko, ki] = s.split(p.k, 5);
    auto [lo, li] = s.split(p.l, 12);
    s.reorder({ki, ko, lo, li});
    s.bind(ki, thread.y, outer);
    s.bind(li, thread.x, Combine::sequential);
    expect_total(p.program, s);
    Schedule t(p.program);
    auto [mo, mi] = t.split(p.k, 5);
    auto [no, ni] = t.split(p.l, 12);
    t.reorder({ni, mi, mo, no});
    t.bind(ni, thread.x, outer);
    t.bind(mi, thread.z, Combine::interleaved_strided);
    expect_total(p.program, t);
  }
}

TEST(FusedThreads, TwoReductionAxesLeaveTheirRestToTheLastBlock) {
  const Total p;
  for (const Combine& outer : trees) {
    Schedule s(p.program);
    auto [kb, rest] = s.split_into(p.k, 3);
    auto [ko, ki] = s.split(rest, 4);
    auto [lo, li] = s.split(p.l, 16);
    s.reorder({kb, ki, li, ko, lo});
    s.bind(kb, block.x, Combine::last_block);
    s.bind(ki, thread.y, outer);
    s.bind(li, thread.x, Combine::shuffle);
    expect_total(p.program, s);
  }
}

/// A row a block, whose result goes on from registers.
TEST(FusedThreads, TwoReductionAxesCombineIntoRegisters) {
  Param M("M"), N("N");
  Tensor A("A", i64, {M, N, 9}), S("S", tuple_of({i64, i32}), {M});
  Axis i("i", M);
  ReduceAxis k("k", N), l("l", 9);
  const auto larger = [](Expr x, Expr y) {
    const Expr is_right = first(y) > first(x) || (first(y) == first(x) && second(y) < second(x));
    return select(is_right, y, x);
  };
  const Program program("rows", S(i) = reduce({k, l}, pair(cast(i64, INT32_MIN), INT32_MAX),
                                              pair(A(i, k, l), cast(i32, k * 9 + l)), larger,
                                              {.name = "larger", .associative = true}));
  for (const Combine& outer : trees) {
    Schedule s(program);
    auto [ko, ki] = s.split(k, 6);
    s.reorder({ki, l, ko});
    s.bind(i, block.x);
    s.cache_registers(S, i);
    s.bind(ki, thread.y, outer);
    s.bind(l, thread.x, Combine::interleaved_modulo);
    for (const int64_t n : {1, 5, 6, 7, 20}) {
      const Sizes sizes = {{"M", 3}, {"N", n}};
      expect_as_meant(program, s, sizes, random_buffers(program.function(), sizes, 7));
    }
  }
}

}  // namespace fused_threads_test
}  // namespace hone

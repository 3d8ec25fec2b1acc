// Demands on the order of sums in schedules, and the orders that schedules have.
#include <gtest/gtest.h>

#include "dsl/schedule.h"

namespace hone {
namespace require_test {

struct RowSums {
  Param M{"M"}, N{"N"};
  Tensor A{"A", f32, {M, N}}, C{"C", f32, {M}};
  Axis i{"i", M};
  ReduceAxis k{"k", N};
  Schedule s{Program("f", C(i) = sum(k, A(i, k)))};
};

TEST(RequireInSchedules, IsAStepOfTheTrace) {
  RowSums p;
  p.s.require(Numbers::run_to_run);
  p.s.require(Numbers::batch_invariant);
  EXPECT_EQ(p.s.trace_text(),
            "s.require(Numbers::run_to_run);\ns.require(Numbers::batch_invariant);\n");
  RowSums other;
  other.s.replay("require(run_to_run)\nrequire(Numbers::batch_invariant)\n", "steps");
  EXPECT_EQ(to_string(other.s.function()), to_string(p.s.function()));
}

TEST(RequireInSchedules, LeavesTheScheduleAsItWasWhereItIsBroken) {
  RowSums p;
  p.s.bind(p.i, block.y);
  p.s.require(Numbers::run_to_run);
  const std::string before = to_string(p.s.function());
  EXPECT_THROW(p.s.bind(p.k, block.x, Combine::atomic), ScheduleError);
  EXPECT_EQ(to_string(p.s.function()), before);
}

TEST(RequireInSchedules, KeepsAnOrderThroughTilesAndCaches) {
  RowSums p;
  p.s.require(Numbers::same_order);
  auto [rows, row] = p.s.split(p.i, 32);
  auto [pieces, piece] = p.s.split(p.k, 8);
  p.s.bind(rows, block.x);
  p.s.bind(row, thread.x);
  p.s.cache_registers(p.C, row);
  p.s.unroll(piece);
  EXPECT_THROW(p.s.reorder({piece, pieces}), ScheduleError);
}

TEST(NumbersOfSchedules, AreThoseOfTheLoops) {
  RowSums p;
  auto [pieces, piece] = p.s.split(p.k, 8);
  p.s.bind(piece, thread.x, Combine::shuffle);
  const std::vector<SumOrder> orders = p.s.numbers();
  ASSERT_EQ(orders.size(), 1u);
  EXPECT_EQ(to_string(orders.front()),
            "C += A, in f32\n"
            "  k.1: 8 parts at once, by shuffle\n"
            "  k.0: (N + 7) / 8 terms in order");
}

}  // namespace require_test
}  // namespace hone

#include "dsl/schedule.h"
#include "gtest/gtest.h"
#include "tests/support/ir/run.h"

namespace hone {
namespace trace_test {

struct Matmul {
  Param M{"M"}, N{"N"}, K{"K"};
  Tensor A{"A", f32, {M, K}}, B{"B", f32, {K, N}}, C{"C", f32, {M, N}};
  Axis i{"i", M}, j{"j", N};
  ReduceAxis k{"k", K};
  Program program{"matmul", C(i, j) = sum(k, A(i, k) * B(k, j))};
};

/// A schedule of many primitives.
Schedule schedule_of(const Matmul& m) {
  Schedule s(m.program);
  auto [by, bx, iy, jx] = s.tile({m.i, m.j}, {16, 16});
  auto [ty, yi] = s.split(iy, 4, {.tail = Tail::exact, .names = {"ty", nullptr}});
  auto [ko, ki] = s.split(m.k, 8, {.tail = Tail::peel});
  s.unroll(ki);
  s.unroll(s.axis("k.tail"), 2);
  const Axis grid = s.fuse(by, bx, {.name = "grid"});
  s.bind(grid, block.x);
  s.launch_bounds(grid, 2);
  s.reorder({jx, ty, yi});
  s.bind(jx, thread.x);
  s.cache_registers(m.C, ty);
  s.may_alias();
  return s;
}

constexpr const char* text = R"(auto [i_0, j_0, i_1, j_1] = s.tile({i, j}, {16, 16});
auto [ty, i_1_1] = s.split(i_1, 4, {.tail = Tail::exact, .names = {"ty", nullptr}});
auto [k_0, k_1] = s.split(k, 8, {.tail = Tail::peel});
s.unroll(k_1);
s.unroll(s.axis("k.tail"), 2);
Axis grid = s.fuse(i_0, j_0, {.name = "grid"});
s.bind(grid, block.x);
s.launch_bounds(grid, 2);
s.reorder({j_1, ty, i_1_1});
s.bind(j_1, thread.x);
s.cache_registers(C, ty);
s.may_alias();
)";

TEST(Trace, PrintsAsTheCallsThatMadeIt) {
  const Matmul m;
  EXPECT_EQ(schedule_of(m).trace_text(), text);
}

/// The steps of `text`, as a program.
TEST(Trace, TheTextMakesTheSchedule) {
  const Matmul m;
  const auto& [M, N, K, A, B, C, i, j, k, program] = m;
  Schedule s(program);
  auto [i_0, j_0, i_1, j_1] = s.tile({i, j}, {16, 16});
  auto [ty, i_1_1] = s.split(i_1, 4, {.tail = Tail::exact, .names = {"ty", nullptr}});
  auto [k_0, k_1] = s.split(k, 8, {.tail = Tail::peel});
  s.unroll(k_1);
  s.unroll(s.axis("k.tail"), 2);
  Axis grid = s.fuse(i_0, j_0, {.name = "grid"});
  s.bind(grid, block.x);
  s.launch_bounds(grid, 2);
  s.reorder({j_1, ty, i_1_1});
  s.bind(j_1, thread.x);
  s.cache_registers(C, ty);
  s.may_alias();
  EXPECT_EQ(fmt::format("{}", s), fmt::format("{}", schedule_of(m)));
  EXPECT_EQ(s.trace_text(), text);
}

TEST(Trace, ReplaysInAnotherProgram) {
  const Matmul m, other;
  const Schedule s = schedule_of(m);
  Schedule replayed(other.program);
  replayed.replay(s.trace());
  EXPECT_EQ(fmt::format("{}", replayed), fmt::format("{}", s));
  EXPECT_EQ(replayed.trace_text(), s.trace_text());
}

TEST(Trace, HeadsTheFunctionAsItsHistory) {
  const Matmul m;
  Schedule s(m.program);
  s.split(m.i, 4);
  EXPECT_EQ(s.function().history,
            (llvm::SmallVector<std::string, 0>{"C(i, j) = sum(k, A(i, k) * B(k, j))",
                                               "auto [i_0, i_1] = s.split(i, 4);"}));
}

TEST(Trace, KnowsWhereAStepWasCalled) {
  const Matmul m;
  Schedule s(m.program);
  s.split(m.i, 4);
  EXPECT_EQ(s.trace()[0].location.line, __LINE__ - 1);
  EXPECT_STREQ(s.trace()[0].location.file, __FILE__);
}

TEST(Trace, RepeatsItself) {
  const Matmul m;
  Schedule s(m.program);
  s.reorder({m.k, m.j});
  s.reorder({m.j, m.k});
  s.replay(s.trace());
  EXPECT_EQ(s.trace().size(), 4u);
}

TEST(Trace, ReplaysAllOfItOrNothing) {
  const Matmul m;
  Schedule s(m.program);
  s.split(m.j, 4);
  s.split(m.k, 4);
  Tensor X("X", f32, {4, 4}), Y("Y", f32, {4, 4});
  Axis i("i", 4), j("j", 4);
  Schedule other(Program("copy", Y(i, j) = X(i, j)));
  const std::string before = fmt::format("{}", other);
  const int here = __LINE__ + 1;
  const std::string message = message_of<ScheduleError>([&] { other.replay(s.trace()); });
  EXPECT_EQ(message, fmt::format("{}:{}: error: split: copy has no axis k\n"
                                 "note: its axes are i, j.0 and j.1",
                                 __FILE__, here));
  EXPECT_EQ(fmt::format("{}", other), before);
  EXPECT_EQ(other.trace_text(), "");
}

}  // namespace trace_test
}  // namespace hone

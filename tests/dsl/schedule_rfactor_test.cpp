// rfactor as a method of schedules, and in their traces.
#include <gtest/gtest.h>

#include "dsl/schedule.h"
#include "tests/support/dsl/operands.h"
#include "tests/support/ir/expect_rewrite.h"
#include "tests/support/ir/run.h"

namespace hone {
namespace schedule_rfactor_test {

Schedule two_kernels(const Vectors& v, const Program& program) {
  Schedule s(program);
  auto [blocks, inner] = s.split(v.k, 256);
  auto [sums, block_axis, total] = s.rfactor(v.S, blocks);
  s.bind(block_axis, block.x);
  s.cache_registers(sums, block_axis);
  s.split(total, 4);
  return s;
}

TEST(ScheduleRFactor, ReturnsPartialResultsAndBothAxes) {
  const Vectors v;
  Schedule s(Program("sum", v.S() = sum(v.k, v.A(v.k))));
  auto [blocks, inner] = s.split(v.k, 256);
  const RFactor factored = s.rfactor(v.S, blocks);
  EXPECT_EQ(factored.tensor.name(), "S.rf");
  EXPECT_EQ(factored.partial.name(), "k.0");
  EXPECT_EQ(factored.partial.node()->kind, AxisKind::spatial);
  EXPECT_EQ(factored.total.name(), "k.0.S");
  EXPECT_EQ(factored.total.node()->kind, AxisKind::reduction);
}

TEST(ScheduleRFactor, PrintsAsTheCallThatMadeItAndReplays) {
  const Vectors v, other;
  const Program program("sum", v.S() = sum(v.k, v.A(v.k)));
  const Schedule s = two_kernels(v, program);
  EXPECT_EQ(s.trace_text(), R"(auto [k_0, k_1] = s.split(k, 256);
auto [S_rf, k_0_2, k_0_S] = s.rfactor(S, k_0);
s.bind(k_0_2, block.x);
s.cache_registers(S_rf, k_0_2);
auto [k_0_S_0, k_0_S_1] = s.split(k_0_S, 4);
)");
  Schedule replayed(Program("sum", other.S() = sum(other.k, other.A(other.k))));
  replayed.replay(s.trace());
  EXPECT_EQ(fmt::format("{}", replayed), fmt::format("{}", s));
  EXPECT_EQ(replayed.trace_text(), s.trace_text());
  expect_same_values(program.function(), s.function());
}

/// The trace of the test before, as a program.
TEST(ScheduleRFactor, TheTextMakesTheSchedule) {
  const Vectors v;
  const Program program("sum", v.S() = sum(v.k, v.A(v.k)));
  const auto& [N, A, B, C, S, i, k] = v;
  Schedule s(program);
  auto [k_0, k_1] = s.split(k, 256);
  auto [S_rf, k_0_2, k_0_S] = s.rfactor(S, k_0);
  s.bind(k_0_2, block.x);
  s.cache_registers(S_rf, k_0_2);
  auto [k_0_S_0, k_0_S_1] = s.split(k_0_S, 4);
  EXPECT_EQ(fmt::format("{}", s), fmt::format("{}", two_kernels(v, program)));
}

TEST(ScheduleRFactor, UsesItsAxisUp) {
  const Vectors v;
  Schedule s(Program("sum", v.S() = sum(v.k, v.A(v.k))));
  s.rfactor(v.S, v.k);
  const std::string message = message_of<ScheduleError>([&] { s.unroll(v.k); });
  EXPECT_TRUE(llvm::StringRef(message).contains("axis k no longer exists; rfactor at ")) << message;
  EXPECT_TRUE(message.ends_with(" made it k and k.S")) << message;
}

TEST(ScheduleRFactor, TakesAnOperatorOnceItIsDeclaredAssociative) {
  const Vectors v;
  const auto norm = [&](bool associative) {
    return Program("norm", v.S() = reduce({v.k}, 0.0, v.A(v.k),
                                          [](Expr x, Expr y) { return max(abs(x), abs(y)); },
                                          {.name = "absmax", .associative = associative}));
  };
  Schedule undeclared(norm(false)), declared(norm(true));
  EXPECT_THROW(undeclared.rfactor(v.S, v.k), ScheduleError);
  declared.rfactor(v.S, v.k);
  expect_same_values(norm(true).function(), declared.function());
}

}  // namespace schedule_rfactor_test
}  // namespace hone

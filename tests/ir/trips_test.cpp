#include "ir/interpret/trips.h"

#include <limits>

#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "tests/support/ir/run.h"

namespace hone {
namespace trips_test {

int64_t trips_of(const std::string& body, const Sizes& sizes) {
  const Function function = parse_function("func f[n, m](A: f32[]) { A[] = 0.0 " + body + " }");
  return count_trips(function.body, sizes);
}

TEST(Trips, OfLoopsInsideOneAnotherMultiply) {
  EXPECT_EQ(trips_of("", {}), 0);
  EXPECT_EQ(trips_of("for i in 0..n { A[] += 1.0 }", {{"n", 7}}), 7);
  EXPECT_EQ(trips_of("for i in 0..n { for j in 0..m { A[] += 1.0 } }", {{"n", 7}, {"m", 3}}), 28);
  EXPECT_EQ(
      trips_of("for i in 0..2 { for j in 0..3 { A[] = 1.0 } for k in 0..4 { A[] = 2.0 } }", {}),
      16);
}

TEST(Trips, CountWhatAConditionMayKeepFromRunning) {
  EXPECT_EQ(trips_of("if (n > 9) { for i in 0..n { A[] += 1.0 } }", {{"n", 7}}), 7);
}

TEST(Trips, AreAtMostTheLargestNumber) {
  const int64_t huge = int64_t{1} << 40;
  EXPECT_EQ(trips_of("for i in 0..n { for j in 0..n { A[] += 1.0 } }", {{"n", huge}}),
            std::numeric_limits<int64_t>::max());
}

TEST(Trips, OfAnExtentWithoutAValueAreNone) {
  EXPECT_EQ(trips_of("for i in 0..n / m { A[] += 1.0 }", {{"n", 7}, {"m", 0}}), 0);
}

TEST(Interpreter, RefusesWhatWouldTakeDays) {
  const Function function = parse_function(
      "func f[n](A: f32[]) { A[] = 0.0 for i in 0..n { for j in 0..n { A[] += 1.0 } } }");
  Buffers buffers = {{"A", Buffer(f32, {})}};
  EXPECT_EQ(
      message_of<std::invalid_argument>([&] {
        interpret(function, {{"n", 1'000'000}}, buffers);
      }),
      "f makes 1000001000000 trips through loops, and the interpreter at most 4294967296; take "
      "smaller sizes, or compile the program for the host");
}

}  // namespace trips_test
}  // namespace hone

// Threads that exchange values under conditions on values, run on the simulated device: as the
// interpreter says, without a race, and with one where any barrier is left out.
#include <gtest/gtest.h>

#include "codegen/lower.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "runtime/sim/check/check.h"
#include "tests/support/codegen/barriers.h"
#include "tests/support/runtime/sim_run.h"

namespace hone {
namespace conditions_test {

/// Eight rows of eight, reversed in place of thread.x under a condition on y.
std::string exchange_under(const std::string& condition) {
  return "func f[n](A: f32[64], B: f32[64], C: f32[64], D: f32[64]) { for b in 0..1 @block.x {\n"
         "for y in 0..8 @thread.y { if (" +
         condition + R"() {
           for x in 0..8 @thread.x { C[y*8 + x] = A[y*8 + x] - C[y*8 + x] }
           for x2 in 0..8 @thread.x { D[y*8 + x2] = C[y*8 + 7 - x2] } } } } })";
}

/// Signs that differ from row to row, and within one.
Buffers signed_values() {
  Buffers buffers;
  int64_t number = 0;
  for (const char* name : {"A", "B", "C", "D"}) {
    Buffer buffer(f32, {64});
    for (int64_t n = 0; n < 64; ++n) buffer.set(n, static_cast<double>(++number * 29 % 17) - 8);
    buffers[name] = buffer;
  }
  return buffers;
}

CheckReport report_on(const KernelFunction& kernel, const Sizes& sizes) {
  Buffers buffers = signed_values();
  std::vector<SimArgument> arguments;
  for (const TensorPtr& tensor : kernel.arguments)
    arguments.push_back({tensor->name, buffers.at(tensor->name).bytes.data(), 64});
  return check(kernel, sizes, arguments, {});
}

void expect_as_interpreted(const std::string& text, const Sizes& sizes) {
  const Function function = parse_function(text);
  const KernelFunction kernel = lower(function).kernels.front();
  Buffers expected = signed_values(), actual = expected;
  interpret(function, sizes, expected);
  run_on_sim(kernel, sizes, actual);
  for (const auto& [name, buffer] : expected)
    EXPECT_EQ(values_of(actual.at(name)), values_of(buffer)) << name << to_string(kernel);
  EXPECT_TRUE(report_on(kernel, sizes).findings.empty()) << to_string(kernel);
}

void expect_needed_barriers(int expected, const std::string& text, const Sizes& sizes) {
  const KernelFunction kernel = lower(parse_function(text)).kernels.front();
  EXPECT_EQ(count_barriers(kernel), expected) << to_string(kernel);
  for (int n = 0; n < count_barriers(kernel); ++n)
    EXPECT_FALSE(report_on(without_barrier(kernel, n), sizes).findings.empty())
        << "barrier " << n << " is redundant:\n"
        << to_string(kernel);
}

TEST(Conditions, OfThreadsThatExchangeValuesMayBeOnValues) {
  for (const char* condition : {"B[y] > 0.0", "y < n && B[y*y] < 2.0", "B[y] > 0.0 || y == n"}) {
    for (const int64_t n : {0, 1, 7, 8})
      expect_as_interpreted(exchange_under(condition), {{"n", n}});
    expect_needed_barriers(1, exchange_under(condition), {{"n", 7}});
  }
}

/// The first loop writes what the condition of the second one would read.
TEST(Conditions, AreDecidedBeforeTheirStatementsChangeThem) {
  const std::string text = exchange_under("C[y*8 + 3] > 0.0");
  expect_as_interpreted(text, {{"n", 1}});
  expect_needed_barriers(2, text, {{"n", 1}});
}

TEST(Conditions, InsideOfOthersReadOnlyWhereThoseHold) {
  const std::string text = exchange_under("y < n) { if (B[y*9 + 7] > 0.0");
  const std::string nested = text.substr(0, text.size() - 1) + "} }";
  for (const int64_t n : {0, 1, 6}) expect_as_interpreted(nested, {{"n", n}});
}

/// Rows of C, and a condition, that differ between the threads which fill the tile together.
TEST(Conditions, CopiesThatDifferBetweenThreadsAreTheirOwn) {
  for (const char* condition : {"n > 3", "y < n", "B[y] > 0.0"}) {
    const std::string text =
        "func f[n](A: f32[64], B: f32[64], C: f32[64], D: f32[64]) { for b in 0..1 @block.x {\n"
        "for y in 0..8 @thread.y { alloc s: f32[8] @shared copy s[0 .. +8] <- A[3 .. +8]\n"
        "if (" +
        std::string(condition) +
        ") { copy C[y*8 .. +8] <- s[0 .. +8] }\n"
        "for x in 0..8 @thread.x { D[y*8 + x] = s[7 - x] } } } }";
    for (const int64_t n : {0, 5, 8}) expect_as_interpreted(text, {{"n", n}});
  }
}

}  // namespace conditions_test
}  // namespace hone

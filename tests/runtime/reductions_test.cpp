// Threads and blocks that share a reduction: whatever the operator, the type, the number of threads
// and the length, the result is what the loops mean.
#include "tests/support/runtime/reductions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <regex>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"

namespace hone {
namespace reductions_test {

constexpr int64_t lengths[] = {0, 1, 31, 32, 33, 255, 257};
constexpr int64_t few_lengths[] = {0, 33, 257};
constexpr int64_t long_length[] = {1000003};
constexpr int64_t block_sizes[] = {1, 2, 31, 48, 96, 127, 1024};

TEST(SharedReductions, ByAnyNumberOfThreads) {
  const auto operations = all_operations();
  size_t turn = 0;
  for (const int64_t threads : block_sizes)
    for (const CombineLevels& within : all_thread_combines(threads)) {
      const TypedUpdate operation = operations[turn++ % operations.size()];
      if (within.is_atomic() && !is_exchanged_at_once(operation.type)) continue;
      expect_as_meant({.operation = operation, .threads = threads, .within = within}, lengths);
    }
}

TEST(SharedReductions, OfEveryTypeByEveryOperator) {
  for (const TypedUpdate& operation : all_operations()) {
    for (const CombineLevels& within : all_thread_combines(48, operation.type))
      expect_as_meant({.operation = operation, .threads = 48, .within = within}, few_lengths);
    expect_as_meant({.operation = operation, .threads = 24, .within = {Combine::shuffle}},
                    few_lengths);
  }
}

/// A lane that does not come to a shuffle has no value for the others.
TEST(SharedReductions, DecideNothingBeforeAShuffle) {
  const std::regex skipped(R"((\|\||&&|\?)[^;{}]*__shfl)");
  for (const TypedUpdate& operation : all_operations())
    for (const int64_t threads : {24, 32, 48})
      for (const CombineLevels& within : all_thread_combines(threads, operation.type)) {
        const VectorReduction reduction{
            .operation = operation, .threads = threads, .within = within};
        const std::string text = emit_cuda(lower(reduction.schedule()).kernels.front());
        EXPECT_FALSE(std::regex_search(text, skipped)) << text;
      }
}

TEST(SharedReductions, ByBlocksThatUpdateAtomically) {
  for (const TypedUpdate& operation : all_operations()) {
    if (!is_exchanged_at_once(operation.type)) continue;
    expect_as_meant({.operation = operation,
                     .threads = 64,
                     .within = {Combine::two_level},
                     .blocks = 3,
                     .across = {Combine::atomic}},
                    few_lengths);
  }
}

TEST(SharedReductions, ByTheLastBlock) {
  const auto operations = all_operations();
  size_t turn = 0;
  for (const TypedUpdate& operation : operations)
    expect_as_meant({.operation = operation,
                     .threads = 64,
                     .within = {Combine::sequential},
                     .blocks = 5,
                     .across = {Combine::last_block}},
                    few_lengths);
  for (const int64_t threads : block_sizes)
    for (const CombineLevels& within : all_thread_combines(threads)) {
      if (within.is_atomic()) continue;
      expect_as_meant({.operation = operations[turn++ % operations.size()],
                       .threads = threads,
                       .within = within,
                       .blocks = static_cast<int64_t>(turn % 7) + 1,
                       .across = {Combine::last_block, false, /*last_warp=*/turn % 2 == 0}},
                      lengths);
    }
}

TEST(SharedReductions, ByAWarpOfTheLastBlock) {
  for (const int64_t blocks : {1, 31, 32, 33, 300})
    expect_as_meant({.operation = {Update::add, i32},
                     .threads = 96,
                     .within = {Combine::two_level},
                     .blocks = blocks,
                     .across = {Combine::last_block, false, /*last_warp=*/true}},
                    lengths);
}

TEST(SharedReductions, OfMillions) {
  for (const DType type : {i32, f64}) {
    const TypedUpdate operation{Update::add, type};
    expect_as_meant({.operation = operation,
                     .threads = 256,
                     .within = {Combine::sequential, true, true},
                     .blocks = 60,
                     .across = {Combine::last_block}},
                    long_length);
    expect_as_meant({.operation = operation,
                     .threads = 1024,
                     .within = {Combine::two_level},
                     .blocks = 7,
                     .across = {Combine::atomic}},
                    long_length);
  }
  expect_as_meant(
      {.operation = {Update::max, i64}, .threads = 1024, .within = {Combine::two_level}},
      long_length);
}

// ---- Floats in another order --------------------------------------------------------------------

double pairwise_sum(const float* values, size_t count) {
  if (count <= 8) return std::accumulate(values, values + count, 0.0);
  return pairwise_sum(values, count / 2) + pairwise_sum(values + count / 2, count - count / 2);
}

/// Each thread adds up n/threads values one after the other: a bound on the error is that many
/// roundings, and those of the tree, of the sum of magnitudes.
TEST(SharedReductions, OfRandomNumbersAreAsExactAsTheirOrder) {
  constexpr int64_t size = 20011, threads = 256;
  std::mt19937 random(7);
  std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
  Buffers inputs = {{"A", Buffer(f32, {size})}, {"S", Buffer(f32, {})}};
  std::vector<float> values;
  double magnitude = 0;
  for (int64_t n = 0; n < size; ++n) {
    values.push_back(uniform(random));
    magnitude += std::abs(values.back());
    inputs["A"].set(n, values.back());
  }
  const double expected = pairwise_sum(values.data(), values.size());
  const double roundings = static_cast<double>(size) / threads + std::log2(threads) + 2;
  const double bound = roundings * std::numeric_limits<float>::epsilon() / 2 * magnitude;
  for (const CombineLevels& within : all_thread_combines(threads)) {
    if (within.is_atomic()) continue;
    const VectorReduction reduction{.threads = threads, .within = within};
    for (const Device& device : parallel_devices()) {
      const Kernel kernel = compile(reduction.schedule(), {.device = device});
      const Buffers results = run_kernel(kernel, {{"N", size}}, inputs);
      EXPECT_NEAR(results.find("S")->second.get(0), expected, bound) << reduction.describe();
    }
  }
}

// ---- Identities, infinities, NaN ----------------------------------------------------------------

/// The reduction of a row of f32, by all the ways.
void expect_result(Update update, const std::vector<float>& values, float expected) {
  const auto size = static_cast<int64_t>(values.size());
  Buffers inputs = {{"A", Buffer(f32, {size})}, {"S", Buffer(f32, {})}};
  for (int64_t n = 0; n < size; ++n) inputs["A"].set(n, values[n]);
  for (const CombineLevels& within : all_thread_combines(31)) {
    const VectorReduction reduction{.operation = {update, f32}, .threads = 31, .within = within};
    for (const Device& device : parallel_devices()) {
      const Kernel kernel = compile(reduction.schedule(), {.device = device});
      const auto actual =
          static_cast<float>(run_kernel(kernel, {{"N", size}}, inputs).find("S")->second.get(0));
      EXPECT_TRUE(actual == expected || (std::isnan(actual) && std::isnan(expected)))
          << actual << ", not " << expected << ": " << reduction.describe();
    }
  }
}

TEST(SharedReductions, AMaximumOfNegativeNumbersIsNegative) {
  expect_result(Update::max, {-3, -1.5, -7}, -1.5F);
  expect_result(Update::max, std::vector<float>(40, -2.0F), -2.0F);
  expect_result(Update::min, {3, 1.5, 7}, 1.5F);
}

TEST(SharedReductions, ANaNLosesAgainstANumberAndSpoilsASum) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  expect_result(Update::max, {nan, -3, -1}, -1);
  expect_result(Update::max, {-3, nan, -1, nan}, -1);
  expect_result(Update::min, {-3, -1, nan}, -3);
  expect_result(Update::max, {nan, nan}, -infinity);
  expect_result(Update::add, {1, nan, 2}, nan);
  expect_result(Update::add, {infinity, 1, -infinity}, nan);
  expect_result(Update::mul, {2, -infinity}, -infinity);
}

}  // namespace reductions_test
}  // namespace hone

#include "runtime/parallel.h"

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "gtest/gtest.h"

namespace hone {
namespace parallel_test {

TEST(ParallelFor, CallsOnceForEachNumber) {
  for (const size_t count : {0, 1, 2, 1000}) {
    std::vector<std::atomic<int>> calls(count);
    parallel_for(count, [&](size_t n) { ++calls[n]; });
    for (const auto& number : calls) EXPECT_EQ(number, 1);
  }
}

TEST(ParallelFor, MakesAllCallsAndRethrowsTheErrorOfTheLeastNumber) {
  std::atomic<int> calls{0};
  try {
    parallel_for(100, [&](size_t n) {
      ++calls;
      if (n % 10 == 7) throw std::runtime_error(std::to_string(n));
    });
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "7");
  }
  EXPECT_EQ(calls, 100);
}

}  // namespace parallel_test
}  // namespace hone

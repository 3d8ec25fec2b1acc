// Floats that become integers, as a GPU converts them: the nearest value that the type holds.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dsl/schedule.h"
#include "runtime/compile.h"

namespace hone {
namespace conversions_test {

std::vector<Device> devices() {
  std::vector<Device> all = {Device::host(), Device::simulated()};
  if (Device::best().kind() == DeviceKind::cuda) all.push_back(Device::best());
  return all;
}

template <class T>
std::vector<T> converted(const std::vector<double>& values, const Device& device) {
  const auto size = static_cast<int64_t>(values.size());
  const Tensor X("X", f64, {size}), Y("Y", dtype_of<T>, {size});
  const Axis i("i", size);
  const Array<T> result({size}, device);
  compile(Schedule(Program("convert", Y(i) = cast(dtype_of<T>, X(i)))), {.device = device})(
      Array<double>(values, {size}, device), result);
  return result.to_vector();
}

template <class T>
void expect_the_nearest_values() {
  const T least = std::numeric_limits<T>::min(), greatest = std::numeric_limits<T>::max();
  const auto below = std::ldexp(static_cast<double>(least) - 1, 1);
  for (const Device& device : devices())
    EXPECT_EQ(converted<T>({-1e30, -INFINITY, below, 1e30, INFINITY, 1.9, 0.5, -0.5, 100}, device),
              (std::vector<T>{least, least, least, greatest, greatest, 1, 0, 0, 100}))
        << to_string(device);
}

TEST(Conversions, TakeTheNearestIntegerThatTheTypeHolds) {
  expect_the_nearest_values<int32_t>();
  expect_the_nearest_values<int64_t>();
  expect_the_nearest_values<int8_t>();
  expect_the_nearest_values<uint8_t>();
}

TEST(Conversions, CutOffTowardsZero) {
  for (const Device& device : devices())
    EXPECT_EQ(converted<int32_t>({-2.9, 2.9, 2147483646.5, -2147483648.5}, device),
              (std::vector<int32_t>{-2, 2, 2147483646, std::numeric_limits<int32_t>::min()}));
}

}  // namespace conversions_test
}  // namespace hone

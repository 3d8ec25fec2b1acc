// Pages of large arrays.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "gtest/gtest.h"
#include "runtime/array.h"
#include "runtime/host_memory.h"

namespace hone {
namespace array_pages_test {

constexpr int64_t large = 2 << 20;  // of elements of four bytes

/// True if any page of the array's memory has been touched.
bool is_touched(const AnyArray& array) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> resident((array.bytes() + page - 1) / page);
  EXPECT_EQ(mincore(array.data(), array.bytes(), resident.data()), 0);
  return std::any_of(resident.begin(), resident.end(), [](int one) { return (one & 1) != 0; });
}

TEST(ArrayPages, OfLargeArraysAreTakenWhenTheyAreTouched) {
  const Array<int32_t> zeros({large});
  EXPECT_FALSE(is_touched(zeros));
  EXPECT_FALSE(is_touched(zeros.clone()));
  EXPECT_EQ(zeros.host_data()[large - 1], 0);
  zeros.host_data()[large / 2] = 7;
  EXPECT_TRUE(is_touched(zeros));
  EXPECT_EQ(Array<int32_t>(zeros.clone()).to_vector(), zeros.to_vector());
}

/// An array of so many elements, of which the first `period` are repeated.
Array<int32_t> repeated(int64_t size, int64_t period) {
  Array<int32_t> array({size});
  for (int64_t n = 0; n < period; ++n) array.host_data()[n] = static_cast<int32_t>(n + 1);
  repeat_start(array.data(), array.bytes(), period * sizeof(int32_t));
  return array;
}

TEST(ArrayPages, RepeatTheStartOfAnArray) {
  for (const int64_t period : {1000, 1024, 65536})
    for (const int64_t size : {int64_t{3000}, large, large + 1, 40 * large + 12345}) {
      const Array<int32_t> array = repeated(size, std::min(period, size));
      for (int64_t n = 0; n < size; ++n)
        ASSERT_EQ(array.host_data()[n], n % period + 1) << period << " " << size << " " << n;
    }
}

TEST(ArrayPages, AreTheirOwnOnceTheyAreWritten) {
  const Array<int32_t> array = repeated(large, 1024);
  array.host_data()[1024] = -1;
  EXPECT_EQ(array.host_data()[0], 1);
  EXPECT_EQ(array.host_data()[2048], 1);
  EXPECT_EQ(array.host_data()[1025], 2);
  array.host_data()[0] = -2;
  EXPECT_EQ(array.host_data()[4096], 1);
}

TEST(ArrayPages, OfZerosAreNotCopied) {
  std::vector<int32_t> source(large);
  source[1] = 1;
  source[large - 1] = 2;
  const Array<int32_t> target({large});
  copy_to_zeros(target.data(), source.data(), 0);
  EXPECT_FALSE(is_touched(target));
  copy_to_zeros(target.data(), source.data(), target.bytes());
  EXPECT_EQ(target.to_vector(), source);
}

}  // namespace array_pages_test
}  // namespace hone

#include "runtime/array.h"

#include <limits>

#include "gtest/gtest.h"
#include "runtime/cuda_driver.h"
#include "tests/support/runtime/errors.h"
#include "tests/support/runtime/fake_cuda.h"

namespace hone {
namespace {

constexpr int64_t huge = std::numeric_limits<int64_t>::max();

TEST(Array, IsZeroedAndRowMajor) {
  Array<float> array({2, 3});
  EXPECT_EQ(array.size(), 6);
  EXPECT_EQ(array.bytes(), 24u);
  EXPECT_EQ(array.dtype(), f32);
  EXPECT_EQ(array.to_vector(), std::vector<float>(6));
  array.host_data()[1 * 3 + 2] = 7;
  EXPECT_EQ(array.to_vector(), (std::vector<float>{0, 0, 0, 0, 0, 7}));
}

TEST(Array, SharesItsElementsWithACopyAndNotWithAClone) {
  const Array<int32_t> array({1, 2, 3}, {3});
  const Array<int32_t> same = array, clone = array.clone();
  array.host_data()[0] = 9;
  EXPECT_EQ(same.to_vector(), (std::vector<int32_t>{9, 2, 3}));
  EXPECT_EQ(clone.to_vector(), (std::vector<int32_t>{1, 2, 3}));
}

TEST(Array, MovesToADeviceAsACopyUnlessItIsThere) {
  const Array<int32_t> array({1, 2, 3}, {3});
  EXPECT_EQ(array.to(Device::host()).data(), array.data());
  const Array<int32_t> moved = array.to(Device::simulated());
  EXPECT_EQ(moved.device(), Device::simulated());
  array.host_data()[0] = 9;
  EXPECT_EQ(moved.to_vector(), (std::vector<int32_t>{1, 2, 3}));
}

TEST(Array, TravelsBetweenGpus) {
  const FakeCuda cuda;
  const Array<int32_t> array({1, 2, 3}, {3}, cuda.device(0));
  const Array<int32_t> other = array.to(cuda.device(1));
  EXPECT_EQ(other.device(), cuda.device(1));
  EXPECT_EQ(other.to_vector(), (std::vector<int32_t>{1, 2, 3}));
  EXPECT_EQ(other.clone().to(Device::host()).to_vector(), (std::vector<int32_t>{1, 2, 3}));
}

TEST(Array, OnAGpuCannotBeReadInPlace) {
  const FakeCuda cuda;
  const Array<float> array({2, 2}, cuda.device());
  EXPECT_EQ(thrown_message<RuntimeError>([&] { array.host_data(); }),
            "the elements of f32[2, 2] on cuda:0 cannot be read on the host; use to_vector()");
}

TEST(Array, IsAlignedForTheWidestAccess) {
  for (const int64_t size : {1, 3, 255, 257}) {
    const Array<int8_t> array({size});
    EXPECT_EQ(reinterpret_cast<uintptr_t>(array.data()) % 256, 0u) << size;
  }
}

TEST(Array, MayHaveNoElements) {
  const FakeCuda cuda;
  for (const Device& device : {Device::host(), Device::simulated(), cuda.device()}) {
    const Array<double> array({3, 0, huge}, device);
    EXPECT_EQ(array.size(), 0);
    EXPECT_EQ(array.data(), nullptr);
    EXPECT_EQ(array.to_vector(), std::vector<double>());
    EXPECT_EQ(array.clone().size(), 0);
    EXPECT_EQ(array.to(Device::host()).shape(), array.shape());
  }
}

TEST(Array, WithoutDimensionsHasOneElement) {
  EXPECT_EQ(Array<float>(std::vector<int64_t>{}).size(), 1);
}

TEST(Array, RefusesANegativeExtent) {
  EXPECT_EQ(thrown_message<RuntimeError>([] {
              Array<float>({2, -3});
            }),
            "f32[2, -3] has a negative extent");
  EXPECT_EQ(thrown_message<RuntimeError>([] {
              Array<float>({0, -3});
            }),
            "f32[0, -3] has a negative extent");
}

TEST(Array, RefusesASizeThatOverflows) {
  EXPECT_EQ(thrown_message<RuntimeError>([] {
              Array<uint8_t>({huge, 2});
            }),
            "u8[9223372036854775807, 2] takes more than 2^63 - 1 bytes");
  EXPECT_EQ(thrown_message<RuntimeError>([] { Array<float>({int64_t{1} << 61}); }),
            "f32[2305843009213693952] takes more than 2^63 - 1 bytes");
  EXPECT_EQ(thrown_message<RuntimeError>([] {
              Array<float>({int64_t{1} << 32, int64_t{1} << 32});
            }),
            "f32[4294967296, 4294967296] takes more than 2^63 - 1 bytes");
}

TEST(Array, SaysHowMuchMemoryTheHostLacks) {
  EXPECT_EQ(thrown_message<OutOfMemoryError>([] { Array<uint8_t>({huge}); }),
            fmt::format("out of memory on the host: 9223372036854775807 bytes wanted, {} bytes "
                        "installed",
                        Device::host().properties().memory_bytes));
}

TEST(Array, RefusesValuesThatDoNotFillItsShape) {
  EXPECT_EQ(thrown_message<RuntimeError>([] {
              Array<float>({1, 2, 3}, {2, 2});
            }),
            "3 values do not fill f32[2, 2] on host, which has 4 elements");
}

TEST(Array, RefusesElementsOfAnotherType) {
  const AnyArray array(i32, {2}, Device::simulated());
  EXPECT_EQ(Array<int32_t>(array).data(), array.data());
  EXPECT_EQ(thrown_message<RuntimeError>([&] { Array<float> typed(array); }),
            "i32[2] on sim is not an array of f32");
}

template <class T>
void expect_round_trip(std::vector<T> values) {
  const FakeCuda cuda;
  const auto size = static_cast<int64_t>(values.size());
  for (const Device& device : {Device::host(), Device::simulated(), cuda.device()})
    EXPECT_EQ(Array<T>(values, {size}, device).to_vector(), values);
}

TEST(Array, KeepsElementsOfEveryType) {
  expect_round_trip<double>({1.5, -2});
  expect_round_trip<float>({1.5F, -2});
  expect_round_trip<Half>({Half(1.5F), Half(-2)});
  expect_round_trip<BFloat16>({BFloat16(1.5F), BFloat16(-2)});
  expect_round_trip<int64_t>({huge, -1});
  expect_round_trip<int32_t>({7, -1});
  expect_round_trip<int8_t>({127, -128});
  expect_round_trip<uint8_t>({0, 255});
  expect_round_trip<bool>({true, false, true});
}

TEST(Half, RoundsAsTheirFormatsDo) {
  EXPECT_EQ(Half(1.0F).bits, 0x3c00);
  EXPECT_EQ(Half(65536.0F).bits, 0x7c00);
  EXPECT_EQ(static_cast<float>(Half(0.1F)), 0.0999755859375F);
  EXPECT_EQ(BFloat16(1.0F).bits, 0x3f80);
  EXPECT_EQ(static_cast<float>(BFloat16(0.1F)), 0.10009765625F);
}

}  // namespace
}  // namespace hone

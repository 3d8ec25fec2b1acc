#include "runtime/array.h"

#include <limits>
#include <numeric>

#include "gtest/gtest.h"
#include "runtime/cuda/cuda_driver.h"
#include "tests/support/runtime/errors.h"
#include "tests/support/runtime/fake_cuda.h"

namespace hone {
namespace array_test {

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

TEST(Array, WithoutDimensionsIsMadeOfOneValue) {
  const FakeCuda cuda;
  for (const Device& device : {Device::host(), cuda.device()}) {
    const Array<float> array({2.5F}, {}, device);
    EXPECT_EQ(array.shape(), std::vector<int64_t>());
    EXPECT_EQ(array.bytes(), 4u);
    EXPECT_EQ(array.clone().with_layout({}).to_vector(), std::vector<float>{2.5F});
  }
}

std::vector<int> memory_of(const AnyArray& array) {
  const AnyArray on_host = array.to(Device::host());
  const auto* elements = static_cast<const int*>(on_host.data());
  return {elements, elements + array.storage_size()};
}

const std::vector<int> counting = {1, 2, 3, 4, 5, 6};

TEST(Array, ColumnsLieSideBySideInAColumnMajorOne) {
  const Array<int> array(counting, {2, 3}, Device::host(), Layout::column_major());
  EXPECT_EQ(memory_of(array), (std::vector<int>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(array.to_vector(), counting);
  EXPECT_EQ(array.order(), (llvm::SmallVector<int, 4>{1, 0}));
  EXPECT_EQ(array.strides(), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(array.row_pitch(), 2);
  EXPECT_EQ(array.describe(), "i32[2, 3] @order(1, 0) on host");
}

TEST(Array, RowsLieAPitchApart) {
  const Array<int> array(counting, {2, 3}, Device::host(), Layout().pitch(5));
  EXPECT_EQ(memory_of(array), (std::vector<int>{1, 2, 3, 0, 0, 4, 5, 6, 0, 0}));
  EXPECT_EQ(array.to_vector(), counting);
  EXPECT_EQ(array.size(), 6);
  EXPECT_EQ(array.storage_size(), 10);
  EXPECT_EQ(array.bytes(), 40u);
  EXPECT_EQ(array.row_pitch(), 5);
  EXPECT_EQ(array.describe(), "i32[2, 3] @pitch(5) on host");
}

TEST(Array, RowsOfAColumnMajorOneAreItsColumns) {
  const Array<int> array(counting, {2, 3}, Device::host(), Layout::column_major().pitch(4));
  EXPECT_EQ(memory_of(array), (std::vector<int>{1, 4, 0, 0, 2, 5, 0, 0, 3, 6, 0, 0}));
  EXPECT_EQ(array.to_vector(), counting);
}

TEST(Array, HasAnyOrderOfItsDimensions) {
  std::vector<int> values(24);
  std::iota(values.begin(), values.end(), 0);
  const Layout layout = Layout::order({1, 2, 0});
  const Array<int> array(values, {2, 3, 4}, Device::host(), layout);
  EXPECT_EQ(array.strides(), (std::vector<int64_t>{1, 8, 2}));
  EXPECT_EQ(array.to_vector(), values);
  EXPECT_EQ(memory_of(array)[1 * 1 + 2 * 8 + 3 * 2], values[1 * 12 + 2 * 4 + 3]);
}

TEST(Array, ALayoutThatSaysNothingIsRowMajor) {
  const Array<int> array(counting, {2, 3}, Device::host(), Layout::order({0, 1}).pitch(3));
  EXPECT_TRUE(array.layout().is_row_major());
  EXPECT_EQ(array.with_layout({}).data(), array.data());
  EXPECT_EQ(array.describe(), "i32[2, 3] on host");
}

TEST(Array, ChangesItsLayoutInACopy) {
  const FakeCuda cuda;
  for (const Device& device : {Device::host(), Device::simulated(), cuda.device()}) {
    const Array<int> array(counting, {2, 3}, device);
    const Array<int> columns = array.with_layout(Layout::column_major());
    EXPECT_EQ(columns.device(), device);
    EXPECT_EQ(memory_of(columns), (std::vector<int>{1, 4, 2, 5, 3, 6}));
    EXPECT_EQ(columns.with_layout(Layout::column_major()).data(), columns.data());
    EXPECT_EQ(memory_of(columns.with_layout({})), counting);
  }
}

TEST(Array, KeepsItsLayoutOnTheWay) {
  const FakeCuda cuda;
  const Array<int> array(counting, {2, 3}, Device::host(), Layout::column_major().pitch(3));
  const Array<int> moved = array.to(cuda.device(0)).to(cuda.device(1)).clone();
  EXPECT_EQ(moved.describe(), "i32[2, 3] @order(1, 0) @pitch(3) on cuda:1");
  EXPECT_EQ(memory_of(moved), memory_of(array));
  EXPECT_EQ(moved.to_vector(), counting);
}

TEST(Array, TakesElementsAndLeavesTheGaps) {
  const FakeCuda cuda;
  for (const Device& device : {Device::host(), cuda.device()}) {
    Array<int> array({2, 3}, device, Layout().pitch(4));
    array.copy_from_host(std::vector<int>(8, -1).data());
    array.copy_elements(Array<int>(counting, {2, 3}, cuda.device(1), Layout::column_major()));
    EXPECT_EQ(memory_of(array), (std::vector<int>{1, 2, 3, -1, 4, 5, 6, -1}));
  }
}

TEST(Array, RefusesElementsThatDoNotFillIt) {
  Array<int> array({2, 3});
  EXPECT_EQ(thrown_message<RuntimeError>([&] {
              array.copy_elements(Array<int>({3, 2}, Device::host(), Layout().pitch(8)));
            }),
            "the elements of i32[3, 2] @pitch(8) on host do not fill i32[2, 3] on host");
  EXPECT_EQ(thrown_message<RuntimeError>([&] {
              array.copy_elements(Array<float>({2, 3}));
            }),
            "the elements of f32[2, 3] on host do not fill i32[2, 3] on host");
}

template <class T>
void expect_layouts_keep(const std::vector<T>& values) {
  const Array<T> array(values, {2, 2}, Device::host(), Layout::column_major().pitch(3));
  EXPECT_EQ(array.to_vector(), values);
  EXPECT_EQ(array.with_layout(Layout().pitch(9)).to_vector(), values);
}

TEST(Array, LaysOutElementsOfEverySize) {
  expect_layouts_keep<double>({1.5, -2, 3, 4});
  expect_layouts_keep<float>({1.5F, -2, 3, 4});
  expect_layouts_keep<Half>({Half(1.5F), Half(-2), Half(3), Half(4)});
  expect_layouts_keep<int8_t>({127, -128, 3, 4});
  expect_layouts_keep<bool>({true, false, false, false});
}

TEST(Array, WithALayoutMayHaveNoElements) {
  const Array<int> columns({3, 0, huge}, Device::host(), Layout::order({2, 1, 0}));
  EXPECT_EQ(columns.data(), nullptr);
  EXPECT_EQ(columns.to_vector(), std::vector<int>());
  const Array<int> gaps({3, 0}, Device::host(), Layout().pitch(8));
  EXPECT_EQ(gaps.size(), 0);
  EXPECT_EQ(gaps.storage_size(), 24);
  EXPECT_EQ(gaps.to_vector(), std::vector<int>());
  EXPECT_EQ(Array<int>({0, huge, huge}).with_layout(Layout::order({2, 0, 1})).size(), 0);
}

std::string layout_refusal(std::vector<int64_t> shape, const Layout& layout) {
  return thrown_message<RuntimeError>([&] { Array<float>(shape, Device::host(), layout); });
}

TEST(Array, RefusesALayoutThatIsNoneForMemory) {
  EXPECT_EQ(layout_refusal({2, 3}, Layout::order({0, 0})),
            "the layout of f32[2, 3]: its order (0, 0) does not name each of 2 dimensions once");
  EXPECT_EQ(layout_refusal({2, 3}, Layout().pitch(2)),
            "the layout of f32[2, 3]: the pitch 2 is less than a row of 3 elements");
  EXPECT_EQ(layout_refusal({2, 3}, Layout::column_major().pitch(1)),
            "the layout of f32[2, 3]: the pitch 1 is less than a row of 2 elements");
  EXPECT_EQ(layout_refusal({2, 3}, Layout().pitch(ParamRef::make(make_param("lda")))),
            "the layout of f32[2, 3]: the pitch lda is not a number");
  EXPECT_EQ(layout_refusal({2, 3}, Layout().pad(4)),
            "the layout of f32[2, 3]: a padding is for shared memory; say how far its rows lie "
            "apart: pitch(7)");
  EXPECT_EQ(layout_refusal({2, 32}, Layout().swizzle({4, 8, 1})),
            "the layout of f32[2, 32]: a swizzle is for shared memory");
  EXPECT_EQ(layout_refusal({}, Layout().pitch(1)), "the layout of f32[]: it has no dimensions");
  EXPECT_EQ(layout_refusal({huge / 16, 2}, Layout().pitch(8)),
            "f32[576460752303423487, 8] takes more than 2^63 - 1 bytes");
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
            fmt::format("out of memory on the host: 9223372036854775807 bytes wanted for "
                        "u8[9223372036854775807], 0 in use, {} installed",
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
  expect_round_trip<TensorFloat32>({TensorFloat32(1.5F), TensorFloat32(-2)});
  expect_round_trip<Float8E4M3>({Float8E4M3(1.5F), Float8E4M3(-2)});
  expect_round_trip<Float8E5M2>({Float8E5M2(1.5F), Float8E5M2(-2)});
  expect_round_trip<int64_t>({huge, -1});
  expect_round_trip<int32_t>({7, -1});
  expect_round_trip<int8_t>({127, -128});
  expect_round_trip<uint8_t>({0, 255});
  expect_round_trip<bool>({true, false, true});
}

TEST(NarrowFloats, RoundAsTheirFormatsDo) {
  EXPECT_EQ(Half(1.0F).bits, 0x3c00);
  EXPECT_EQ(Half(65536.0F).bits, 0x7c00);
  EXPECT_EQ(static_cast<float>(Half(0.1F)), 0.0999755859375F);
  EXPECT_EQ(BFloat16(1.0F).bits, 0x3f80);
  EXPECT_EQ(static_cast<float>(BFloat16(0.1F)), 0.10009765625F);
  EXPECT_EQ(static_cast<float>(TensorFloat32(0.1F)), 0.0999755859375F);
  EXPECT_EQ(static_cast<float>(Float8E4M3(0.1F)), 0.1015625F);
  EXPECT_EQ(static_cast<float>(Float8E4M3(1000)), 448);
  EXPECT_EQ(static_cast<float>(Float8E5M2(0.1F)), 0.09375F);
}

/// Its lower bits count for nothing: what is read is no more than tensor cores take.
TEST(Array, OfFloatsIsOneOfTf32) {
  const Tensor X("X", tf32, {2}), Y("Y", f32, {2});
  const Axis i("i", 2);
  const Array<float> x({1 + 0x1p-10F + 0x1p-11F, -3}, {2}), y({2});
  compile(Schedule(Program("widen", Y(i) = cast(f32, X(i)))), {.device = Device::simulated()})(x,
                                                                                               y);
  EXPECT_EQ(y.to_vector(), (std::vector<float>{1 + 0x1p-10F, -3}));
  AnyArray copy(tf32, {2});
  copy.copy_elements(x);
  EXPECT_EQ(Array<TensorFloat32>(copy).to_vector()[1], TensorFloat32(-3));
}

}  // namespace array_test
}  // namespace hone

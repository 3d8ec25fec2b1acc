// Arrays that choose their pitch, and kernels that take them.
#include "runtime/pitch.h"

#include <gtest/gtest.h>

#include "dsl/schedule.h"
#include "runtime/compile.h"

namespace hone {
namespace pitch_test {

TEST(PitchedArray, BeginsEachRowAtAMultipleOf512Bytes) {
  EXPECT_EQ(pitched_array<float>({3, 5}).row_pitch(), 128);
  EXPECT_EQ(pitched_array<float>({3, 128}).row_pitch(), 128);
  EXPECT_EQ(pitched_array<float>({3, 129}).row_pitch(), 256);
  EXPECT_EQ(pitched_array<double>({3, 65}).row_pitch(), 128);
  EXPECT_EQ(pitched_array<uint8_t>({3, 513}).row_pitch(), 1024);
  EXPECT_EQ((pitched_array<std::pair<float, float>>({3, 1}).row_pitch()), 64);
}

TEST(PitchedArray, BeginsColumnsSoWhereTheyAreItsRows) {
  const Array<float> array = pitched_array<float>({5, 300}, Device::host(), Layout::column_major());
  EXPECT_EQ(array.row_pitch(), 128);
  EXPECT_EQ(array.strides(), (std::vector<int64_t>{1, 128}));
  EXPECT_EQ(array.storage_size(), 300 * 128);
}

TEST(PitchedArray, TakesThePlaceOfAnotherPitch) {
  EXPECT_EQ(pitched_array<float>({3, 5}, Device::host(), Layout().pitch(7)).row_pitch(), 128);
}

TEST(PitchedArray, MayHaveNoElementsAndNoDimensions) {
  EXPECT_EQ(pitched_array<float>({3, 0}).size(), 0);
  EXPECT_EQ(pitched_array<float>({0, 5}).size(), 0);
  EXPECT_EQ(pitched_array<float>({}).size(), 1);
}

TEST(PitchedArray, RefusesWhatNoArrayTakes) {
  const auto refusal = [](auto make) -> std::string {
    try {
      make();
    } catch (const RuntimeError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(refusal([] {
              return pitched_array<float>({-1, 5});
            }),
            refusal([] {
              return Array<float>({-1, 5});
            }));
  EXPECT_EQ(refusal([] {
              return pitched_array<float>({5, -1});
            }),
            refusal([] {
              return Array<float>({5, -1});
            }));
  EXPECT_EQ(
      refusal([] { return pitched_array<float>({5}, Device::host(), Layout::column_major()); }),
      refusal([] { return Array<float>({5}, Device::host(), Layout::column_major()); }));
}

/// A launch takes the pitch from the array.
TEST(PitchedArray, IsWhatAKernelOfAnyPitchTakes) {
  const Param M("M"), N("N"), lda("lda"), ldb("ldb");
  const Tensor A("A", f32, {M, N}, Layout::column_major().pitch(lda));
  const Tensor B("B", f32, {M, N}, Layout().pitch(ldb));
  const Axis i("i", M), j("j", N);
  const Kernel kernel =
      compile(Schedule(Program("copy", B(i, j) = A(i, j) * 2)), {.device = Device::host()});
  const Array<float> a = pitched_array<float>({2, 3}, Device::host(), Layout::column_major());
  const Array<float> b = pitched_array<float>({2, 3});
  for (int n = 0; n < 6; ++n) a.host_data()[n / 3 + n % 3 * a.row_pitch()] = static_cast<float>(n);
  kernel(a, b);
  EXPECT_EQ(b.to_vector(), (std::vector<float>{0, 2, 4, 6, 8, 10}));
}

}  // namespace pitch_test
}  // namespace hone

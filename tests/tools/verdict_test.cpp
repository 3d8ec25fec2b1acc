#include <cmath>
#include <cstring>
#include <limits>

#include "examples/ladders/ladders.h"
#include "gmock/gmock.h"
#include "tools/cli/judge/trial.h"

namespace hone {
namespace verdict_test {

using testing::HasSubstr;

/// The elements, each of which rounding may take `allowed` away.
template <class T>
ExpectedTensor expected_elements(const std::vector<T>& elements, std::vector<int64_t> shape,
                                 double allowed) {
  const TensorPtr tensor = make_tensor("C", dtype_of<T>, {});
  if constexpr (!std::is_arithmetic_v<T> || std::is_floating_point_v<T>) {
    std::vector<double> values;
    for (const T& element : elements) values.push_back(static_cast<float>(element));
    ExpectedTensor expected{tensor, Array<double>(values, shape)};
    expected.errors = {Array<double>(std::vector<double>(elements.size(), allowed), shape)};
    return expected;
  } else {
    return {tensor, Array<T>(elements, shape)};
  }
}

template <class T>
Verdict compared(const std::vector<T>& output, const std::vector<T>& elements,
                 std::vector<int64_t> shape, double allowed = 1e-5) {
  return compare(Array<T>(output, shape), expected_elements(elements, shape, allowed));
}

TEST(Verdict, PassesEqualArrays) {
  const Verdict verdict = compared<float>({1, 2, 3}, {1, 2, 3}, {3});
  EXPECT_EQ(verdict.mismatch, "");
  EXPECT_EQ(verdict.deviation, 0);
  EXPECT_EQ(deviation_text(verdict), "exact");
}

TEST(Verdict, PassesArraysWithoutElements) {
  EXPECT_EQ(compared<float>({}, {}, {0, 4}).mismatch, "");
  EXPECT_EQ(compared<int32_t>({}, {}, {0}).mismatch, "");
}

TEST(Verdict, PassesWhatRoundingExplains) {
  const Verdict verdict = compared<float>({1 + 9e-6f}, {1}, {1});
  EXPECT_EQ(verdict.mismatch, "");
  EXPECT_NEAR(verdict.deviation, 9e-6, 1e-7);
  EXPECT_NEAR(verdict.used, 0.9, 0.01);
  EXPECT_EQ(measured_text(verdict),
            "8.9e-06; 89 % of the difference that roundings of f32 explain");
  EXPECT_EQ(compared<Half>({Half(1.009f)}, {Half(1)}, {1}, 0.01).mismatch, "");
}

TEST(Verdict, RefusesMoreThanRoundingExplains) {
  EXPECT_NE(compared<float>({1 + 2e-5f}, {1}, {1}).mismatch, "");
  EXPECT_NE(compared<Half>({Half(1.02f)}, {Half(1)}, {1}, 0.01).mismatch, "");
  EXPECT_NE(compared<float>({1 + 1e-6f}, {1}, {1}, 0).mismatch, "");
}

TEST(Verdict, CallsTheNearestValueOfTheTypeExact) {
  ExpectedTensor third = expected_elements<float>({0}, {1}, 0);
  third.values = Array<double>({1.0 / 3}, {1});
  EXPECT_EQ(deviation_text(compare(Array<float>({1.0f / 3}, {1}), third)), "exact");
}

TEST(Verdict, NamesTheFirstElementThatDiffers) {
  EXPECT_EQ(compared<float>({1, 2, 3, 5, 6, 6}, {1, 2, 3, 4, 5, 6}, {2, 3}).mismatch,
            "C[1, 0] is 5, and the program without a schedule gives 4 (off by 1, and roundings of "
            "f32 explain 1e-05)");
  EXPECT_EQ(compared<float>({1}, {2}, {}).mismatch.substr(0, 8), "C is 1, ");
}

TEST(Verdict, PassesANaNWhereTheReferenceHasOne) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(compared<float>({1, nan}, {1, 2}, {2}).mismatch,
              HasSubstr("C[1] is nan, and the program without a schedule gives 2"));
  EXPECT_THAT(compared<float>({1}, {nan}, {1}).mismatch, HasSubstr("gives nan"));
  EXPECT_EQ(compared<float>({nan, 1}, {nan, 1}, {2}).mismatch, "");
  EXPECT_EQ(compared<float>({nan}, {nan}, {1}).deviation, 0);
}

TEST(Verdict, SaysThatNothingHasWrittenAnElement) {
  float unwritten = 0;
  std::memset(&unwritten, 0xff, sizeof unwritten);
  EXPECT_THAT(compared<float>({1, unwritten}, {1, 2}, {2}).mismatch,
              HasSubstr("C[1] is -nan, as memory is that nothing has written, and the program "));
  EXPECT_THAT(compared<int32_t>({1, 0x5a5a5a5a}, {1, 2}, {2}).mismatch,
              HasSubstr("C[1] is 1515870810, as memory is that nothing has written, and the "));
  EXPECT_THAT(compared<float>({1, unwritten}, {1, NAN}, {2}).mismatch,
              HasSubstr("C[1] is -nan, as memory is that nothing has written, and the program "));
}

TEST(Verdict, NamesTheNaNOrWhatIsWrongBeforeIt) {
  const float nan = NAN;
  EXPECT_EQ(compared<float>({1, 2, nan}, {1, 2, 3}, {3}).mismatch,
            "C[2] is nan, and the program without a schedule gives 3");
  EXPECT_THAT(compared<float>({1, 2, 3}, {1, 2, nan}, {3}).mismatch,
              HasSubstr("C[2] is 3, and the program without a schedule gives nan"));
  EXPECT_THAT(compared<float>({1, 7, nan}, {1, 2, nan}, {3}).mismatch, HasSubstr("C[1] is 7"));
  EXPECT_THAT(compared<float>({nan, nan, 7}, {1, 2, 3}, {3}).mismatch, HasSubstr("C[0] is nan"));
}

TEST(Verdict, PassesAnInfinityWhereTheReferenceHasIt) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(compared<float>({infinity, 1}, {infinity, 1}, {2}).mismatch, "");
  EXPECT_NE(compared<float>({infinity}, {-infinity}, {1}).mismatch, "");
  EXPECT_NE(compared<float>({infinity}, {1}, {1}).mismatch, "");
  EXPECT_NE(compared<float>({1}, {infinity}, {1}).mismatch, "");
}

TEST(Verdict, AnInfinityHidesNoOtherElement) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_THAT(compared<float>({infinity, 2, 3}, {infinity, 2, 4}, {3}).mismatch,
              HasSubstr("C[2] is 3, and the program without a schedule gives 4 "));
}

TEST(Verdict, RefusesAnythingElseWhereNothingRounds) {
  EXPECT_EQ(compared<float>({0, 0}, {0, 0}, {2}, 0).mismatch, "");
  EXPECT_THAT(compared<float>({0, 1e-30f}, {0, 0}, {2}, 0).mismatch, HasSubstr("C[1] is 1e-30"));
}

TEST(Verdict, FindsASingleWrongElementAmongMany) {
  std::vector<Half> elements(40000, Half(1.0f));
  std::vector<Half> output = elements;
  output[12345] = Half(2.0f);
  const Verdict verdict = compared(output, elements, {200, 200}, 0.01);
  EXPECT_LT(verdict.deviation, 0.01);
  EXPECT_THAT(verdict.mismatch, HasSubstr("C[61, 145] is 2,"));
}

TEST(Verdict, ComparesIntegersAndBoolsExactly) {
  EXPECT_EQ(compared<int64_t>({1, (int64_t{1} << 60) + 1}, {1, int64_t{1} << 60}, {2}).mismatch,
            "C[1] is 1152921504606846977, and the program without a schedule gives "
            "1152921504606846976");
  EXPECT_EQ(compared<bool>({true, false}, {true, false}, {2}).mismatch, "");
  EXPECT_EQ(compared<bool>({true}, {false}, {1}).mismatch,
            "C[0] is true, and the program without a schedule gives false");
}

}  // namespace verdict_test
}  // namespace hone

#include <cmath>
#include <cstring>
#include <limits>

#include "examples/ladders/ladders.h"
#include "gmock/gmock.h"
#include "tools/cli/trial.h"

namespace hone {
namespace verdict_test {

using testing::HasSubstr;

template <class T>
Verdict compared(const std::vector<T>& output, const std::vector<T>& reference,
                 std::vector<int64_t> shape) {
  const TensorPtr tensor = make_tensor("C", dtype_of<T>, {});
  return compare(*tensor, Array<T>(output, shape), Array<T>(reference, shape));
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

TEST(Verdict, PassesWhatIsWithinTheTolerance) {
  const Verdict verdict = compared<float>({1 + 9e-6f}, {1}, {1});
  EXPECT_EQ(verdict.mismatch, "");
  EXPECT_NEAR(verdict.deviation, 9e-6, 1e-7);
  EXPECT_EQ(compared<double>({1 + 9e-13}, {1}, {1}).mismatch, "");
  EXPECT_EQ(compared<Half>({Half(1.009f)}, {Half(1)}, {1}).mismatch, "");
}

/// The program adds one value after the other, and rounds each time.
TEST(Verdict, AllowsForTheRoundingOfLongSums) {
  EXPECT_EQ(tolerance(f32), 1e-5);
  EXPECT_EQ(tolerance(f32, 1000), 1e-5);
  EXPECT_EQ(tolerance(f32, int64_t{1} << 26), 0x1p-11);
  EXPECT_EQ(tolerance(f64, int64_t{1} << 26), 1e-12);
  EXPECT_EQ(tolerance(f16), 1e-2);
  EXPECT_EQ(tolerance(f16, 1 << 12), 0x1p-5);
  EXPECT_EQ(tolerance(bf16), 1e-2);
  EXPECT_EQ(tolerance(bf16, 1 << 6), 0x1p-5);
  EXPECT_EQ(tolerance(i32, int64_t{1} << 26), 0);
  const Ladder reduce = reduce_ladder();
  EXPECT_EQ(longest_sum(reduce.program({}).function(), {{"n", 1000}}), 1000);
  const Ladder convolution = convolution_ladder();
  EXPECT_EQ(
      longest_sum(convolution.program({}).function(), {{"C", 5}, {"H", 7}, {"W", 9}, {"O", 11}}),
      5 * 9);
}

/// Multiples of 1/128 have squares that are 0 or 1 modulo 4 in units of their last bit: a sum that
/// has grown rounds all of them down.
TEST(Verdict, AllowsForTheRoundingOfSquares) {
  const Tensor X("X", f32, {20000}), S("S", f32, {});
  const ReduceAxis k("k", 20000);
  const auto terms = [](const Definition& definition) {
    return longest_sum(Program("sum", definition).function(), {});
  };
  EXPECT_EQ(terms(S() = sum(k, X(k) * X(k))), 20000 * 1024);
  EXPECT_EQ(terms(S() = sum(k, X(k) * X(k) * X(k))), 20000);
  EXPECT_EQ(terms(S() = sum(k, X(k) * X(0))), 20000);
  double exact = 0;
  float one_by_one = 0;
  for (int n = 0; n < 20000; ++n) {
    const float value = static_cast<float>(n * 7919 % 256 - 128) / 128;
    exact += value * value;
    one_by_one += value * value;
  }
  const double deviation = std::abs(one_by_one - exact) / exact;
  EXPECT_GT(deviation, tolerance(f32, 20000));
  EXPECT_LT(deviation, tolerance(f32, 20000 * 1024));
}

TEST(Verdict, RefusesWhatIsBeyondTheTolerance) {
  EXPECT_NE(compared<float>({1 + 2e-5f}, {1}, {1}).mismatch, "");
  EXPECT_NE(compared<double>({1 + 2e-12}, {1}, {1}).mismatch, "");
  EXPECT_NE(compared<Half>({Half(1.02f)}, {Half(1)}, {1}).mismatch, "");
}

TEST(Verdict, NamesTheFirstElementThatDiffers) {
  EXPECT_EQ(compared<float>({1, 2, 3, 5, 6, 6}, {1, 2, 3, 4, 5, 6}, {2, 3}).mismatch,
            "C[1, 0] is 5, and the program without a schedule gives 4 "
            "(||out - reference|| / ||reference|| = 0.15, at most 1e-05 passes)");
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
            "C[2] is nan, and the program without a schedule gives 3 (||out - reference|| / "
            "||reference|| = inf, at most 1e-05 passes)");
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

TEST(Verdict, RefusesAnythingButZeroWhereTheReferenceIsZero) {
  EXPECT_EQ(compared<float>({0, 0}, {0, 0}, {2}).mismatch, "");
  EXPECT_THAT(compared<float>({0, 1e-30f}, {0, 0}, {2}).mismatch, HasSubstr("C[1] is 1e-30"));
}

TEST(Verdict, FindsASingleWrongElementThatTheNormHides) {
  std::vector<Half> reference(40000, Half(1.0f));
  std::vector<Half> output = reference;
  output[12345] = Half(2.0f);
  const Verdict verdict = compared(output, reference, {200, 200});
  EXPECT_LT(verdict.deviation, tolerance(f16));
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

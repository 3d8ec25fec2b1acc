#include "ir/scalar/narrow_float.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "gtest/gtest.h"
#include "llvm/ADT/APFloat.h"

namespace hone {
namespace narrow_float_test {

struct Format {
  const char* name;
  uint16_t (*bits)(double);
  double (*value)(uint16_t);
  const llvm::fltSemantics& semantics;
  uint16_t infinity;
};
const Format f16_format = {"f16", f16_bits, f16_value, llvm::APFloat::IEEEhalf(), 0x7c00};
const Format bf16_format = {"bf16", bf16_bits, bf16_value, llvm::APFloat::BFloat(), 0x7f80};

/// Subnormal doubles are far below both formats, and APFloat takes some of them to the smallest
/// bf16 (LLVM 14).
uint16_t expected_bits(const Format& format, double value) {
  if (std::fpclassify(value) == FP_SUBNORMAL) return std::signbit(value) ? 0x8000 : 0;
  llvm::APFloat number(value);
  bool loses = false;
  number.convert(format.semantics, llvm::APFloat::rmNearestTiesToEven, &loses);
  return static_cast<uint16_t>(number.bitcastToAPInt().getZExtValue());
}

void expect_rounds_as_apfloat(const Format& format, double value) {
  ASSERT_EQ(format.bits(value), expected_bits(format, value))
      << format.name << " of " << value << " = 0x" << std::hex << std::bit_cast<uint64_t>(value);
}

class HalfFormat : public testing::TestWithParam<const Format*> {};
INSTANTIATE_TEST_SUITE_P(, HalfFormat, testing::Values(&f16_format, &bf16_format),
                         [](const auto& info) { return info.param->name; });

TEST_P(HalfFormat, DecodesEveryPatternExactly) {
  const Format& format = *GetParam();
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    llvm::APFloat number(format.semantics, llvm::APInt(16, bits));
    if (number.isNaN()) {
      ASSERT_TRUE(std::isnan(format.value(bits))) << bits;
      continue;
    }
    bool loses = false;
    number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &loses);
    ASSERT_EQ(std::bit_cast<uint64_t>(format.value(bits)),
              std::bit_cast<uint64_t>(number.convertToDouble()))
        << bits;
  }
}

TEST_P(HalfFormat, EncodesEveryDecodedPatternBack) {
  const Format& format = *GetParam();
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const bool is_nan = (bits & 0x7fff) > format.infinity;
    const uint32_t quiet = (format.infinity >> 1) & ~uint32_t{format.infinity};
    ASSERT_EQ(format.bits(format.value(bits)), is_nan ? bits | quiet : bits);
  }
}

TEST_P(HalfFormat, RoundsAtAndAroundEveryMidpoint) {
  const Format& format = *GetParam();
  for (uint32_t bits = 0; bits + 1 < format.infinity; ++bits) {
    const double midpoint = (format.value(bits) + format.value(bits + 1)) / 2;
    for (double sign : {1.0, -1.0}) {
      expect_rounds_as_apfloat(format, sign * midpoint);
      expect_rounds_as_apfloat(format, sign * std::nextafter(midpoint, 0));
      expect_rounds_as_apfloat(format, sign * std::nextafter(midpoint, HUGE_VAL));
    }
  }
}

TEST_P(HalfFormat, RoundsHardCasesAsApFloatDoes) {
  const Format& format = *GetParam();
  const double largest = format.value(format.infinity - 1);
  const double step = largest - format.value(format.infinity - 2);
  const double overflow = largest + step / 2;
  for (double value :
       {0.0, -0.0, 5e-324, 2.2e-308, std::numeric_limits<double>::min(), format.value(1) / 2,
        std::nextafter(format.value(1) / 2, 1), largest, overflow, std::nextafter(overflow, 0),
        std::nextafter(overflow, HUGE_VAL), std::numeric_limits<double>::max(),
        std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::quiet_NaN(),
        std::bit_cast<double>(0x7ff0000000000001), std::bit_cast<double>(0xfff5555555555555)})
    expect_rounds_as_apfloat(format, value);
}

TEST_P(HalfFormat, RoundsRandomDoublesAsApFloatDoes) {
  const Format& format = *GetParam();
  std::mt19937_64 random(20240607);
  std::uniform_int_distribution<uint64_t> near_format(1023 - 150, 1023 + 140);
  for (int trial = 0; trial < 300000; ++trial) {
    const uint64_t bits = random();
    const uint64_t exponent = near_format(random) << 52;
    expect_rounds_as_apfloat(format, std::bit_cast<double>(bits));
    expect_rounds_as_apfloat(format,
                             std::bit_cast<double>((bits & ~(uint64_t{0x7ff} << 52)) | exponent));
  }
}

TEST(Half, HasTheKnownPatterns) {
  EXPECT_EQ(f16_bits(1.0), 0x3c00);
  EXPECT_EQ(f16_bits(-2.0), 0xc000);
  EXPECT_EQ(f16_bits(65504.0), 0x7bff);
  EXPECT_EQ(f16_bits(65520.0), 0x7c00);
  EXPECT_EQ(f16_bits(std::ldexp(1.0, -24)), 0x0001);
  EXPECT_EQ(bf16_bits(1.0), 0x3f80);
  EXPECT_EQ(bf16_bits(3.14159), 0x4049);
  EXPECT_EQ(bf16_value(0x0001), std::ldexp(1.0, -133));
}

// ---- Floats of tensor cores ---------------------------------------------------------------------

/// The magnitudes of all numbers of a float of 8 bits, by its definition: they rise with the
/// pattern.
struct ByteFormat {
  const char* name;
  uint8_t (*bits)(double);
  double (*value)(uint8_t);
  int mantissa, bias, largest;  ///< `largest`: the pattern

  double magnitude(int pattern) const {
    const int exponent = pattern >> mantissa, fraction = pattern & ((1 << mantissa) - 1);
    const double part = std::ldexp(fraction, -mantissa);
    return exponent == 0 ? std::ldexp(part, 1 - bias) : std::ldexp(1 + part, exponent - bias);
  }
};
const ByteFormat byte_formats[] = {{"f8e4m3", f8e4m3_bits, f8e4m3_value, 3, 7, 0x7e},
                                   {"f8e5m2", f8e5m2_bits, f8e5m2_value, 2, 15, 0x7b}};

/// By comparison with all numbers: the nearest one, the even pattern of two that are as near.
int nearest_pattern(const ByteFormat& format, double magnitude) {
  int best = 0;
  for (int pattern = 1; pattern <= format.largest; ++pattern) {
    const double distance = std::abs(format.magnitude(pattern) - magnitude);
    const double least = std::abs(format.magnitude(best) - magnitude);
    if (distance < least || (distance == least && pattern % 2 == 0)) best = pattern;
  }
  return best;
}

class ByteFloat : public testing::TestWithParam<ByteFormat> {};
INSTANTIATE_TEST_SUITE_P(, ByteFloat, testing::ValuesIn(byte_formats),
                         [](const auto& info) { return info.param.name; });

TEST_P(ByteFloat, HasTheNumbersOfItsDefinition) {
  const ByteFormat& format = GetParam();
  for (int pattern = 0; pattern <= 0x7f; ++pattern)
    for (const int sign : {0, 0x80}) {
      const double value = format.value(static_cast<uint8_t>(sign | pattern));
      if (pattern > format.largest) {
        EXPECT_EQ(std::isinf(value), format.mantissa == 2 && pattern == 0x7c) << pattern;
        EXPECT_EQ(std::isnan(value), !std::isinf(value)) << pattern;
      } else {
        EXPECT_EQ(std::abs(value), format.magnitude(pattern));
        EXPECT_EQ(format.bits(value), sign | pattern);
      }
      if (!std::isnan(value)) {
        EXPECT_EQ(std::signbit(value), sign != 0);
      }
    }
}

TEST_P(ByteFloat, RoundsToTheNearestNumber) {
  const ByteFormat& format = GetParam();
  for (int pattern = 0; pattern <= format.largest; ++pattern) {
    const double lower = format.magnitude(pattern);
    const double upper = pattern == format.largest ? 2 * lower : format.magnitude(pattern + 1);
    for (const double part : {0.25, 0.5 - 0x1p-40, 0.5, 0.5 + 0x1p-40, 0.75, 1.0}) {
      const double value = lower + part * (upper - lower);
      EXPECT_EQ(format.bits(value), nearest_pattern(format, value)) << value;
      EXPECT_EQ(format.bits(-value), 0x80 | nearest_pattern(format, value)) << -value;
    }
  }
}

/// As cvt.rn.satfinite does.
TEST_P(ByteFloat, HasItsLargestNumberForAllBeyond) {
  const ByteFormat& format = GetParam();
  for (const double value : {1e5, 1e300, HUGE_VAL}) {
    EXPECT_EQ(format.bits(value), format.largest);
    EXPECT_EQ(format.bits(-value), 0x80 | format.largest);
  }
  EXPECT_EQ(format.bits(NAN), 0x7f);
  EXPECT_EQ(format.bits(-NAN), 0x7f);
  EXPECT_EQ(format.bits(5e-324), 0);
}

TEST(FloatOfFiveBitsOfExponent, IsTheUpperHalfOfAnF16) {
  for (int bits = 0; bits <= 0xff; ++bits) {
    const double value = f8e5m2_value(static_cast<uint8_t>(bits));
    const double of_f16 = f16_value(static_cast<uint16_t>(bits << 8));
    EXPECT_TRUE(value == of_f16 || (std::isnan(value) && std::isnan(of_f16))) << bits;
  }
}

float float_of(uint32_t bits) { return std::bit_cast<float>(bits); }

TEST(Tf32, IsAFloatWithoutItsLowerBits) {
  EXPECT_EQ(tf32_value(float_of(0x3f801fff)), 1);
  EXPECT_EQ(tf32_value(float_of(0xbf803fff)), -1 - 0x1p-10f);
  EXPECT_EQ(tf32_value(HUGE_VALF), HUGE_VALF);
  EXPECT_TRUE(std::isnan(tf32_value(NAN)));
}

/// As cvt.rna does.
TEST(Tf32, IsTheNearestOneAndAwayFromZeroOfTwo) {
  const auto expected = [](double value) {
    const double unit = std::ldexp(1.0, std::max(std::ilogb(value), -126) - 10);
    return static_cast<float>(std::round(value / unit) * unit);
  };
  std::mt19937_64 random(20240607);
  std::uniform_int_distribution<uint64_t> exponents(1023 - 140, 1023 + 126);
  for (int trial = 0; trial < 300000; ++trial) {
    // Every second value lies halfway, or next to that.
    const uint64_t drawn = random() & ((uint64_t{1} << 52) - 1), half = uint64_t{1} << 41;
    const uint64_t mantissa =
        trial % 2 == 0 ? drawn : ((drawn & ~(2 * half - 1)) | half) + drawn % 3 - 1;
    const auto value = std::bit_cast<double>(exponents(random) << 52 | mantissa);
    ASSERT_EQ(tf32_nearest(value), expected(value)) << value;
    ASSERT_EQ(tf32_nearest(-value), -expected(value)) << value;
  }
}

TEST(Tf32, RoundsUpToInfinity) {
  EXPECT_EQ(tf32_nearest(0x1.ffcp127), 0x1.ffcp127);
  EXPECT_EQ(tf32_nearest(0x1.ffdfffp127), 0x1.ffcp127);
  EXPECT_EQ(tf32_nearest(0x1.ffep127), HUGE_VALF);
  EXPECT_EQ(tf32_nearest(-HUGE_VAL), -HUGE_VALF);
  EXPECT_TRUE(std::isnan(tf32_value(tf32_nearest(NAN))));
  EXPECT_TRUE(std::isnan(tf32_value(tf32_nearest(std::bit_cast<double>(0x7ff0000000000001)))));
}

}  // namespace narrow_float_test
}  // namespace hone

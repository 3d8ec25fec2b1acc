#include "ir/scalar/half.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "gtest/gtest.h"
#include "llvm/ADT/APFloat.h"

namespace hone {
namespace half_test {

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

}  // namespace half_test
}  // namespace hone

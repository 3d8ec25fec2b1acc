#include "ir/text/literal.h"

#include <gtest/gtest.h>

#include "ir/equal.h"
#include "ir/half.h"

namespace hone {
namespace {

void expect_read_back(double value, DType type) {
  const Expr constant = FloatConst::make(value, type);
  const std::string text = spell(*llvm::cast<FloatConst>(constant));
  const bool negative = text.front() == '-';
  EXPECT_TRUE(equal(parse_number(llvm::StringRef(text).drop_front(negative), negative), constant))
      << text;
}

TEST(Literal, ReadsBackEveryHalf) {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    expect_read_back(f16_value(static_cast<uint16_t>(bits)), f16);
    expect_read_back(bf16_value(static_cast<uint16_t>(bits)), bf16);
  }
}

TEST(Literal, ReadsBackFloatsOfAllMagnitudes) {
  uint64_t state = 1;
  for (int n = 0; n < 20000; ++n) {
    state = state * 6364136223846793005 + 1442695040888963407;
    const auto bits = static_cast<uint32_t>(state >> 32);
    expect_read_back(std::bit_cast<float>(bits), f32);
    expect_read_back(std::bit_cast<double>(state ^ (state >> 29)), f64);
  }
}

TEST(Literal, SplitsANumberFromItsType) {
  const auto split = [](llvm::StringRef text) {
    const NumberParts parts = split_number(text);
    return parts.digits.str() + "|" + parts.rest.str() + (parts.is_float ? "|float" : "");
  };
  EXPECT_EQ(split("32"), "32|");
  EXPECT_EQ(split("3i32"), "3|i32");
  EXPECT_EQ(split("1.5e-10f64"), "1.5e-10|f64|float");
  EXPECT_EQ(split("1e5"), "1e5||float");
  EXPECT_EQ(split("1e"), "1|e");
  EXPECT_EQ(split("1e+"), "1|e+");
  EXPECT_EQ(split("0..N"), "0|..N");
  EXPECT_EQ(split("1.x"), "1|.x");
}

}  // namespace
}  // namespace hone

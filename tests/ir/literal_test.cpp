#include "ir/text/literal.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ir/scalar/narrow_float.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/traverse/equal.h"

namespace hone {
namespace literal_test {

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

TEST(Literal, ReadsBackFloatsOfTensorCores) {
  for (int bits = 0; bits <= 0xff; ++bits) {
    expect_read_back(f8e4m3_value(static_cast<uint8_t>(bits)), f8e4m3);
    const double value = f8e5m2_value(static_cast<uint8_t>(bits));
    if (!std::isinf(value)) expect_read_back(value, f8e5m2);
  }
  for (const double value : {1 + 0x1p-10, 0x1.ffcp127, 0x1p-136, -0.1, HUGE_VAL})
    expect_read_back(value, tf32);
}

std::string refusal(const char* number) {
  try {
    parse_number(number, false);
  } catch (const DefinitionError& error) {
    return error.what();
  }
  return "";
}

TEST(Literal, RefusesWhatIsBeyondTheLargestFloatOfEightBits) {
  EXPECT_EQ(refusal("448.0f8e4m3"), "");
  EXPECT_EQ(refusal("449.0f8e4m3"), "449.0 does not fit f8e4m3");
  EXPECT_EQ(refusal("inf_f8e4m3"), "inf does not fit f8e4m3");
  EXPECT_EQ(refusal("inf_f8e5m2"), "inf does not fit f8e5m2");
  EXPECT_EQ(refusal("1e39tf32"), "1e39 does not fit tf32");
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
  EXPECT_EQ(split("0.5f8e4m3"), "0.5|f8e4m3|float");
  EXPECT_EQ(split("1e"), "1|e");
  EXPECT_EQ(split("1e+"), "1|e+");
  EXPECT_EQ(split("0..N"), "0|..N");
  EXPECT_EQ(split("1.x"), "1|.x");
}

TEST(Literal, TakesATypeInAChoiceToo) {
  const std::string text = R"(func f(X: f32[4], Y: i8[4], Z: f64[4]) {
  for i in 0..4 {
    Y[i] = select(X[i] > 0.0, 1i8, select(X[i] < 0.0, -1i8, 0i8))
    Z[i] = select(X[i] > 0.0, 0.5f64, 2.0f64)
  }
})";
  EXPECT_EQ(to_string(parse_function(R"(func f(X: f32[4], Y: i8[4], Z: f64[4]) { for i in 0..4 {
    Y[i] = select(X[i] > 0.0, 1, select(X[i] < 0.0, -1, 0))
    Z[i] = select(X[i] > 0.0, 0.5, 2) } })")),
            text);
  EXPECT_THROW(parse_function("func f(Y: i8[1]) { Y[0] = select(true, 1, 300) }"), ParseError);
}

}  // namespace literal_test
}  // namespace hone

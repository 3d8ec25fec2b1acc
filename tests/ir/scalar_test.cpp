#include "ir/scalar/scalar.h"

#include <cmath>
#include <limits>
#include <random>

#include "gtest/gtest.h"
#include "ir/scalar/narrow_float.h"
#include "llvm/ADT/APFloat.h"

namespace hone {
namespace scalar_test {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t least_i64 = std::numeric_limits<int64_t>::min();
constexpr int64_t greatest_i64 = std::numeric_limits<int64_t>::max();

int64_t integer(BinaryOp op, DType type, int64_t lhs, int64_t rhs) {
  return apply(op, Scalar::of_int(type, lhs), Scalar::of_int(type, rhs)).integer;
}

double real(BinaryOp op, DType type, double lhs, double rhs) {
  return apply(op, Scalar::of_float(type, lhs), Scalar::of_float(type, rhs)).real;
}

double call(Intrinsic intrinsic, DType type, std::vector<double> arguments) {
  llvm::SmallVector<Scalar, 3> values;
  for (double argument : arguments) values.push_back(Scalar::of_float(type, argument));
  return apply(intrinsic, values).real;
}

int64_t to_int(DType type, double value) {
  return convert(type, Scalar::of_float(f64, value)).integer;
}

std::string message_of(BinaryOp op, DType type, int64_t lhs, int64_t rhs) {
  try {
    integer(op, type, lhs, rhs);
  } catch (const ArithmeticError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Scalar, WrapsIntegersAtTheirWidth) {
  EXPECT_EQ(integer(BinaryOp::add, i8, 127, 1), -128);
  EXPECT_EQ(integer(BinaryOp::sub, u8, 0, 1), 255);
  EXPECT_EQ(integer(BinaryOp::mul, i32, 65536, 65536), 0);
  EXPECT_EQ(integer(BinaryOp::add, i32, 2147483647, 1), -2147483648LL);
  EXPECT_EQ(integer(BinaryOp::add, i64, greatest_i64, 1), least_i64);
  EXPECT_EQ(integer(BinaryOp::mul, i64, greatest_i64, greatest_i64), 1);
}

TEST(Scalar, DividesIntegersTowardsZero) {
  EXPECT_EQ(integer(BinaryOp::div, i32, -7, 2), -3);
  EXPECT_EQ(integer(BinaryOp::mod, i32, -7, 2), -1);
  EXPECT_EQ(integer(BinaryOp::div, i32, 7, -2), -3);
  EXPECT_EQ(integer(BinaryOp::mod, i32, 7, -2), 1);
  EXPECT_EQ(integer(BinaryOp::div, u8, 255, 2), 127);
}

TEST(Scalar, DividesTheLeastIntegerByMinusOneToItself) {
  EXPECT_EQ(integer(BinaryOp::div, i32, -2147483648LL, -1), -2147483648LL);
  EXPECT_EQ(integer(BinaryOp::mod, i32, -2147483648LL, -1), 0);
  EXPECT_EQ(integer(BinaryOp::div, i64, least_i64, -1), least_i64);
  EXPECT_EQ(integer(BinaryOp::mod, i64, least_i64, -1), 0);
  EXPECT_EQ(integer(BinaryOp::div, i8, -128, -1), -128);
}

TEST(Scalar, RefusesToDivideByZero) {
  EXPECT_EQ(message_of(BinaryOp::div, i32, 7, 0), "7 / 0 is a division by zero");
  EXPECT_EQ(message_of(BinaryOp::mod, u8, 7, 0), "7 % 0 is a division by zero");
  EXPECT_EQ(message_of(BinaryOp::div, DType::index, -7, 0), "-7 / 0 is a division by zero");
}

TEST(Scalar, RefusesWhatIsNotExactInAnIndex) {
  EXPECT_EQ(message_of(BinaryOp::add, DType::index, greatest_i64, 1),
            "9223372036854775807 + 1 overflows a 64-bit index");
  EXPECT_EQ(message_of(BinaryOp::sub, DType::index, least_i64, 1),
            "-9223372036854775808 - 1 overflows a 64-bit index");
  EXPECT_EQ(message_of(BinaryOp::mul, DType::index, 4294967296, 4294967296),
            "4294967296 * 4294967296 overflows a 64-bit index");
  EXPECT_THROW(apply(UnaryOp::negate, Scalar::of_int(DType::index, least_i64)), ArithmeticError);
}

TEST(Scalar, RefusesToDivideNegativeIndices) {
  EXPECT_EQ(message_of(BinaryOp::div, DType::index, -4, 4),
            "-4 / 4 is a division of a negative index");
  EXPECT_EQ(message_of(BinaryOp::mod, DType::index, -4, 4),
            "-4 % 4 is a division of a negative index");
  EXPECT_EQ(message_of(BinaryOp::div, DType::index, 4, -4),
            "4 / -4 is a division by a negative index");
  EXPECT_EQ(integer(BinaryOp::div, DType::index, 7, 4), 1);
  EXPECT_EQ(integer(BinaryOp::mod, DType::index, 7, 4), 3);
}

TEST(Scalar, ComparesANanAsC) {
  for (BinaryOp op : {BinaryOp::eq, BinaryOp::lt, BinaryOp::le, BinaryOp::gt, BinaryOp::ge}) {
    const Scalar number = Scalar::of_float(f32, 1), not_a_number = Scalar::of_float(f32, nan);
    EXPECT_EQ(apply(op, number, not_a_number).integer, 0);
    EXPECT_EQ(apply(op, not_a_number, number).integer, 0);
    EXPECT_EQ(apply(op, not_a_number, not_a_number).integer, 0);
  }
  const Scalar not_a_number = Scalar::of_float(f16, nan);
  EXPECT_EQ(apply(BinaryOp::ne, not_a_number, not_a_number).integer, 1);
  EXPECT_EQ(apply(BinaryOp::ne, not_a_number, not_a_number).type, boolean);
}

TEST(Scalar, ComparesNumbers) {
  EXPECT_EQ(integer(BinaryOp::lt, i32, -1, 1), 1);
  EXPECT_EQ(integer(BinaryOp::gt, i32, -1, 1), 0);
  EXPECT_EQ(integer(BinaryOp::le, i32, 1, 1), 1);
  EXPECT_EQ(integer(BinaryOp::ge, i32, 0, 1), 0);
  EXPECT_EQ(integer(BinaryOp::eq, u8, 255, -1), 1);
  EXPECT_EQ(integer(BinaryOp::ne, boolean, 1, 2), 0);
  EXPECT_EQ(apply(BinaryOp::eq, Scalar::of_float(f32, 0.0), Scalar::of_float(f32, -0.0)).integer,
            1);
}

TEST(Scalar, LetsANanLoseInMinAndMax) {
  for (DType type : {f64, f32, f16, bf16})
    for (BinaryOp op : {BinaryOp::min, BinaryOp::max}) {
      EXPECT_EQ(real(op, type, nan, 2), 2);
      EXPECT_EQ(real(op, type, 2, nan), 2);
      EXPECT_TRUE(std::isnan(real(op, type, nan, nan)));
    }
  EXPECT_EQ(real(BinaryOp::max, f32, -infinity, nan), -infinity);
}

TEST(Scalar, OrdersTheZerosInMinAndMax) {
  EXPECT_TRUE(std::signbit(real(BinaryOp::min, f32, 0.0, -0.0)));
  EXPECT_TRUE(std::signbit(real(BinaryOp::min, f32, -0.0, 0.0)));
  EXPECT_FALSE(std::signbit(real(BinaryOp::max, f32, 0.0, -0.0)));
  EXPECT_FALSE(std::signbit(real(BinaryOp::max, f32, -0.0, 0.0)));
  EXPECT_EQ(real(BinaryOp::min, f32, 3, 2), 2);
  EXPECT_EQ(real(BinaryOp::max, f32, 3, 2), 3);
  EXPECT_EQ(integer(BinaryOp::min, i32, -3, 2), -3);
  EXPECT_EQ(integer(BinaryOp::max, u8, 200, 100), 200);
}

TEST(Scalar, RoundsEachOperationToItsType) {
  EXPECT_EQ(real(BinaryOp::add, f16, 2048, 1), 2048);
  EXPECT_EQ(real(BinaryOp::add, f16, 2048, 3), 2052);
  EXPECT_EQ(real(BinaryOp::add, bf16, 256, 1), 256);
  EXPECT_EQ(real(BinaryOp::add, f32, 16777216, 1), 16777216);
  EXPECT_EQ(real(BinaryOp::add, f64, 16777216, 1), 16777217);
  EXPECT_EQ(real(BinaryOp::mul, f16, 256, 256), infinity);
  EXPECT_EQ(real(BinaryOp::div, f32, 1, 0), infinity);
  EXPECT_TRUE(std::isnan(real(BinaryOp::div, f32, 0, 0)));
  EXPECT_EQ(real(BinaryOp::div, f32, 1, 3), 1.0f / 3.0f);
}

const llvm::fltSemantics& semantics(DType type) {
  if (type == f16) return llvm::APFloat::IEEEhalf();
  if (type == bf16) return llvm::APFloat::BFloat();
  return type == f32 ? llvm::APFloat::IEEEsingle() : llvm::APFloat::IEEEdouble();
}

constexpr auto nearest = llvm::APFloat::rmNearestTiesToEven;

llvm::APFloat as_apfloat(DType type, double value) {
  llvm::APFloat number(value);
  bool loses = false;
  number.convert(semantics(type), nearest, &loses);
  EXPECT_FALSE(loses);
  return number;
}

double as_double(llvm::APFloat number) {
  bool loses = false;
  number.convert(llvm::APFloat::IEEEdouble(), nearest, &loses);
  return number.convertToDouble();
}

/// Values of the type with few bits and exponents near each other or far apart, where sums and
/// products come to lie at midpoints.
double random_value(std::mt19937_64& random, DType type) {
  const int exponent_range = type == f16 ? 10 : 60;
  const double mantissa = static_cast<double>(random() >> (random() % 2 ? 40 : 56));
  const int exponent = static_cast<int>(random() % (2 * exponent_range)) - exponent_range - 8;
  const double value = round_to(type, std::ldexp(mantissa, exponent));
  return std::isfinite(value) ? (random() % 2 ? value : -value) : 1.0;
}

TEST(Scalar, RoundsRandomOperationsAsApFloatDoes) {
  std::mt19937_64 random(20240608);
  for (DType type : {f64, f32, f16, bf16})
    for (int trial = 0; trial < 50000; ++trial) {
      const double x = random_value(random, type), y = random_value(random, type);
      llvm::APFloat sum = as_apfloat(type, x), difference = sum, product = sum, quotient = sum;
      const llvm::APFloat right = as_apfloat(type, y);
      sum.add(right, nearest);
      difference.subtract(right, nearest);
      product.multiply(right, nearest);
      ASSERT_EQ(real(BinaryOp::add, type, x, y), as_double(sum));
      ASSERT_EQ(real(BinaryOp::sub, type, x, y), as_double(difference));
      ASSERT_EQ(real(BinaryOp::mul, type, x, y), as_double(product));
      if (y == 0) continue;
      quotient.divide(right, nearest);
      ASSERT_EQ(real(BinaryOp::div, type, x, y), as_double(quotient));
    }
}

TEST(Scalar, RoundsFmaOnce) {
  std::mt19937_64 random(20240609);
  for (DType type : {f64, f32, f16, bf16})
    for (int trial = 0; trial < 50000; ++trial) {
      const double x = random_value(random, type), y = random_value(random, type),
                   z = random_value(random, type);
      llvm::APFloat expected = as_apfloat(type, x);
      expected.fusedMultiplyAdd(as_apfloat(type, y), as_apfloat(type, z), nearest);
      ASSERT_EQ(call(Intrinsic::fma, type, {x, y, z}), as_double(expected))
          << x << " * " << y << " + " << z << " in " << name(type).str();
    }
}

TEST(Scalar, RoundsFmaOnceWhereDoubleIsTooNarrow) {
  // 129 * 192 lies halfway between two bf16; what is added decides, however little it is.
  EXPECT_EQ(call(Intrinsic::fma, bf16, {129, 192, 0}), 24832);
  EXPECT_EQ(call(Intrinsic::fma, bf16, {129, 192, -0x1p-100}), 24704);
  const float a = 1 + 0x1p-12f, b = 1 - 0x1p-12f;
  EXPECT_EQ(call(Intrinsic::fma, f32, {a, b, -1}), -0x1p-24);
  EXPECT_EQ(call(Intrinsic::fma, f32, {1 + 0x1p-12, 1 + 0x1p-12, 0x1p-100}),
            static_cast<double>(1 + 0x1p-11f + 0x1p-23f));
  EXPECT_EQ(call(Intrinsic::fma, f32, {1 + 0x1p-12, 1 + 0x1p-12, -0x1p-100}),
            static_cast<double>(1 + 0x1p-11f));
}

TEST(Scalar, PropagatesInfinityAndNanThroughFma) {
  EXPECT_EQ(call(Intrinsic::fma, f32, {infinity, 1, 1}), infinity);
  EXPECT_TRUE(std::isnan(call(Intrinsic::fma, f32, {infinity, 1, -infinity})));
  EXPECT_TRUE(std::isnan(call(Intrinsic::fma, f16, {nan, 1, 1})));
}

TEST(Scalar, ComputesIntrinsicsInDoubleAndRounds) {
  EXPECT_EQ(call(Intrinsic::exp, f32, {1}), static_cast<double>(static_cast<float>(std::exp(1.0))));
  EXPECT_EQ(call(Intrinsic::exp, f16, {12}), infinity);
  EXPECT_EQ(call(Intrinsic::log, f64, {2}), std::log(2.0));
  EXPECT_EQ(call(Intrinsic::sqrt, bf16, {2}), bf16_value(bf16_bits(std::sqrt(2.0))));
  EXPECT_EQ(call(Intrinsic::rsqrt, f32, {4}), 0.5);
  EXPECT_EQ(call(Intrinsic::tanh, f16, {0.5}), f16_value(f16_bits(std::tanh(0.5))));
  EXPECT_EQ(call(Intrinsic::tanh_approx, f32, {0.5}), call(Intrinsic::tanh, f32, {0.5}));
  EXPECT_EQ(call(Intrinsic::erf, f64, {0.5}), std::erf(0.5));
  EXPECT_EQ(call(Intrinsic::abs, f32, {-1.5}), 1.5);
  EXPECT_EQ(call(Intrinsic::pow, f32, {2, 10}), 1024);
  EXPECT_TRUE(std::isnan(call(Intrinsic::sqrt, f32, {-1})));
  EXPECT_EQ(call(Intrinsic::log, f32, {0}), -infinity);
}

TEST(Scalar, TakesTheAbsoluteValueOfIntegers) {
  const auto absolute = [](DType type, int64_t value) {
    return apply(Intrinsic::abs, {Scalar::of_int(type, value)}).integer;
  };
  EXPECT_EQ(absolute(i32, -5), 5);
  EXPECT_EQ(absolute(i8, -128), -128);
  EXPECT_EQ(absolute(i64, least_i64), least_i64);
  EXPECT_EQ(absolute(u8, 200), 200);
}

TEST(Scalar, NegatesAndInverts) {
  EXPECT_EQ(apply(UnaryOp::negate, Scalar::of_int(i32, 5)).integer, -5);
  EXPECT_EQ(apply(UnaryOp::negate, Scalar::of_int(u8, 1)).integer, 255);
  EXPECT_EQ(apply(UnaryOp::negate, Scalar::of_int(i64, least_i64)).integer, least_i64);
  EXPECT_EQ(apply(UnaryOp::negate, Scalar::of_int(DType::index, 5)).integer, -5);
  EXPECT_TRUE(std::signbit(apply(UnaryOp::negate, Scalar::of_float(f32, 0)).real));
  EXPECT_EQ(apply(UnaryOp::logical_not, Scalar::of_int(boolean, 1)).integer, 0);
  EXPECT_EQ(apply(UnaryOp::logical_not, Scalar::of_int(boolean, 0)).integer, 1);
}

TEST(Scalar, CombinesBools) {
  EXPECT_EQ(integer(BinaryOp::logical_and, boolean, 1, 0), 0);
  EXPECT_EQ(integer(BinaryOp::logical_and, boolean, 1, 1), 1);
  EXPECT_EQ(integer(BinaryOp::logical_or, boolean, 0, 1), 1);
  EXPECT_EQ(integer(BinaryOp::logical_or, boolean, 0, 0), 0);
}

TEST(Scalar, TruncatesAndSaturatesFloatsToIntegers) {
  EXPECT_EQ(to_int(i32, 2.9), 2);
  EXPECT_EQ(to_int(i32, -2.9), -2);
  EXPECT_EQ(to_int(i32, 2147483647.5), 2147483647);
  EXPECT_EQ(to_int(i32, 1e10), 2147483647);
  EXPECT_EQ(to_int(i32, -1e10), -2147483648LL);
  EXPECT_EQ(to_int(i64, 9223372036854775808.0), greatest_i64);
  EXPECT_EQ(to_int(i64, -infinity), least_i64);
  EXPECT_EQ(to_int(i8, 300), 127);
  EXPECT_EQ(to_int(i8, -300), -128);
  EXPECT_EQ(to_int(u8, -5), 0);
  EXPECT_EQ(to_int(u8, infinity), 255);
  for (DType type : {i64, i32, i8, u8}) EXPECT_EQ(to_int(type, nan), 0);
  EXPECT_EQ(to_int(boolean, 0.25), 1);
  EXPECT_EQ(to_int(boolean, -0.0), 0);
  EXPECT_EQ(to_int(boolean, nan), 1);
}

TEST(Scalar, WrapsIntegersToNarrowerOnes) {
  const auto wrapped = [](DType type, int64_t value) {
    return convert(type, Scalar::of_int(i64, value)).integer;
  };
  EXPECT_EQ(wrapped(i8, 300), 44);
  EXPECT_EQ(wrapped(u8, -1), 255);
  EXPECT_EQ(wrapped(i32, 4294967297), 1);
  EXPECT_EQ(wrapped(boolean, 256), 1);
  EXPECT_EQ(wrapped(DType::index, -3), -3);
}

TEST(Scalar, RoundsIntegersToFloatsOnce) {
  const auto rounded = [](DType type, int64_t value) {
    return convert(type, Scalar::of_int(i64, value)).real;
  };
  EXPECT_EQ(rounded(f16, 2049), 2048);
  EXPECT_EQ(rounded(f16, 65520), infinity);
  EXPECT_EQ(rounded(f32, 16777217), 16777216);
  // Rounded to double first, these would be midpoints.
  EXPECT_EQ(rounded(f32, (int64_t{1} << 62) + (int64_t{1} << 38) + 1), 0x1p62 + 0x1p39);
  EXPECT_EQ(rounded(bf16, (int64_t{1} << 62) + (int64_t{1} << 54) + 1), 0x1p62 + 0x1p55);
  EXPECT_EQ(rounded(bf16, -(int64_t{1} << 62) - (int64_t{1} << 54) - 1), -0x1p62 - 0x1p55);
  std::mt19937_64 random(20240610);
  for (int trial = 0; trial < 100000; ++trial) {
    const auto value = static_cast<int64_t>(random()) >> (random() % 60);
    ASSERT_EQ(rounded(f32, value), static_cast<double>(static_cast<float>(value)));
    ASSERT_EQ(rounded(f64, value), static_cast<double>(value));
  }
}

TEST(Scalar, RoundsBetweenFloatTypes) {
  EXPECT_EQ(convert(f16, Scalar::of_float(f32, 1.0 / 3)).real,
            f16_value(f16_bits(static_cast<float>(1.0 / 3))));
  EXPECT_EQ(convert(f64, Scalar::of_float(f16, 0.5)).real, 0.5);
  EXPECT_EQ(convert(f16, Scalar::of_float(bf16, 1e30)).real, infinity);
}

TEST(Scalar, RoundTripsThroughMemory) {
  const auto trip = [](const Scalar& value) {
    std::byte bytes[8] = {};
    write_element(bytes, value);
    return to_string(read_element(value.type, bytes));
  };
  for (DType type : {f64, f32, f16, bf16}) EXPECT_EQ(trip(Scalar::of_float(type, -1.5)), "-1.5");
  for (DType type : {i64, i32, i8, DType::index})
    EXPECT_EQ(trip(Scalar::of_int(type, -100)), "-100");
  EXPECT_EQ(trip(Scalar::of_int(u8, 200)), "200");
  EXPECT_EQ(trip(Scalar::of_int(boolean, 1)), "true");
  EXPECT_EQ(trip(Scalar::of_int(boolean, 0)), "false");
}

TEST(Scalar, LiesInMemoryAsItsBits) {
  std::byte bytes[8] = {};
  write_element(bytes, Scalar::of_float(f16, 1));
  EXPECT_EQ(bytes[0], std::byte{0x00});
  EXPECT_EQ(bytes[1], std::byte{0x3c});
  write_element(bytes, Scalar::of_int(i32, 0x01020304));
  EXPECT_EQ(bytes[0], std::byte{4});
  EXPECT_EQ(bytes[3], std::byte{1});
}

}  // namespace scalar_test
}  // namespace hone

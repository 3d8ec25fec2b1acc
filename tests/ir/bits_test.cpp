// `&`, `|`, `^`, `~` and shifts of integers; floor, ceil, round, sin and cos.
#include <gtest/gtest.h>

#include <cmath>

#include "ir/algebra/interval.h"
#include "ir/algebra/simplify.h"
#include "ir/analysis/divisibility.h"
#include "ir/interpret/interpreter.h"
#include "ir/scalar/scalar.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "tests/support/ir/index_scope.h"
#include "tests/support/ir/run.h"

namespace hone {
namespace bits_test {

int64_t bits(BinaryOp op, DType type, int64_t lhs, int64_t rhs) {
  return apply(op, Scalar::of_int(type, lhs), Scalar::of_int(type, rhs)).integer;
}

double function(Intrinsic intrinsic, DType type, double x) {
  return apply(intrinsic, {Scalar::of_float(type, x)}).real;
}

TEST(Bits, AreCombinedOneByOne) {
  EXPECT_EQ(bits(BinaryOp::bit_and, i32, 12, 10), 8);
  EXPECT_EQ(bits(BinaryOp::bit_or, i32, 12, 10), 14);
  EXPECT_EQ(bits(BinaryOp::bit_xor, i32, 12, 10), 6);
  EXPECT_EQ(bits(BinaryOp::bit_and, i8, -1, 0x7f), 127);
  EXPECT_EQ(bits(BinaryOp::bit_or, i8, -128, 1), -127);
  EXPECT_EQ(apply(UnaryOp::bit_not, Scalar::of_int(i32, 5)).integer, -6);
  EXPECT_EQ(apply(UnaryOp::bit_not, Scalar::of_int(u8, 5)).integer, 250);
}

TEST(Bits, AreShiftedByTheAmountModuloTheirNumber) {
  EXPECT_EQ(bits(BinaryOp::shl, i32, 1, 31), -2147483648);
  EXPECT_EQ(bits(BinaryOp::shl, i32, 3, 33), 6);
  EXPECT_EQ(bits(BinaryOp::shl, u8, 200, 1), 144);
  EXPECT_EQ(bits(BinaryOp::shr, i8, -128, 3), -16);
  EXPECT_EQ(bits(BinaryOp::shr, u8, 128, 3), 16);
  EXPECT_EQ(bits(BinaryOp::shr, i64, -1, 63), -1);
  EXPECT_EQ(bits(BinaryOp::shl, i64, 1, -1), std::numeric_limits<int64_t>::min());
}

TEST(Bits, BindAsInC) {
  for (const char* text :
       {"i | j ^ i & j", "(i | j) ^ i", "i & (j ^ i)", "(i & j) + 1", "i & j + 1", "i & j << 1"})
    EXPECT_EQ(to_string(IndexScope({"for i in 0..4", "for j in 0..4"}, {text})[0]), text);
  const std::string text = R"(func f(n: i32[], m: i32[]) {
  n[] = ~n[] & -~m[] | 3i32
  n[] = select((n[] & 1i32) == 0i32, ~(n[] + 1i32), n[] >> m[])
})";
  EXPECT_EQ(to_string(parse_function(text)), text);
}

std::string parse_error(const std::string& body) {
  const std::string message = message_of<ParseError>(
      [&] { parse_function("func f(n: i32[], x: f32[], b: bool[]) { " + body + " }"); });
  return llvm::StringRef(message).split('\n').first.split(": ").second.str();
}

TEST(Bits, AreThoseOfIntegers) {
  EXPECT_EQ(parse_error("x[] = x[] & x[]"), "bit operation of x[] (f32) and x[] (f32); use cast");
  EXPECT_EQ(parse_error("x[] = x[] ^ 2.0"),
            "x[] ^ 2.0 is an operation of bits, which x[] (f32) has not; a power is a product: "
            "x[] * x[]");
  EXPECT_EQ(parse_error("b[] = b[] | b[]"), "bit operation of b[] (bool) and b[] (bool); use cast");
  EXPECT_EQ(parse_error("x[] = ~x[]"), "x[] has type f32, which '~' does not take");
  EXPECT_EQ(parse_error("b[] = ~b[]"), "b[] has type bool, which '~' does not take");
  EXPECT_EQ(parse_error("n[] = i32(~3)"), "3 has type index, which '~' does not take");
  EXPECT_EQ(parse_error("n[] = floor(n[])"), "floor of n[], which has type i32; use cast");
}

TEST(Bits, OfIndicesAreFoldedAndBounded) {
  const IndexScope scope({"for i in 0..13", "for j in 0..6"},
                         {"12 & 10", "12 | 10", "i & 0", "0 | i", "i & j", "i | j", "i*4 | j*8"});
  EXPECT_EQ(to_string(simplify(scope[0], scope.facts())), "8");
  EXPECT_EQ(to_string(simplify(scope[1], scope.facts())), "14");
  EXPECT_EQ(to_string(simplify(scope[2], scope.facts())), "0");
  EXPECT_EQ(to_string(simplify(scope[3], scope.facts())), "i");
  EXPECT_EQ(interval_of(scope[4], scope.facts()).high, 5);
  EXPECT_EQ(interval_of(scope[5], scope.facts()).high, 15);
  EXPECT_TRUE(divides(4, scope[6], scope.facts()));
  EXPECT_FALSE(divides(8, scope[6], scope.facts()));
}

TEST(Functions, RoundToIntegers) {
  for (const DType type : {f64, f32, f16, bf16}) {
    EXPECT_EQ(function(Intrinsic::floor, type, -1.5), -2);
    EXPECT_EQ(function(Intrinsic::ceil, type, 1.25), 2);
    EXPECT_EQ(function(Intrinsic::round, type, 0.5), 0);
    EXPECT_EQ(function(Intrinsic::round, type, 1.5), 2);
    EXPECT_EQ(function(Intrinsic::round, type, 2.5), 2);
    EXPECT_EQ(function(Intrinsic::round, type, -3.5), -4);
    EXPECT_TRUE(std::signbit(function(Intrinsic::round, type, -0.25)));
    EXPECT_TRUE(std::signbit(function(Intrinsic::ceil, type, -0.25)));
    EXPECT_TRUE(std::isinf(function(Intrinsic::floor, type, INFINITY)));
    EXPECT_TRUE(std::isnan(function(Intrinsic::round, type, NAN)));
  }
}

TEST(Functions, SinAndCosAreRoundedOnce) {
  for (const double x : {0.0, 0.5, -2.0, 100.0}) {
    EXPECT_EQ(function(Intrinsic::sin, f64, x), std::sin(x));
    EXPECT_EQ(function(Intrinsic::cos, f32, x),
              static_cast<double>(static_cast<float>(std::cos(x))));
  }
}

TEST(Functions, AreReadAsTheyArePrinted) {
  const std::string text = R"(func f(x: f32[]) {
  x[] = sin(x[]) + cos(x[]) * floor(x[]) - ceil(x[]) / round(x[])
})";
  EXPECT_EQ(to_string(parse_function(text)), text);
}

}  // namespace bits_test
}  // namespace hone

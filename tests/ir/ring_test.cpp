// Elements of a ring in the place of floats.
#include "ir/scalar/ring.h"

#include <array>
#include <cmath>
#include <random>

#include "gtest/gtest.h"
#include "ir/interpret/interpreter.h"
#include "ir/interpret/ring_form.h"
#include "ir/scalar/scalar.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

namespace hone {
namespace ring_test {

constexpr DType ring = DType::ring32;

Scalar element(double number, DType type = ring) { return Scalar::of_float(type, number); }

Scalar call(Intrinsic intrinsic, const Scalar& x) { return apply(intrinsic, {x}); }

/// Numbers with few digits behind the point, so that all that is made of them is exact.
std::vector<double> numbers() {
  std::mt19937 engine(20261130);
  std::vector<double> result = {0, 1, -1, 0.5, -0.375, 65535, 1e6};
  for (int n = 0; n < 200; ++n) {
    const auto digits = static_cast<double>(static_cast<int32_t>(engine()) >> 8);
    result.push_back(std::ldexp(digits, -static_cast<int>(engine() % 12)));
  }
  return result;
}

TEST(Ring, SumsAndProductsOfNumbersAreThoseOfTheirElements) {
  for (const double x : numbers())
    for (const double y : numbers()) {
      EXPECT_EQ(apply(BinaryOp::add, element(x), element(y)).real, element(x + y).real);
      EXPECT_EQ(apply(BinaryOp::sub, element(x), element(y)).real, element(x - y).real);
      EXPECT_EQ(apply(BinaryOp::mul, element(x), element(y)).real, element(x * y).real);
    }
  EXPECT_EQ(element(-1).real, ring_size - 1);
  EXPECT_EQ(element(0x1p100).real, element(0x1p50 * 0x1p50).real);
  EXPECT_EQ(apply(BinaryOp::mul, element(0x1p-40), element(0x1p40)).real, 1);
}

/// 0 modulo a prime has no inverse.
TEST(Ring, DividesByElementsThatHaveAnInverse) {
  for (int64_t x = 0; x < ring_size; ++x) {
    const Scalar quotient = apply(BinaryOp::div, element(7), element(static_cast<double>(x)));
    const Scalar back = apply(BinaryOp::mul, quotient, element(static_cast<double>(x)));
    EXPECT_EQ(std::fmod(back.real, 359), x % 359 == 0 ? 0 : 7) << x;
    EXPECT_EQ(std::fmod(back.real, 179), x % 179 == 0 ? 0 : 7) << x;
  }
}

TEST(Ring, ExpTurnsSumsIntoProducts) {
  for (const double x : numbers())
    for (const double y : {-2.5, 0.0, 17.0})
      EXPECT_EQ(
          apply(BinaryOp::mul, call(Intrinsic::exp, element(x)), call(Intrinsic::exp, element(y)))
              .real,
          call(Intrinsic::exp, element(x + y)).real);
  EXPECT_EQ(call(Intrinsic::exp, element(0)).real, 1);
  EXPECT_NE(call(Intrinsic::exp, element(1)).real, call(Intrinsic::exp, element(2)).real);
  EXPECT_EQ(call(Intrinsic::exp, element(-INFINITY)).real, 0);
}

TEST(Ring, FunctionsAreFixedAndDiffer) {
  std::vector<double> seen;
  for (const Intrinsic intrinsic : {Intrinsic::log, Intrinsic::sqrt, Intrinsic::sin, Intrinsic::cos,
                                    Intrinsic::tanh, Intrinsic::erf}) {
    const double result = call(intrinsic, element(12345)).real;
    EXPECT_EQ(call(intrinsic, element(12345)).real, result);
    EXPECT_EQ(std::count(seen.begin(), seen.end(), result), 0);
    EXPECT_NE(call(intrinsic, element(12346)).real, result);
    seen.push_back(result);
  }
  EXPECT_EQ(call(Intrinsic::tanh_approx, element(5)).real, call(Intrinsic::tanh, element(5)).real);
  EXPECT_EQ(call(Intrinsic::abs, element(-5)).real, 5);
  EXPECT_EQ(
      apply(BinaryOp::mul, call(Intrinsic::rsqrt, element(5)), call(Intrinsic::sqrt, element(5)))
          .real,
      1);
}

TEST(Ring, ElementsOfAllWidthsComeBackFromMemory) {
  for (const DType type : {DType::ring64, DType::ring32, DType::ring16, DType::ring8})
    for (const double value :
         {0.0, 1.0, 250.0, 64260.0, 17.5, double{INFINITY}, -double{INFINITY}}) {
      std::array<std::byte, 8> bytes = {};
      write_element(bytes.data(), element(value, type));
      EXPECT_EQ(read_element(type, bytes.data()).real, element(value, type).real) << value;
    }
  for (const DType type : {DType::ring64, DType::ring32, DType::ring16, DType::ring8}) {
    std::array<std::byte, 8> bytes;
    bytes.fill(std::byte{0xff});  // as memory is that nothing has written
    EXPECT_TRUE(std::isnan(read_element(type, bytes.data()).real));
  }
}

TEST(Ring, NarrowTypesHoldAllElementsButThoseOf8Bits) {
  EXPECT_EQ(convert(DType::ring16, element(64260)).real, 64260);
  EXPECT_EQ(convert(ring, element(64260, DType::ring16)).real, 64260);
  EXPECT_EQ(convert(DType::ring8, element(64260)).real, 64260 % byte_ring_size);
  EXPECT_EQ(convert(ring, Scalar::of_int(i64, INT64_MIN)).real,
            static_cast<double>(ring_size + INT64_MIN % ring_size));
  EXPECT_EQ(convert(i32, element(-1)).integer, ring_size - 1);
}

TEST(Ring, TypesHaveAsManyBytesAsTheFloats) {
  for (const DType type : {f64, f32, f16, bf16, tf32, f8e4m3, f8e5m2, f32_i32, f32_f32}) {
    EXPECT_EQ(size_of(ring_of(type)), size_of(type)) << name(type).str();
    EXPECT_NE(ring_of(type), type);
  }
  for (const DType type : {i64, i32, i8, u8, boolean}) EXPECT_EQ(ring_of(type), type);
  EXPECT_EQ(name(ring_of(f32_i32)), "(ring32, i32)");
}

TEST(Ring, NoTextHasThem) {
  EXPECT_EQ(parse_dtype("ring32"), std::nullopt);
  EXPECT_EQ(names_of_numbers(), "f64, f32, f16, bf16, tf32, f8e4m3, f8e5m2, i64, i32, i8 and u8");
}

TEST(RingForm, ChangesTypesAndConstantsAlone) {
  const Function function =
      parse_function(R"(func scaled[M, N](A: f16[M, N], n: i32[M], S: f32[M]) {
  for i in 0..M {
    S[i] = -inf
    reduce j in 0..N {
      S[i] max= f32(A[i, j]) * 0.5 + f32(n[i])
    }
  }
}
)");
  EXPECT_EQ(to_string(ring_form(function)),
            R"(func scaled[M, N](A: ring16[M, N], n: i32[M], S: ring32[M]) {
  for i in 0..M {
    S[i] = -inf_ring32
    reduce j in 0..N {
      S[i] max= ring32(A[i, j]) * 32131.0ring32 + ring32(n[i])
    }
  }
})");
}

/// The sum of a row in one order and in another.
TEST(RingForm, GivesEqualSumsInAnyOrder) {
  const auto sum_in = [](const char* index) {
    const Function function = ring_form(parse_function(
        std::string("func sum(A: f32[100], S: f32[]) {\n  S[] = 0.0\n  reduce k in 0..100 {\n"
                    "    S[] += A[") +
        index + "] * 0.3\n  }\n}\n"));
    Buffers buffers;
    Buffer& input = buffers.emplace("A", Buffer(ring, {100})).first->second;
    for (int64_t n = 0; n < 100; ++n)
      write_element(input.bytes.data() + n * 4, element(std::sin(static_cast<double>(n))));
    buffers.emplace("S", Buffer(ring, {}));
    interpret(function, {}, buffers);
    return read_element(ring, buffers.at("S").bytes.data()).real;
  };
  EXPECT_EQ(sum_in("k"), sum_in("99 - k"));
  EXPECT_NE(sum_in("k"), sum_in("k / 2"));
}

}  // namespace ring_test
}  // namespace hone

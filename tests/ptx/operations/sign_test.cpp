// Signs, extremes and kinds of floating-point numbers, in their bits.
#include <cmath>

#include "tests/ptx/operations/exact_reals.h"

namespace hone::ptx {
namespace sign_test {

template <class T>
const char* type_name() {
  if constexpr (std::is_same_v<T, F16>) return ".f16";
  if constexpr (std::is_same_v<T, Bf16>) return ".bf16";
  return std::is_same_v<T, float> ? ".f32" : ".f64";
}

template <class T>
std::vector<T> critical() {
  if constexpr (sizeof(T) == 2)
    return critical_halves<T>();
  else
    return critical_reals<T>();
}

template <class Check>
void for_each_real(const Check& check) {
  check(F16{});
  check(Bf16{});
  check(float{});
  check(double{});
}

template <class T>
T of_bits(BitsOf<T> bits) {
  return std::bit_cast<T>(bits);
}

TEST(PtxSigns, AreBits) {
  for_each_real([]<class T>(T) {
    constexpr auto sign = static_cast<BitsOf<T>>(BitsOf<T>{1} << (8 * sizeof(T) - 1));
    const auto bits = [](T value) { return std::bit_cast<BitsOf<T>>(value); };
    expect_results(
        std::string("abs") + type_name<T>(),
        [&](T a) { return of_bits<T>(bits(a) & static_cast<BitsOf<T>>(~sign)); }, critical<T>());
    expect_results(
        std::string("neg") + type_name<T>(), [&](T a) { return of_bits<T>(bits(a) ^ sign); },
        critical<T>());
  });
  expect_results(
      "neg.ftz.f32", [](float a) { return -without_subnormals(a); }, critical_reals<float>());
  expect_results(
      "copysign.f32", [](float a, float b) { return std::copysign(b, a); }, critical_reals<float>(),
      critical_reals<float>());
}

/// IEEE 754's minimumNumber and maximumNumber, or minimum and maximum where NaN is kept.
template <class T>
T extreme(T a, T b, bool greatest, bool keeps_nan) {
  const llvm::APFloat x = exact(a), y = exact(b);
  if (x.isNaN() || y.isNaN()) return nearest<T>(keeps_nan == x.isNaN() ? x : y);
  if (x.isZero() && y.isZero()) return x.isNegative() == greatest ? b : a;
  return (x.compare(y) == llvm::APFloat::cmpGreaterThan) == greatest ? a : b;
}

TEST(PtxSigns, Extremes) {
  for_each_real([]<class T>(T) {
    for (const bool greatest : {false, true}) {
      const std::string opcode = greatest ? "max" : "min";
      expect_results(
          opcode + type_name<T>(), [=](T a, T b) { return extreme(a, b, greatest, false); },
          critical<T>(), critical<T>());
      expect_results(
          opcode + ".NaN" + type_name<T>(), [=](T a, T b) { return extreme(a, b, greatest, true); },
          critical<T>(), critical<T>());
    }
  });
}

TEST(PtxSigns, ExtremesWithModifiers) {
  const std::vector<float> values = critical_reals<float>();
  expect_results(
      "max.ftz.f32",
      [](float a, float b) {
        return extreme(without_subnormals(a), without_subnormals(b), true, false);
      },
      values, values);
  expect_results(
      "min.xorsign.abs.f32",
      [](float a, float b) {
        const float magnitude = extreme(std::abs(a), std::abs(b), false, false);
        return std::copysign(magnitude, std::signbit(a) == std::signbit(b) ? 1.0f : -1.0f);
      },
      values, values);
  expect_results(
      "max.f32",
      [](float a, float b, float c) { return extreme(extreme(a, b, true, false), c, true, false); },
      values, values, values);
  expect_results(
      "min.NaN.abs.f32",
      [](float a, float b, float c) {
        return extreme(extreme(std::abs(a), std::abs(b), false, true), std::abs(c), false, true);
      },
      values, values, values);
}

TEST(PtxSigns, Kinds) {
  struct Kind {
    const char* name;
    bool (*holds)(const llvm::APFloat&);
  };
  const Kind kinds[] = {
      {"finite", [](const llvm::APFloat& a) { return a.isFinite(); }},
      {"infinite", [](const llvm::APFloat& a) { return a.isInfinity(); }},
      {"number", [](const llvm::APFloat& a) { return !a.isNaN(); }},
      {"notanumber", [](const llvm::APFloat& a) { return a.isNaN(); }},
      {"normal", [](const llvm::APFloat& a) { return a.isFinite() && !a.isDenormal(); }},
      {"subnormal", [](const llvm::APFloat& a) { return a.isDenormal(); }}};
  for (const auto& [name, holds] : kinds) {
    const Operation operation = known_operation(std::string("testp.") + name + ".f32", 2);
    for (const float value : critical_reals<float>()) {
      OperationLanes registers;
      registers.values<float>(1)[9] = value;
      registers.run(operation);
      EXPECT_EQ((registers.mask(0) >> 9 & 1) != 0, holds(exact(value))) << name << " " << value;
    }
  }
}

TEST(PtxSigns, WhatIsNotKnown) {
  EXPECT_EQ(problem_of("max.abs.f32", 3), "max.abs.f32: .abs is not known");
  EXPECT_EQ(problem_of("max.xorsign.abs.f32", 4), "max.xorsign.abs.f32: .xorsign is not known");
  EXPECT_EQ(problem_of("testp.f32", 2), "testp.f32: a test of no kind is not known");
  EXPECT_EQ(problem_of("copysign.f16", 3), "copysign.f16: .f16 is not known");
}

}  // namespace sign_test
}  // namespace hone::ptx

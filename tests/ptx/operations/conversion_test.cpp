// cvt between all types, rounded in all ways.
#include <cmath>

#include "tests/ptx/operations/exact_reals.h"

namespace hone::ptx {
namespace conversion_test {

template <class T>
std::string type_name() {
  if constexpr (std::is_same_v<T, F16>) return ".f16";
  if constexpr (std::is_same_v<T, Bf16>) return ".bf16";
  if constexpr (std::is_same_v<T, float>) return ".f32";
  if constexpr (std::is_same_v<T, double>) return ".f64";
  return (std::is_signed_v<T> ? ".s" : ".u") + std::to_string(8 * sizeof(T));
}

template <class T>
std::vector<T> critical() {
  if constexpr (std::is_integral_v<T>)
    return critical_integers<T>();
  else if constexpr (sizeof(T) == 2)
    return critical_halves<T>();
  else
    return critical_reals<T>();
}

template <class To, class From>
std::string conversion(const std::string& modifiers) {
  return "cvt" + modifiers + type_name<To>() + type_name<From>();
}

template <class... Types, class Check>
void for_types(const Check& check) {
  (check(Types{}), ...);
}

template <class Check>
void for_integers(const Check& check) {
  for_types<uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t>(check);
}

template <class Check>
void for_reals(const Check& check) {
  for_types<F16, Bf16, float, double>(check);
}

// ---- Integers -----------------------------------------------------------------------------------

template <class T>
T clamped(__int128 value) {
  using Limits = std::numeric_limits<T>;
  return static_cast<T>(std::clamp<__int128>(value, Limits::min(), Limits::max()));
}

TEST(PtxConversions, BetweenIntegers) {
  for_integers([]<class To>(To) {
    for_integers([]<class From>(From) {
      expect_results(
          conversion<To, From>(""), [](From a) { return static_cast<To>(a); }, critical<From>());
      expect_results(
          conversion<To, From>(".sat"), [](From a) { return clamped<To>(a); }, critical<From>());
    });
  });
}

TEST(PtxConversions, OfBytesFillTheRegister) {
  const std::vector<int32_t> values = critical<int32_t>();
  expect_results(
      "cvt.u8.s32", [](int32_t a) { return uint16_t{static_cast<uint8_t>(a)}; }, values);
  expect_results(
      "cvt.s8.s32", [](int32_t a) { return int16_t{static_cast<int8_t>(a)}; }, values);
  expect_results(
      "cvt.sat.s8.s32", [](int32_t a) { return int16_t{clamped<int8_t>(a)}; }, values);
  expect_results(
      "cvt.s32.s8", [](uint16_t a) { return int32_t{static_cast<int8_t>(a)}; },
      critical<uint16_t>());
  expect_results(
      "cvt.s64.u8", [](uint16_t a) { return int64_t{static_cast<uint8_t>(a)}; },
      critical<uint16_t>());
}

/// The result for one operand, in registers of these types.
template <class Result, class Arg>
Result in_registers(llvm::StringRef name, Type to, Type from, Arg value) {
  const Operation operation =
      find_operation(instruction_of(name, 2), {Register{"%d", to}, Register{"%a", from}});
  EXPECT_EQ(operation.problem, "");
  EXPECT_EQ(operation.types[0], to);
  EXPECT_EQ(operation.types[1], from);
  return results_of<Result>(operation, std::vector{std::tuple(value)})[0];
}

TEST(PtxConversions, InWiderRegisters) {
  EXPECT_EQ((in_registers<int32_t>("cvt.s32.s8", Type::b32, Type::b32, 0x12345680u)), -128);
  EXPECT_EQ((in_registers<int32_t>("cvt.s32.s8", Type::b32, Type::b64, uint64_t{0xfff00000077})),
            0x77);
  EXPECT_EQ((in_registers<uint32_t>("cvt.u8.u32", Type::b32, Type::b32, 0x12345680u)), 0x80u);
  EXPECT_EQ((in_registers<int64_t>("cvt.s16.s32", Type::b64, Type::b32, 0x1234ffffu)), -1);
  EXPECT_EQ((in_registers<int32_t>("cvt.sat.s8.s32", Type::b32, Type::b32, -1000)), -128);
  EXPECT_EQ((in_registers<uint32_t>("cvt.rn.f16.f32", Type::b32, Type::f32, -1.0f)), 0xbc00u);
  EXPECT_EQ((in_registers<float>("cvt.f32.f16", Type::f32, Type::b32, 0xffff3c00u)), 1.0f);
  EXPECT_EQ((in_registers<double>("cvt.rn.f64.u16", Type::f64, Type::b32, 0xffff0003u)), 3.0);
}

// ---- Between integers and reals -----------------------------------------------------------------

template <class From>
llvm::APFloat exact_integer(From value) {
  llvm::APFloat result(llvm::APFloat::IEEEquad());
  const llvm::APInt bits(64, static_cast<uint64_t>(value), std::is_signed_v<From>);
  result.convertFromAPInt(bits, std::is_signed_v<From>, Mode::NearestTiesToEven);
  return result;
}

TEST(PtxConversions, FromIntegersToReals) {
  for_reals([]<class To>(To) {
    for_integers([]<class From>(From) {
      for (const auto& [name, mode] : named_modes) {
        const Mode rounding = mode;
        expect_results(
            conversion<To, From>(std::string(".") + name),
            [=](From a) { return nearest<To>(exact_integer(a), rounding); }, critical<From>());
      }
    });
  });
}

/// The rule of PTX for NaN, and the nearest integer of the type.
template <class To, class From>
To integer_of(From value, Mode mode) {
  const bool is_long = sizeof(To) == 8 || sizeof(From) == 8;
  const llvm::APFloat real = exact(value);
  if (real.isNaN()) return is_long ? static_cast<To>(To{1} << (8 * sizeof(To) - 1)) : To{0};
  llvm::APSInt result(8 * sizeof(To), std::is_unsigned_v<To>);
  bool is_exact = false;
  real.convertToInteger(result, mode, &is_exact);
  return static_cast<To>(result.getZExtValue());
}

constexpr NamedMode integer_modes[] = {{".rni", Mode::NearestTiesToEven},
                                       {".rzi", Mode::TowardZero},
                                       {".rmi", Mode::TowardNegative},
                                       {".rpi", Mode::TowardPositive}};

template <class From>
std::vector<From> around_integers() {
  std::vector<From> values = critical<From>();
  if constexpr (sizeof(From) > 2)
    for (const double whole : {0.0, 1.0, 2.0, 127.0, 255.0, 32767.0, 65535.0, 2147483647.0,
                               4294967295.0, 0x1p63, 0x1p64})
      for (const double part : {-1.0, -0.5, -0.25, 0.25, 0.5, 1.0}) {
        values.push_back(static_cast<From>(whole + part));
        values.push_back(static_cast<From>(-whole - part));
      }
  return values;
}

TEST(PtxConversions, FromRealsToIntegers) {
  for_integers([]<class To>(To) {
    for_reals([]<class From>(From) {
      for (const auto& [name, mode] : integer_modes) {
        const Mode rounding = mode;
        expect_results(
            conversion<To, From>(name), [=](From a) { return integer_of<To>(a, rounding); },
            around_integers<From>());
      }
    });
  });
}

TEST(PtxConversions, FlushBeforeTheyRound) {
  for (const auto& [name, mode] : integer_modes) {
    const Mode rounding = mode;
    expect_results(
        conversion<int32_t, float>(std::string(name) + ".ftz"),
        [=](float a) { return integer_of<int32_t>(without_subnormals(a), rounding); },
        critical<float>());
  }
}

// ---- Between reals ------------------------------------------------------------------------------

TEST(PtxConversions, RoundReals) {
  for (const auto& [name, mode] : named_modes) {
    const Mode rounding = mode;
    for_reals([&]<class To>(To) {
      for_reals([&]<class From>(From) {
        if constexpr (sizeof(To) <= sizeof(From) && !std::is_same_v<To, From>)
          expect_results(
              conversion<To, From>(std::string(".") + name),
              [=](From a) { return nearest<To>(exact(a), rounding); }, critical<From>());
      });
    });
  }
}

TEST(PtxConversions, WidenReals) {
  const auto check = []<class To, class From>(To, From) {
    expect_results(
        conversion<To, From>(""), [](From a) { return nearest<To>(exact(a)); }, critical<From>());
  };
  check(float{}, F16{});
  check(float{}, Bf16{});
  check(double{}, F16{});
  check(double{}, Bf16{});
  check(double{}, float{});
}

TEST(PtxConversions, RoundToIntegersOfTheSameType) {
  for_reals([]<class Real>(Real) {
    for (const auto& [name, mode] : integer_modes) {
      const Mode rounding = mode;
      expect_results(
          conversion<Real, Real>(name),
          [=](Real a) {
            llvm::APFloat value = exact(a);
            value.roundToIntegral(rounding);
            return nearest<Real>(value);
          },
          around_integers<Real>());
    }
  });
}

TEST(PtxConversions, WithModifiers) {
  const std::vector<float> floats = critical<float>();
  expect_results("cvt.sat.f32.f32", between_0_and_1<float>, floats);
  expect_results(
      "cvt.ftz.f32.f32", [](float a) { return nearest<float>(exact(without_subnormals(a))); },
      floats);
  expect_results(
      "cvt.ftz.f64.f32", [](float a) { return nearest<double>(exact(without_subnormals(a))); },
      floats);
  expect_results(
      "cvt.rn.relu.bf16.f32", [](float a) { return not_negative(nearest<Bf16>(exact(a))); },
      floats);
  expect_results(
      "cvt.rn.sat.f16.f64", [](double a) { return between_0_and_1(nearest<F16>(exact(a))); },
      critical<double>());
  expect_results(
      "cvt.rz.ftz.f32.f64",
      [](double a) { return without_subnormals(nearest<float>(exact(a), Mode::TowardZero)); },
      critical<double>());
}

TEST(PtxConversions, TwoFloatsToAPair) {
  const std::vector<float> floats = critical<float>();
  const auto pair_of = []<class Half>(Half, Mode mode) {
    return [mode](float a, float b) {
      return std::bit_cast<uint32_t>(
          std::array{nearest<Half>(exact(b), mode), nearest<Half>(exact(a), mode)});
    };
  };
  expect_results("cvt.rn.f16x2.f32", pair_of(F16{}, Mode::NearestTiesToEven), floats, floats);
  expect_results("cvt.rn.bf16x2.f32", pair_of(Bf16{}, Mode::NearestTiesToEven), floats, floats);
  expect_results("cvt.rz.f16x2.f32", pair_of(F16{}, Mode::TowardZero), floats, floats);
  expect_results(
      "cvt.rn.relu.satfinite.f16x2.f32", [](float, float) { return 0x7bff0000u; },
      std::vector{INFINITY, 1e9f}, std::vector{-1.0f, -INFINITY});
}

// ---- All values of f16 --------------------------------------------------------------------------

std::vector<F16> all_f16() {
  std::vector<F16> values;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) values.push_back(static_cast<F16>(bits));
  return values;
}

double value_of_f16(F16 half) {
  const auto bits = static_cast<uint16_t>(half);
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double magnitude = exponent == 31  ? (fraction == 0 ? INFINITY : NAN)
                           : exponent == 0 ? std::ldexp(fraction, -24)
                                           : std::ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 != 0 ? -magnitude : magnitude;
}

TEST(PtxConversions, OfAllValuesOfF16) {
  const std::vector<F16> all = all_f16();
  expect_results(
      "cvt.f32.f16",
      [](F16 a) {
        const double value = value_of_f16(a);
        return std::isnan(value) ? std::bit_cast<float>(0x7fffffff) : static_cast<float>(value);
      },
      all);
  expect_results("cvt.f64.f16", value_of_f16, all);
  const auto to_integer = [](double (*round)(double)) {
    return [round](F16 a) {
      const double value = value_of_f16(a);
      if (std::isnan(value)) return 0;
      return static_cast<int32_t>(std::clamp(round(value), -2147483648.0, 2147483647.0));
    };
  };
  expect_results("cvt.rni.s32.f16", to_integer(std::nearbyint), all);
  expect_results("cvt.rmi.s32.f16", to_integer(std::floor), all);
  expect_results(
      "cvt.rzi.u8.f16",
      [](F16 a) {
        const double value = value_of_f16(a);
        return static_cast<uint16_t>(std::isnan(value) ? 0
                                                       : std::clamp(std::trunc(value), 0.0, 255.0));
      },
      all);
}

/// The floats halfway between neighbours, and those next to them, lead to the nearest.
TEST(PtxConversions, ToAllValuesOfF16) {
  std::vector<std::tuple<float>> rows;
  std::vector<uint16_t> wanted;
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const double next = bits == 0x7bff ? 65536 : value_of_f16(static_cast<F16>(bits + 1));
    const auto here = static_cast<float>(value_of_f16(static_cast<F16>(bits)));
    const auto halfway = static_cast<float>((here + next) / 2);
    const auto even = static_cast<uint16_t>(bits + bits % 2);
    rows.insert(rows.end(),
                {here, halfway, std::nextafter(halfway, 0.0f), std::nextafter(halfway, 1e9f)});
    wanted.insert(wanted.end(), {static_cast<uint16_t>(bits), even, static_cast<uint16_t>(bits),
                                 static_cast<uint16_t>(bits + 1)});
  }
  EXPECT_EQ(results_of<uint16_t>(known_operation("cvt.rn.f16.f32", 2), rows), wanted);
}

// ---- Floats of 8 bits and tf32 ------------------------------------------------------------------

struct ByteFormat {
  const char* name;
  int mantissa, bias, largest;
};
constexpr ByteFormat byte_formats[] = {{"e4m3x2", 3, 7, 0x7e}, {"e5m2x2", 2, 15, 0x7b}};

/// Of no sign, and not beyond the largest.
double value_of_byte(const ByteFormat& format, int bits) {
  const int exponent = bits >> format.mantissa, fraction = bits & ((1 << format.mantissa) - 1);
  return exponent == 0 ? std::ldexp(fraction, 1 - format.bias - format.mantissa)
                       : std::ldexp(fraction + (1 << format.mantissa),
                                    exponent - format.bias - format.mantissa);
}

/// By a search among all.
uint16_t nearest_byte(const ByteFormat& format, double value) {
  if (std::isnan(value)) return 0x7f;
  const double magnitude = std::abs(value);
  int best = 0;
  for (int bits = 0; bits <= format.largest; ++bits) {
    const double distance = std::abs(value_of_byte(format, bits) - magnitude);
    const double least = std::abs(value_of_byte(format, best) - magnitude);
    if (distance < least || (distance == least && bits % 2 == 0)) best = bits;
  }
  if (std::isinf(value)) best = format.largest;
  return static_cast<uint16_t>(best | (std::signbit(value) ? 0x80 : 0));
}

TEST(PtxConversions, ToFloatsOfEightBits) {
  const std::vector<float> high = {0, -1.7f, 1e9f, -INFINITY, NAN};
  std::vector<float> low;
  for (uint32_t bits = 0; bits < 0x10000; bits += 61)
    low.push_back(static_cast<float>(value_of_f16(static_cast<F16>(bits))));
  for (const ByteFormat& format : byte_formats) {
    const auto packed = [&](float a, float b) {
      return static_cast<uint16_t>(nearest_byte(format, a) << 8 | nearest_byte(format, b));
    };
    expect_results(std::string("cvt.rn.satfinite.") + format.name + ".f32", packed, high, low);
    const auto of_halves = [&](uint32_t pair) {
      return packed(static_cast<float>(value_of_f16(static_cast<F16>(pair >> 16))),
                    static_cast<float>(value_of_f16(static_cast<F16>(pair & 0xffff))));
    };
    expect_results(std::string("cvt.rn.satfinite.") + format.name + ".f16x2", of_halves,
                   critical<uint32_t>());
  }
}

TEST(PtxConversions, FromFloatsOfEightBits) {
  for (const ByteFormat& format : byte_formats)
    for (int bits = 0; bits <= format.largest; ++bits) {
      const Operation operation = known_operation(std::string("cvt.rn.f16x2.") + format.name, 2);
      const auto pair = static_cast<uint16_t>(bits << 8 | bits | 0x80);
      const auto result = results_of<uint32_t>(operation, std::vector{std::tuple(pair)})[0];
      EXPECT_EQ(value_of_f16(static_cast<F16>(result >> 16)), value_of_byte(format, bits));
      EXPECT_EQ(value_of_f16(static_cast<F16>(result & 0xffff)), -value_of_byte(format, bits));
    }
  const auto wide = [](llvm::StringRef name, uint16_t pair) {
    return results_of<uint32_t>(known_operation(name, 2), std::vector{std::tuple(pair)})[0];
  };
  EXPECT_EQ(wide("cvt.rn.f16x2.e4m3x2", 0x7fff), 0x7fff7fffu);
  EXPECT_EQ(wide("cvt.rn.f16x2.e5m2x2", 0x7cfc), 0x7c00fc00u);
  EXPECT_EQ(wide("cvt.rn.relu.f16x2.e5m2x2", 0xbc3c), 0x00003c00u);
}

TEST(PtxConversions, ToTf32) {
  const std::vector<uint32_t> bits = {0x3f800fff, 0x3f801000, 0x3f801001, 0x3f803000, 0xbf801000,
                                      0x7f7fffff, 0x00001000, 0x00000fff, 0x80001800, 0xff800000};
  const auto rounded = [](uint32_t half) {
    return [half](uint32_t a) { return (a + half) & ~0x1fffu; };
  };
  expect_results("cvt.rna.tf32.f32", rounded(0x1000), bits);
  expect_results("cvt.rz.tf32.f32", rounded(0), bits);
  expect_results(
      "cvt.rn.tf32.f32", [&](uint32_t a) { return rounded(0xfff + (a >> 13 & 1))(a); }, bits);
  expect_results(
      "cvt.rn.relu.tf32.f32", [](uint32_t) { return 0u; },
      std::vector<uint32_t>{0xbf801000, 0x80000000});
  expect_results(
      "cvt.rna.satfinite.tf32.f32", [](uint32_t) { return 0x7f7fe000u; },
      std::vector<uint32_t>{0x7f7fffff, 0x7f800000});
  expect_results(
      "cvt.rna.tf32.f32", [](uint32_t) { return 0x7fffffffu; },
      std::vector<uint32_t>{0x7fc00000, 0xff800001});
}

// ---- cvt.pack -----------------------------------------------------------------------------------

TEST(PtxConversions, PackTwoIntegers) {
  const std::vector<int32_t> values = critical<int32_t>();
  expect_results(
      "cvt.pack.sat.s16.s32",
      [](int32_t a, int32_t b) {
        return static_cast<uint32_t>(uint16_t(clamped<int16_t>(a))) << 16 |
               uint16_t(clamped<int16_t>(b));
      },
      values, values);
  expect_results(
      "cvt.pack.sat.u8.s32.b32",
      [](int32_t a, int32_t b, uint32_t c) {
        return c << 16 | static_cast<uint32_t>(clamped<uint8_t>(a)) << 8 | clamped<uint8_t>(b);
      },
      values, values, critical<uint32_t>());
  expect_results(
      "cvt.pack.sat.s4.s32.b32",
      [](int32_t a, int32_t b, uint32_t c) {
        const auto four = [](int32_t value) { return std::clamp(value, -8, 7) & 15u; };
        return c << 8 | four(a) << 4 | four(b);
      },
      values, values, critical<uint32_t>());
}

TEST(PtxConversions, WhatIsNotKnown) {
  EXPECT_EQ(problem_of("cvt.s32.f32", 2),
            "cvt.s32.f32: a conversion without .rni, .rzi, .rmi or .rpi is not known");
  EXPECT_EQ(problem_of("cvt.rs.f16x2.f32", 4), "cvt.rs.f16x2.f32: .rs is not known");
  EXPECT_EQ(problem_of("cvt.rn.bf16x2.ue8m0x2", 2), "cvt.rn.bf16x2.ue8m0x2: .ue8m0x2 is not known");
  EXPECT_EQ(problem_of("cvt.u32", 2), "cvt.u32: a conversion between these types is not known");
  EXPECT_EQ(problem_of("cvt.rn.f16x2.s32", 2),
            "cvt.rn.f16x2.s32: a conversion between these types is not known");
  EXPECT_EQ(problem_of("cvt.rna.tf32.f64", 2),
            "cvt.rna.tf32.f64: a conversion between these types is not known");
  EXPECT_EQ(problem_of("cvt.pack.sat.u32.s32", 3),
            "cvt.pack.sat.u32.s32: a conversion between these types is not known");
}

}  // namespace conversion_test
}  // namespace hone::ptx

// Arithmetic on f32 and f64 in all roundings.
#include <cmath>

#include "tests/ptx/operations/exact_reals.h"

namespace hone::ptx {
namespace real_test {

std::string name_of_form(llvm::StringRef opcode, llvm::StringRef mode, llvm::StringRef rest) {
  return (opcode + "." + mode + rest).str();
}

using Binary = llvm::APFloat (*)(llvm::APFloat, const llvm::APFloat&, Mode);
constexpr std::pair<const char*, Binary> binaries[] = {
    {"add", sum}, {"sub", difference}, {"mul", product}, {"div", quotient}};

template <class T>
void expect_all_roundings(llvm::StringRef type) {
  const std::vector<T> values = critical_reals<T>();
  for (const auto& [name, mode] : named_modes) {
    const Mode rounding = mode;
    for (const auto& [opcode, function] : binaries) {
      const Binary expected = function;
      expect_results(
          name_of_form(opcode, name, type),
          [=](T a, T b) { return nearest<T>(expected(exact(a), exact(b), rounding)); }, values,
          values);
    }
    expect_results(
        name_of_form("fma", name, type),
        [=](T a, T b, T c) { return nearest<T>(fused(exact(a), exact(b), exact(c), rounding)); },
        values, values, values);
    expect_results(
        name_of_form("rcp", name, type),
        [=](T a) { return nearest<T>(quotient(exact(T{1}), exact(a), rounding)); }, values);
  }
}

TEST(PtxReals, AreRoundedOnce) {
  expect_all_roundings<float>(".f32");
  expect_all_roundings<double>(".f64");
}

/// The root as the rounding has it: the greatest number whose square is not beyond.
template <class T>
void expect_roots(llvm::StringRef type) {
  for (const auto& [name, mode] : named_modes) {
    const Mode rounding = mode;
    expect_results(
        name_of_form("sqrt", name, type),
        [=](T a) {
          const T root = std::sqrt(a);
          if (!(a > 0) || std::isinf(a))
            return a < 0 ? nearest<T>(exact(T(NAN))) : a == a ? root : nearest<T>(exact(a));
          const auto square = [](T value) { return static_cast<__float128>(value) * value; };
          const T below = square(root) > a ? std::nextafter(root, T{0}) : root;
          if (rounding == Mode::NearestTiesToEven) return root;
          if (rounding != Mode::TowardPositive || square(below) == a) return below;
          return std::nextafter(below, T(INFINITY));
        },
        critical_reals<T>());
  }
}

TEST(PtxReals, Roots) {
  expect_roots<float>(".f32");
  expect_roots<double>(".f64");
}

TEST(PtxReals, FlushSubnormalNumbers) {
  const std::vector<float> values = critical_reals<float>();
  for (const auto& [name, mode] : named_modes) {
    const Mode rounding = mode;
    const auto flushed_result = [=](const llvm::APFloat& value) {
      return without_subnormals(nearest<float>(value));
    };
    const auto operand = [](float value) { return exact(without_subnormals(value)); };
    expect_results(
        name_of_form("mul", name, ".ftz.f32"),
        [=](float a, float b) { return flushed_result(product(operand(a), operand(b), rounding)); },
        values, values);
    expect_results(
        name_of_form("fma", name, ".ftz.sat.f32"),
        [=](float a, float b, float c) {
          return between_0_and_1(
              flushed_result(fused(operand(a), operand(b), operand(c), rounding)));
        },
        values, values, values);
  }
}

TEST(PtxReals, Saturate) {
  const std::vector<float> values = critical_reals<float>();
  expect_results(
      "add.sat.f32",
      [](float a, float b) {
        return between_0_and_1(nearest<float>(sum(exact(a), exact(b), Mode::NearestTiesToEven)));
      },
      values, values);
}

TEST(PtxReals, LeaveTheRoundingOfTheHostAlone) {
  expect_results(
      "add.rp.f32", [](float a, float b) { return std::nextafter(a + b, 2.0f); }, std::vector{1.0f},
      std::vector{0x1p-40f});
  volatile float one = 1, tiny = 0x1p-40f;
  EXPECT_EQ(one + tiny, 1.0f);
}

TEST(PtxReals, PairsOfFloats) {
  using Floats = std::array<float, 2>;
  std::vector<uint64_t> pairs;
  const std::vector<float> values = critical_reals<float>();
  for (size_t n = 0; n < values.size(); ++n)
    pairs.push_back(std::bit_cast<uint64_t>(Floats{values[n], values[values.size() - 1 - n]}));
  const auto each = [](auto function) {
    return [function](uint64_t a, uint64_t b) {
      const auto x = std::bit_cast<Floats>(a), y = std::bit_cast<Floats>(b);
      return std::bit_cast<uint64_t>(Floats{function(x[0], y[0]), function(x[1], y[1])});
    };
  };
  expect_results("add.rz.f32x2", each([](float a, float b) {
                   return nearest<float>(sum(exact(a), exact(b), Mode::TowardZero));
                 }),
                 pairs, pairs);
  expect_results(
      "mul.rn.ftz.f32x2", each([](float a, float b) {
        return without_subnormals(nearest<float>(product(
            exact(without_subnormals(a)), exact(without_subnormals(b)), Mode::NearestTiesToEven)));
      }),
      pairs, pairs);
}

template <class Half>
llvm::APFloat widened(Half value) {
  return exact(nearest<float>(exact(value)));
}

TEST(PtxReals, OperandsOfSixteenBits) {
  const std::vector<float> values = critical_reals<float>();
  expect_results(
      "add.rz.f32.bf16",
      [](Bf16 a, float b) { return nearest<float>(sum(widened(a), exact(b), Mode::TowardZero)); },
      critical_halves<Bf16>(), values);
  expect_results(
      "sub.rn.sat.f32.f16",
      [](F16 a, float b) {
        return between_0_and_1(
            nearest<float>(difference(widened(a), exact(b), Mode::NearestTiesToEven)));
      },
      critical_halves<F16>(), values);
  expect_results(
      "fma.rn.f32.f16",
      [](F16 a, F16 b, float c) {
        return nearest<float>(fused(widened(a), widened(b), exact(c), Mode::NearestTiesToEven));
      },
      critical_halves<F16>(), critical_halves<F16>(), values);
}

// ---- Approximations -----------------------------------------------------------------------------

float plain(double value) { return nearest<float>(exact(static_cast<float>(value))); }

TEST(PtxApproximations, AreTheNearestFloat) {
  const std::vector<float> values = critical_reals<float>();
  using Function = double (*)(double);
  const std::pair<const char*, Function> functions[] = {
      {"rcp", [](double a) { return 1 / a; }},
      {"sqrt", [](double a) { return std::sqrt(a); }},
      {"rsqrt", [](double a) { return 1 / std::sqrt(a); }},
      {"sin", [](double a) { return std::sin(a); }},
      {"cos", [](double a) { return std::cos(a); }},
      {"lg2", [](double a) { return std::log2(a); }},
      {"ex2", [](double a) { return std::exp2(a); }}};
  for (const auto& [opcode, function] : functions) {
    const Function expected = function;
    expect_results(
        std::string(opcode) + ".approx.f32", [=](float a) { return plain(expected(a)); }, values);
    expect_results(
        std::string(opcode) + ".approx.ftz.f32",
        [=](float a) { return without_subnormals(plain(expected(without_subnormals(a)))); },
        values);
  }
  expect_results(
      "tanh.approx.f32", [](float a) { return plain(std::tanh(double{a})); }, values);
}

TEST(PtxApproximations, OfQuotients) {
  const std::vector<float> values = critical_reals<float>();
  expect_results(
      "div.full.f32", [](float a, float b) { return plain(a / b); }, values, values);
  const auto expect_quotient = [](float a, float b, float wanted) {
    expect_results(
        "div.approx.f32", [=](float, float) { return wanted; }, std::vector{a}, std::vector{b});
  };
  expect_quotient(3, 2, 1.5f);
  expect_quotient(0x1p127f, 0x1.8p126f, 0);
  expect_quotient(0x1p127f, -0x1.8p126f, -0.0f);
  expect_quotient(INFINITY, 0x1.8p126f, plain(NAN));
  expect_quotient(0x1p127f, 0x1p126f, 2);
  expect_results(
      "div.approx.ftz.f32", [](float, float) { return INFINITY; }, std::vector{1.0f},
      std::vector{0x1p-130f});
}

TEST(PtxApproximations, OfTheUpperHalfOfDoubles) {
  const auto upper = [](double value) {
    return std::bit_cast<double>(std::bit_cast<uint64_t>(value) & 0xffffffff00000000);
  };
  const std::vector<double> values = {3, 0.1, -7e200, 1e-310, INFINITY, 0.0, -0.0};
  expect_results(
      "rcp.approx.ftz.f64",
      [&](double a) {
        return upper(1 / upper(std::abs(a) < 0x1p-1022 ? std::copysign(0.0, a) : a));
      },
      values);
  expect_results(
      "rsqrt.approx.f64", [](double a) { return 1 / std::sqrt(a); }, values);
}

TEST(PtxReals, WhatIsNotKnown) {
  EXPECT_EQ(problem_of("add.ftz.f64", 3), "add.ftz.f64: .ftz is not known");
  EXPECT_EQ(problem_of("rcp.f32", 2), "rcp.f32: a form without a rounding is not known");
  EXPECT_EQ(problem_of("sin.ftz.f32", 2), "sin.ftz.f32: a form without .approx is not known");
  EXPECT_EQ(problem_of("div.approx.full.f32", 3),
            "div.approx.full.f32: a quotient without .approx or .full is not known");
  EXPECT_EQ(problem_of("add.rn.ftz.f32.f16", 3), "add.rn.ftz.f32.f16: .ftz is not known");
  EXPECT_EQ(problem_of("add.rn.f32.u32", 3), "add.rn.f32.u32: .u32 is not known");
  EXPECT_EQ(problem_of("ex2.f16", 2), "ex2.f16: a form without .approx is not known");
}

}  // namespace real_test
}  // namespace hone::ptx

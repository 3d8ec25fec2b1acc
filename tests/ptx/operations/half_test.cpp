// Arithmetic on f16 and bf16, one value or two in a register.
#include <cmath>
#include <random>

#include "tests/ptx/operations/exact_reals.h"

namespace hone::ptx {
namespace half_test {

constexpr Mode to_nearest = Mode::NearestTiesToEven;

template <class Half>
std::string typed(llvm::StringRef name, bool is_pair = false) {
  return (name + (std::is_same_v<Half, F16> ? ".f16" : ".bf16") + (is_pair ? "x2" : "")).str();
}

/// Some of the values, of both signs.
template <class T>
std::vector<T> some_of(const std::vector<T>& values) {
  std::vector<T> some;
  for (size_t n = 0; n < values.size(); n += 5) some.push_back(values[n]);
  return some;
}

template <class Half>
void expect_arithmetic() {
  const std::vector<Half> values = critical_halves<Half>(), some = some_of(values);
  expect_results(
      typed<Half>("add"),
      [](Half a, Half b) { return nearest<Half>(sum(exact(a), exact(b), to_nearest)); }, values,
      values);
  expect_results(
      typed<Half>("sub.rn"),
      [](Half a, Half b) { return nearest<Half>(difference(exact(a), exact(b), to_nearest)); },
      values, values);
  expect_results(
      typed<Half>("mul.noftz"),
      [](Half a, Half b) { return nearest<Half>(product(exact(a), exact(b), to_nearest)); }, values,
      values);
  expect_results(
      typed<Half>("fma.rn"),
      [](Half a, Half b, Half c) {
        return nearest<Half>(fused(exact(a), exact(b), exact(c), to_nearest));
      },
      some, values, values);
  expect_results(
      typed<Half>("fma.rn.relu"),
      [](Half a, Half b, Half c) {
        return not_negative(nearest<Half>(fused(exact(a), exact(b), exact(c), to_nearest)));
      },
      some, values, some);
}

TEST(PtxHalves, AreRoundedOnce) {
  expect_arithmetic<F16>();
  expect_arithmetic<Bf16>();
}

/// Any bits, many of them near to each other.
template <class Half>
std::vector<std::tuple<Half, Half, Half>> random_rows(int count) {
  std::mt19937 random(7);
  std::vector<std::tuple<Half, Half, Half>> rows;
  for (int n = 0; n < count; ++n) {
    const uint32_t a = random(), b = random();
    const auto c = static_cast<Half>(n % 2 == 0 ? a >> 16 : (a + b) / 2 & 0xffff);
    rows.emplace_back(static_cast<Half>(a & 0xffff), static_cast<Half>(b & 0xffff), c);
  }
  return rows;
}

template <class Half>
void expect_random_fused() {
  const auto rows = random_rows<Half>(6000);
  const auto results = results_of<Half>(known_operation(typed<Half>("fma.rn"), 4), rows);
  for (size_t n = 0; n < rows.size(); ++n) {
    const auto [a, b, c] = rows[n];
    ASSERT_EQ(results[n], nearest<Half>(fused(exact(a), exact(b), exact(c), to_nearest))) << n;
  }
}

TEST(PtxHalves, FusedOfAnyBits) {
  expect_random_fused<F16>();
  expect_random_fused<Bf16>();
}

TEST(PtxHalves, FlushAndSaturate) {
  const std::vector<F16> values = critical_halves<F16>();
  const auto operand = [](F16 value) { return exact(without_subnormals(value)); };
  expect_results(
      "mul.ftz.f16",
      [&](F16 a, F16 b) {
        return without_subnormals(nearest<F16>(product(operand(a), operand(b), to_nearest)));
      },
      values, values);
  expect_results(
      "add.ftz.sat.f16",
      [&](F16 a, F16 b) {
        return between_0_and_1(
            without_subnormals(nearest<F16>(sum(operand(a), operand(b), to_nearest))));
      },
      values, values);
}

template <class Half>
void expect_pairs() {
  using Halves = std::array<Half, 2>;
  const std::vector<Half> values = critical_halves<Half>();
  std::vector<uint32_t> pairs;
  for (size_t n = 0; n < values.size(); ++n)
    pairs.push_back(std::bit_cast<uint32_t>(Halves{values[n], values[values.size() - 1 - n]}));
  expect_results(
      typed<Half>("fma.rn", true),
      [](uint32_t a, uint32_t b, uint32_t c) {
        const auto x = std::bit_cast<Halves>(a), y = std::bit_cast<Halves>(b),
                   z = std::bit_cast<Halves>(c);
        const auto half = [&](int n) {
          return nearest<Half>(fused(exact(x[n]), exact(y[n]), exact(z[n]), to_nearest));
        };
        return std::bit_cast<uint32_t>(Halves{half(0), half(1)});
      },
      some_of(pairs), some_of(pairs), pairs);
}

TEST(PtxHalves, Pairs) {
  expect_pairs<F16>();
  expect_pairs<Bf16>();
}

template <class Half>
void expect_approximation(llvm::StringRef name, double (*function)(double)) {
  std::vector<Half> values;
  for (uint32_t bits = 0; bits < 0x10000; bits += 7) values.push_back(static_cast<Half>(bits));
  expect_results(
      typed<Half>(name),
      [=](Half a) {
        bool loses = false;
        llvm::APFloat value = exact(a);
        value.convert(llvm::APFloat::IEEEdouble(), to_nearest, &loses);
        return nearest<Half>(exact(function(value.convertToDouble())));
      },
      values);
}

TEST(PtxHalves, Approximations) {
  const auto power = [](double a) { return std::exp2(a); };
  const auto tangent = [](double a) { return std::tanh(a); };
  expect_approximation<F16>("ex2.approx", power);
  expect_approximation<Bf16>("ex2.approx.ftz", power);
  expect_approximation<F16>("tanh.approx", tangent);
  expect_approximation<Bf16>("tanh.approx", tangent);
}

TEST(PtxHalves, WhatIsNotKnown) {
  EXPECT_EQ(problem_of("fma.rn.oob.f16", 4), "fma.rn.oob.f16: .oob is not known");
  EXPECT_EQ(problem_of("add.rz.f16", 3), "add.rz.f16: .rz is not known");
  EXPECT_EQ(problem_of("add.sat.bf16", 3), "add.sat.bf16: .sat is not known");
  EXPECT_EQ(problem_of("add.relu.f16", 3), "add.relu.f16: .relu is not known");
}

}  // namespace half_test
}  // namespace hone::ptx

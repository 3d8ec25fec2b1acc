// What is expected of a program's outputs, and how far rounding may take others.
#include "tools/cli/judge/expected.h"

#include <cmath>

#include "dsl/schedule.h"
#include "gmock/gmock.h"
#include "tools/cli/judge/trial.h"

namespace hone {
namespace expected_test {

using testing::HasSubstr;

/// A program with the elements of its inputs, as a user brings them.
struct Given {
  Program program;
  Problem problem;

  Given(Program program_of_test, const std::map<std::string, AnyArray>& inputs,
        const Sizes& sizes = {})
      : program(std::move(program_of_test)) {
    InputFiles files;
    for (const auto& [name, array] : inputs) files.emplace(name, InputFile{name, array});
    problem = make_problem(program.function(), sizes, files, 1);
  }

  ExpectedTensor expected(const std::string& name) const {
    return expected_results(program.function(), problem).find(name)->second;
  }
};

double value(const ExpectedTensor& expected, int64_t position = 0) {
  return static_cast<const double*>(expected.values.data())[position];
}

template <class T>
Verdict verdict_on(const std::vector<T>& output, const ExpectedTensor& expected) {
  return compare(Array<T>(output, expected.values.shape()), expected);
}

Program sum_of(DType type, int64_t size) {
  const Tensor A("A", type, {size}), S("S", type, {});
  const ReduceAxis k("k", size);
  return Program("f", S() = sum(k, A(k)));
}

TEST(Expected, OfALongSumIsTheExactOne) {
  std::vector<float> values(20000, 1.0f);
  values[0] = 3e8f;
  const ExpectedTensor sum =
      Given(sum_of(f32, 20000), {{"A", Array<float>(values, {20000})}}).expected("S");
  EXPECT_EQ(value(sum), 300019999);
  EXPECT_EQ(verdict_on<float>({300019970.0f}, sum).mismatch, "");  // by a tree
  EXPECT_EQ(verdict_on<float>({300000000.0f}, sum).mismatch, "");  // one by one
  EXPECT_EQ(measured_text(verdict_on<float>({300000000.0f}, sum)),
            "6.7e-05; 5.6 % of the difference that roundings of f32 in a sum of 20000 terms, 3e+08 "
            "in magnitude explain");
  EXPECT_EQ(deviation_text(verdict_on<float>({300020000.0f}, sum)), "exact");
  EXPECT_EQ(verdict_on<float>({3e8f * 1.01f}, sum).mismatch,
            "S is 303000000, and the program without a schedule gives 300020000 (off by 3e+06, and "
            "roundings of f32 in a sum of 20000 terms, 3e+08 in magnitude explain 3.6e+05)");
}

/// The sum of the absolute values counts, and not the small one that is left.
TEST(Expected, AllowsForCancellation) {
  std::vector<float> values(2000);
  for (int n = 0; n < 2000; ++n) values[n] = (n % 2 ? -1e8f : 1e8f) + static_cast<float>(n % 3 * 8);
  double exact = 0;
  float even = 0, odd = 0;
  for (int n = 0; n < 2000; ++n) {
    exact += values[n];
    (n % 2 ? odd : even) += values[n];
  }
  const ExpectedTensor sum =
      Given(sum_of(f32, 2000), {{"A", Array<float>(values, {2000})}}).expected("S");
  EXPECT_EQ(value(sum), exact);
  EXPECT_GT(std::abs(even + odd - exact), 100);
  EXPECT_EQ(verdict_on<float>({even + odd}, sum).mismatch, "");
  EXPECT_NE(verdict_on<float>({1e8f}, sum).mismatch, "");
}

/// Multiples of 1/128 with few digits, as our random inputs are: no order rounds their sum.
TEST(Expected, AllowsNothingWhereNothingRounds) {
  const Tensor A("A", f32, {3, 40}), B("B", f32, {40, 2}), C("C", f32, {3, 2});
  const Axis i("i", 3), j("j", 2);
  const ReduceAxis k("k", 40);
  const Program program("f", C(i, j) = sum(k, A(i, k) * B(k, j)));
  const Problem problem = make_problem(program.function(), {}, {}, 1);
  const ExpectedTensor expected = expected_results(program.function(), problem).find("C")->second;
  for (int64_t n = 0; n < 6; ++n) EXPECT_EQ(expected.allowed(f32, n, 0), 0) << n;
}

/// The verdict on the sum of 4096 squares of three and a number behind, by its products' type.
Verdict verdict_on_squares(DType type, float result) {
  const int64_t size = 4096;
  const Tensor A("A", type, {size}), S("S", f32, {});
  const ReduceAxis k("k", size);
  const Program program("f", S() = sum(k, cast(f32, A(k)) * cast(f32, A(k))));
  std::vector<Float8E4M3> bytes(size, Float8E4M3(3));
  std::vector<Half> halves(size, Half(3));
  bytes[0] = Float8E4M3(0.875F);
  halves[0] = Half(0.875F);
  const AnyArray values = type == f16 ? AnyArray(Array<Half>(halves, {size}))
                                      : AnyArray(Array<Float8E4M3>(bytes, {size}));
  return verdict_on<float>({result}, Given(program, {{"A", values}}).expected("S"));
}

/// Tensor cores cut them to 14 digits, after 32 products each.
TEST(Expected, OfProductsOfFloatsOfEightBitsHasShortSums) {
  const float exact = 4095 * 9 + 0.765625F;
  EXPECT_EQ(verdict_on_squares(f8e4m3, exact - 16 * 32).mismatch, "");
  EXPECT_NE(verdict_on_squares(f8e4m3, exact - 16 * 64).mismatch, "");
  EXPECT_NE(verdict_on_squares(f16, exact - 16).mismatch, "");
}

TEST(Expected, OfIntegersIsExact) {
  const ExpectedTensor sum =
      Given(sum_of(i32, 3), {{"A", Array<int32_t>({2147483647, 1, 5}, {3})}}).expected("S");
  EXPECT_EQ(verdict_on<int32_t>({-2147483643}, sum).mismatch, "");
  EXPECT_EQ(verdict_on<int32_t>({-2147483642}, sum).mismatch,
            "S is -2147483642, and the program without a schedule gives -2147483643");
}

/// Of 16-bit floats a sum may end beyond the largest number, and on the way there.
TEST(Expected, OfHalvesMayBeInfinite) {
  const ExpectedTensor sum =
      Given(sum_of(f16, 4), {{"A", Array<Half>(std::vector<Half>(4, Half(60000.0f)), {4})}})
          .expected("S");
  EXPECT_EQ(verdict_on<Half>({Half(INFINITY)}, sum).mismatch, "");
}

/// A row of 1e4 and noise: the mean is off by as much as the noise is, and rounding explains it.
TEST(Expected, OfNormalizedRowsIsNotWhatF32MakesOfThem) {
  constexpr int64_t size = 512;
  const Tensor X("X", f32, {size}), mean("mean", f32, {}), variance("variance", f32, {}),
      Y("Y", f32, {size});
  const ReduceAxis k("k", size), l("l", size);
  const Axis i("i", size);
  const Program program(
      "layernorm", mean() = sum(k, X(k)) / cast(f32, Expr(size)),
      variance() = sum(l, (X(l) - mean()) * (X(l) - mean())) / cast(f32, Expr(size)),
      Y(i) = (X(i) - mean()) * rsqrt(variance() + 1e-5));
  std::vector<float> values(size), in_f32(size);
  for (int n = 0; n < size; ++n) values[n] = 1e4f + static_cast<float>(n * 7919 % 1000) / 1000;
  float total = 0, squares = 0;
  for (const float x : values) total += x;
  const float middle = total / size;
  for (const float x : values) squares += (x - middle) * (x - middle);
  for (int n = 0; n < size; ++n)
    in_f32[n] = (values[n] - middle) / std::sqrt(squares / size + 1e-5f);
  const ExpectedTensor expected =
      Given(program, {{"X", Array<float>(values, {size})}}).expected("Y");
  const Verdict verdict = verdict_on(in_f32, expected);
  EXPECT_EQ(verdict.mismatch, "");
  EXPECT_GT(verdict.deviation, 1e-5);
  EXPECT_LT(verdict.used, 0.5);
  EXPECT_NE(measured_text(verdict), "exact");
}

TEST(Expected, AllowsForTheRoundingOfOperandsAndFunctions) {
  const Axis i("i", 3);
  const Tensor X("X", f32, {3}), Y("Y", f32, {3});
  const auto allowed = [&](const Expr& result, float x = 1.3f) {
    const Given given(Program("f", Y(i) = result), {{"X", Array<float>({x, x / 2, x * 2}, {3})}});
    const ExpectedTensor expected = given.expected("Y");
    return expected.allowed(f32, 0, 0) / std::abs(value(expected)) * 0x1p24;  // roundings
  };
  EXPECT_NEAR(allowed(X(i) * X(i)), 1, 0.01);
  EXPECT_NEAR(allowed(X(i) * X(i) * X(i)), 2, 0.01);
  EXPECT_NEAR(allowed(X(i) / 3.0), 1, 0.01);
  EXPECT_NEAR(allowed(exp(X(i))), 8, 0.1);
  EXPECT_NEAR(allowed(exp(X(i) * X(i))), 8 + 1.69, 0.1);
  EXPECT_NEAR(allowed(sqrt(X(i) * X(i))), 8.5, 0.6);
  EXPECT_EQ(allowed(X(i) + X(i), 1.25f), 0);
  EXPECT_EQ(allowed(max(X(i), 1.0) * 4.0, 1.25f), 0);
  EXPECT_EQ(allowed(X(i) * X(i) - 0.5, 1.25f), 0);
  EXPECT_EQ(allowed(select(X(i) > 1.0, X(i), 0.5)), 0);
}

/// Near 0, rounding decides the sign.
TEST(Expected, AllowsForBothSidesOfAChoiceThatRoundingDecides) {
  const Tensor A("A", f32, {3}), S("S", f32, {}), Y("Y", f32, {});
  const ReduceAxis k("k", 3);
  const Program program("f", S() = sum(k, A(k)), Y() = select(S() > 0.0, S() + 100.0, S()));
  const auto allowed = [&](std::vector<float> values) {
    return Given(program, {{"A", Array<float>(values, {3})}}).expected("Y").allowed(f32, 0, 0);
  };
  EXPECT_GT(allowed({1e8f, 0.1f, -1e8f}), 100);
  EXPECT_LT(allowed({1, 0.1f, 1}), 1e-4);
}

TEST(Expected, OfPairsIsByComponent) {
  const Tensor A("A", f32, {4}), best("best", f32_i32, {});
  const ReduceAxis k("k", 4);
  const ExpectedTensor expected = Given(Program("f", best() = argmax(k, A(k) * A(k))),
                                        {{"A", Array<float>({0.1f, 0.7f, 0.3f, 0.7f}, {4})}})
                                      .expected("best");
  using Pair = std::pair<float, int32_t>;
  EXPECT_EQ(verdict_on<Pair>({{0.7f * 0.7f, 1}}, expected).mismatch, "");
  EXPECT_THAT(verdict_on<Pair>({{0.7f * 0.7f, 3}}, expected).mismatch, HasSubstr("best is (0.48"));
  EXPECT_THAT(verdict_on<Pair>({{0.5f, 1}}, expected).mismatch, HasSubstr("(off by 0.01"));
}

TEST(Expected, OfAnElementThatIsAddedToCountsWhatItHad) {
  const Tensor A("A", f32, {3}), S("S", f32, {});
  const ReduceAxis k("k", 3);
  const ExpectedTensor sum = Given(Program("f", S() += hone::sum(k, A(k))),
                                   {{"A", Array<float>({0.1f, 0.1f, 0.1f}, {3})},
                                    {"S", Array<float>(std::vector<float>{1e6f}, {})}})
                                 .expected("S");
  EXPECT_NEAR(value(sum), 1e6 + 0.3, 1e-6);
  EXPECT_NEAR(sum.allowed(f32, 0, 0), 3 * 0x1p-24 * 1e6, 0.001);
}

}  // namespace expected_test
}  // namespace hone

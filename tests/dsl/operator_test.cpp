// Users' own operators that are declared associative.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dsl/schedule.h"
#include "ir/interpret/interpreter.h"
#include "tests/support/dsl/declared.h"
#include "tests/support/dsl/operands.h"
#include "tests/support/ir/run.h"

namespace hone {
namespace operator_test {

const OperatorOptions absmax_options = {.name = "absmax", .associative = true};

Expr absmax(const Expr& x, const Expr& y) { return max(abs(x), abs(y)); }

std::string refusal(const CombineValues& combine) { return refusal("own", f32, 0.0, combine); }

TEST(DeclaredOperator, IsAnUpdateOfItsName) {
  Vectors v;
  const Program program("norm", v.S() = reduce({v.k}, 0, v.A(v.k), absmax, absmax_options));
  EXPECT_EQ(to_string(program.function()),
            R"(operator absmax(lhs: f32, rhs: f32) = max(abs(lhs[]), abs(rhs[])) identity 0.0
func norm[N](A: f32[N], S: f32[]) {
  S[] = 0.0
  reduce k in 0..N {
    S[] absmax= A[k]
  }
})");
  EXPECT_EQ(program.function().history.front(), "S() = absmax(k, A(k))");
}

TEST(DeclaredOperator, MayHaveAnEpilogue) {
  Vectors v;
  const Program program("norm", v.S() = 2.0 * reduce({v.k}, 0.0, v.A(v.k), absmax, absmax_options));
  Buffers buffers = {{"A", vector_of({1, -4, 3})}, {"S", buffer_of(f32, {}, {0})}};
  interpret(program.function(), {{"N", 3}}, buffers);
  EXPECT_EQ(values_of(buffers.at("S")), (Values{8}));
  EXPECT_EQ(program.function().history.front(), "S() = 2.0 * absmax(k, A(k))");
}

TEST(DeclaredOperator, SchedulesReorderIt) {
  Tensor A("A", f32, {6, 4}), S("S", f32, {});
  ReduceAxis k("k", 6), l("l", 4);
  Schedule s(Program("norm", S() = reduce({k, l}, 0.0, A(k, l), absmax, absmax_options)));
  s.reorder({l, k});
  EXPECT_EQ(s.trace_text(), "s.reorder({l, k});\n");
}

TEST(DeclaredOperator, OthersKeepTheirOrder) {
  Tensor A("A", f32, {6, 4}), S("S", f32, {});
  ReduceAxis k("k", 6), l("l", 4);
  Schedule s(Program("norm", S() = reduce({k, l}, 0.0, A(k, l), absmax)));
  const std::string message = message_of<ScheduleError>([&] { s.reorder({l, k}); });
  EXPECT_TRUE(llvm::StringRef(message).contains(
      "note: only a reduction with one of the operators +=, *=, min=, max=, and=, or=, or with one "
      "declared associative, may be done in another order"))
      << message;
}

TEST(DeclaredOperator, OfOneNameAreOne) {
  Tensor A("A", f32, {8}), S("S", f32, {}), T("T", f32, {});
  ReduceAxis k("k", 8);
  const auto largest = [&] { return reduce({k}, 0.0, A(k), absmax, absmax_options); };
  EXPECT_EQ(operators_of(Program("f", S() = largest(), T() = largest()).function().body).size(),
            1u);
  EXPECT_EQ(message_of<DefinitionError>([&] {
              Program("f", S() = largest(),
                      T() = reduce(
                          {k}, 0.0, A(k), [](Expr x, Expr y) { return x + y; }, absmax_options));
            }),
            "two operators are named absmax");
}

TEST(DeclaredOperator, IsOfAnyType) {
  for (DType type : {f64, f16, bf16, i64, i32, i8})
    EXPECT_EQ(refusal("m", type, 0, absmax), "no error");
  EXPECT_EQ(refusal("plus", u8, 0, [](Expr x, Expr y) { return x + y; }), "no error");
  EXPECT_EQ(refusal("differ", boolean, false, [](Expr x, Expr y) { return x != y; }), "no error");
}

TEST(DeclaredOperator, RoundingIsNoObjection) {
  const auto log_of_sum = [](Expr x, Expr y) { return max(x, y) + log(exp(-abs(x - y)) + 1.0); };
  EXPECT_EQ(refusal("logsumexp", f32, -1e30, log_of_sum), "no error");
  const auto hypotenuse = [](Expr x, Expr y) { return sqrt(x * x + y * y); };
  EXPECT_EQ(refusal("hypot", f16, 0.0, hypotenuse), "no error");
}

/// A value that is rounded in f32 is as good as a real number; there, these are associative.
TEST(DeclaredOperator, MayBeAnyThatIsAssociativeInRealNumbers) {
  const auto accepts = [](DType type, const Expr& identity, const CombineValues& combine) {
    EXPECT_EQ(refusal("own", type, identity, combine), "no error");
  };
  for (const DType type : {f64, f32, f16, bf16}) {
    accepts(type, 0.0, [](Expr x, Expr y) { return x + y + x * y; });
    accepts(type, 0.0, [](Expr x, Expr y) { return (x + y) / (x * y + 1.0); });
    accepts(type, infinity, [](Expr x, Expr y) { return x * y / (x + y); });
    accepts(type, 1.0, [](Expr x, Expr y) { return fma(x, y, 0.0); });
    accepts(type, 0.0, [](Expr x, Expr y) { return sqrt(x * x + y * y); });
    accepts(type, -infinity, [](Expr x, Expr y) { return max(x, y); });
    accepts(type, 0.0, [](Expr x, Expr y) { return select(abs(x) > abs(y), abs(x), abs(y)); });
  }
  accepts(f64, -1e30, [](Expr x, Expr y) { return log(exp(x) + exp(y)); });
  accepts(f32, -1e30, [](Expr x, Expr y) { return log(exp(x) + exp(y)); });
}

/// Values that leave the range of integers are no part of the promise.
TEST(DeclaredOperator, MayOverflow) {
  for (const DType type : {i64, i32, i8, u8}) {
    EXPECT_EQ(refusal("times", type, 1, [](Expr x, Expr y) { return x * y; }), "no error");
    EXPECT_EQ(refusal("sizes", type, 0, [](Expr x, Expr y) { return abs(x) + abs(y); }),
              "no error");
  }
  const auto saturating = [](Expr x, Expr y) {
    return cast(u8, min(cast(i32, x) + cast(i32, y), 255));
  };
  EXPECT_EQ(refusal("saturating", u8, 0, saturating), "no error");
}

TEST(DeclaredOperator, IsTriedWithoutRounding) {
  EXPECT_EQ(refusal("decay", f32, 0.0, [](Expr x, Expr y) { return x * 1.005 + y; }),
            "decay is declared associative, and it is not unchanged by its identity: "
            "decay(decay(1.0, 1.0), 0.0) is 2.015025, and decay(1.0, 1.0) is 2.005; an identity "
            "changes no value, as the least number changes none under max, and what is done to "
            "each value once belongs into the value that is reduced");
  EXPECT_EQ(
      refusal("nearly", f32, 0.0, [](Expr x, Expr y) { return x + y + x * x * y * y * 1e-9; }),
      "nearly is declared associative, and it is not associative: nearly(nearly(1.0, 1.0), "
      "2.0) is 4.0000000169999996, and nearly(1.0, nearly(1.0, 2.0)) is 4.0000000129999993; "
      "what is done to each value once belongs into the value that is reduced");
  EXPECT_EQ(
      refusal("drift", f32, -1e30, [](Expr x, Expr y) { return log(exp(x) + exp(y)) + 1e-9; }),
      "drift is declared associative, and it is not associative: drift(drift(1.0, 1.0), 2.0) "
      "is 2.5514447153559341, and drift(1.0, drift(1.0, 2.0)) is 2.5514447157201094; "
      "what is done to each value once belongs into the value that is reduced");
}

TEST(DeclaredOperator, IsTriedOnNumbersOfAllSizes) {
  EXPECT_EQ(
      refusal("capped", f32, 0.0, [](Expr x, Expr y) { return min(x + y, 1000.0); }),
      "capped is declared associative, and it is not associative: capped(capped(1.0, 46341.0), "
      "-1.0) is 999.0, and capped(1.0, capped(46341.0, -1.0)) is 1000.0; what is done to each "
      "value once belongs into the value that is reduced");
  const auto wary = [](Expr x, Expr y) {
    return select(x > 1000000 && y > 1000000, -1000000, max(x, y));
  };
  EXPECT_EQ(
      refusal("wary", i32, -1000000, wary),
      "wary is declared associative, and it is not associative: wary(wary(1i32, 268435456i32), "
      "268435456i32) is -1000000i32, and wary(1i32, wary(268435456i32, 268435456i32)) is "
      "1i32; what is done to each value once belongs into the value that is reduced");
}

/// The square belongs into the value.
TEST(DeclaredOperator, RefusesASumOfSquares) {
  EXPECT_EQ(refusal("squares", f32, 0.0, [](Expr x, Expr y) { return x + y * y; }),
            "squares is declared associative, and it is not commutative: squares(1.0, 2.0) is 5.0, "
            "and squares(2.0, 1.0) is 3.0; what is done to each value once belongs into the value "
            "that is reduced");
}

TEST(DeclaredOperator, RefusesWhatIsNotAssociative) {
  EXPECT_EQ(refusal("mean", f32, 0.0, [](Expr x, Expr y) { return (x + y) * 0.5 + 0.0; }),
            "mean is declared associative, and it is not unchanged by its identity: mean(mean(1.0, "
            "1.0), 0.0) is 0.5, and mean(1.0, 1.0) is 1.0; an identity changes no value, as the "
            "least number changes none under max, and what is done to each value once belongs into "
            "the value that is reduced");
  EXPECT_EQ(refusal("gap", i32, 0, [](Expr x, Expr y) { return abs(x - y); }),
            "gap is declared associative, and it is not associative: gap(gap(1i32, 1i32), 2i32) is "
            "2i32, and gap(1i32, gap(1i32, 2i32)) is 0i32; what is done to each value once belongs "
            "into the value that is reduced");
}

TEST(DeclaredOperator, RefusesAnIdentityThatIsNone) {
  EXPECT_EQ(refusal("plus", i32, 1, [](Expr x, Expr y) { return x + y; }),
            "plus is declared associative, and it is not unchanged by its identity: "
            "plus(plus(1i32, 1i32), 1i32) is 3i32, and plus(1i32, 1i32) is 2i32; an identity "
            "changes no value, as the least number changes none under max, and what is done to "
            "each value once belongs into the value that is reduced");
  Tensor b("b", f32, {});
  EXPECT_EQ(refusal("plus", f32, b(), [](Expr x, Expr y) { return x + y; }),
            "the identity b[] of plus is not a constant of type f32");
}

TEST(DeclaredOperator, RefusesWhatReadsMoreThanItsOperands) {
  Tensor b("b", f32, {});
  Param n("n");
  EXPECT_EQ(refusal([&](Expr x, Expr y) { return x + y * b(); }),
            "own depends on b[]; it may contain its operands and constants");
  EXPECT_EQ(refusal([&](Expr x, Expr y) { return x + y * cast(f32, n); }),
            "own depends on n; it may contain its operands and constants");
}

TEST(DeclaredOperator, RefusesNamesThatAreNone) {
  const auto plus = [](Expr x, Expr y) { return x + y; };
  EXPECT_EQ(refusal("max", f32, 0.0, plus), "'max' is a built-in operator");
  EXPECT_EQ(refusal("my sum", f32, 0.0, plus), "'my sum' is not a name");
  EXPECT_EQ(refusal("", f32, 0.0, plus), "'' is not a name");
}

TEST(DeclaredOperator, RefusesAResultOfAnotherType) {
  EXPECT_EQ(refusal([](Expr x, Expr y) { return cast(f64, x + y); }),
            "own makes f64 of f32 and f32, which are to be of one type");
}

}  // namespace operator_test
}  // namespace hone

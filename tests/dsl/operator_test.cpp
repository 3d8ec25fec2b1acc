// Users' own operators that are declared associative.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dsl/schedule.h"
#include "ir/interpret/interpreter.h"
#include "tests/support/dsl/operands.h"
#include "tests/support/ir/run.h"

namespace hone {
namespace {

using Combine = std::function<Expr(Expr, Expr)>;

constexpr double infinity = std::numeric_limits<double>::infinity();

const OperatorOptions absmax_options = {.name = "absmax", .associative = true};

Expr absmax(const Expr& x, const Expr& y) { return max(abs(x), abs(y)); }

/// The message of the DefinitionError of an operator that is declared associative.
std::string refusal(const char* name, DType type, const Expr& identity, const Combine& combine) {
  Tensor A("A", type, {8});
  ReduceAxis k("k", 8);
  return message_of<DefinitionError>(
      [&] { reduce({k}, identity, A(k), combine, {.name = name, .associative = true}); });
}

std::string refusal(const Combine& combine) { return refusal("own", f32, 0.0, combine); }

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
  const auto accepts = [](DType type, const Expr& identity, const Combine& combine) {
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

// ---- Pairs --------------------------------------------------------------------------------------

/// The sums of two values.
Expr add_both(const Expr& x, const Expr& y) {
  return pair(first(x) + first(y), second(x) + second(y));
}

/// The maximum of a row and the sum of exp(value - maximum), of parts of it.
Expr online(const Expr& x, const Expr& y) {
  const Expr m = max(first(x), first(y));
  const auto scaled = [&](const Expr& part) {
    return select(first(part) == m, second(part), second(part) * exp(first(part) - m));
  };
  return pair(m, scaled(x) + scaled(y));
}

struct Best {
  Param N{"N"};
  Tensor A{"A", f32, {N}}, S{"S", f32_i32, {}}, index{"index", i32, {}};
  ReduceAxis k{"k", N};

  /// Value and index.
  Values of(const Reduction& reduction, const Values& values) const {
    Buffers buffers = {{"A", vector_of(values)}, {"S", Buffer(f32_i32, {})}};
    interpret(Program("best", S() = reduction).function(),
              {{"N", static_cast<int64_t>(values.size())}}, buffers);
    return values_of(buffers.at("S"));
  }
  Values largest(const Values& values) const { return of(argmax(k, A(k)), values); }
  Values smallest(const Values& values) const { return of(argmin(k, A(k)), values); }
};

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double no_index = std::numeric_limits<int32_t>::max();

TEST(Argmax, IsAReductionOfPairs) {
  const Best b;
  const Program program("best", b.S() = argmax(b.k, b.A(b.k)), b.index() = second(b.S()));
  EXPECT_EQ(
      to_string(program.function()),
      R"(operator argmax(lhs: (f32, i32), rhs: (f32, i32)) = select(!(rhs[].first <= lhs[].first) && lhs[].first == lhs[].first || (lhs[].first <= rhs[].first || rhs[].first != rhs[].first) && rhs[].second < lhs[].second, rhs[], lhs[]) identity (-inf, 2147483647i32)
func best[N](A: f32[N], index: i32[]) {
  alloc S: (f32, i32)[] @global
  S[] = (-inf, 2147483647i32)
  reduce k in 0..N {
    S[] argmax= (A[k], i32(k))
  }
  index[] = S[].second
})");
}

TEST(Argmax, IsTheFirstOfTheLargest) {
  const Best b;
  EXPECT_EQ(b.largest({3, 9, 2, 9}), (Values{9, 1}));
  EXPECT_EQ(b.smallest({3, 1, 2, 1}), (Values{1, 1}));
  EXPECT_EQ(b.largest({-5}), (Values{-5, 0}));
  EXPECT_EQ(b.largest({0.0, -0.0, 0.0}), (Values{0, 0}));
  EXPECT_EQ(b.largest({-0.0, 0.0}), (Values{-0.0, 0}));
}

TEST(Argmax, OfInfinitiesIsTheFirst) {
  const Best b;
  EXPECT_EQ(b.largest({-infinity, -infinity}), (Values{-infinity, 0}));
  EXPECT_EQ(b.smallest({infinity, infinity}), (Values{infinity, 0}));
  EXPECT_EQ(b.largest({-infinity, infinity, infinity}), (Values{infinity, 1}));
}

/// As numpy has it.
TEST(Argmax, OfANaNIsTheFirstNaN) {
  const Best b;
  for (const Values& values : {Values{1, nan, infinity, nan}, {-infinity, nan}, {9, nan, 3}}) {
    EXPECT_EQ(b.largest(values)[1], 1);
    EXPECT_EQ(b.smallest(values)[1], 1);
    EXPECT_TRUE(std::isnan(b.largest(values)[0]));
  }
  EXPECT_EQ(b.largest({nan, nan})[1], 0);
}

TEST(Argmax, OfNothingIsTheIdentity) {
  const Best b;
  EXPECT_EQ(b.largest({}), (Values{-infinity, no_index}));
  EXPECT_EQ(b.smallest({}), (Values{infinity, no_index}));
}

TEST(Argmax, TakesAllThatAnF32Holds) {
  for (const DType type : {f16, bf16, i8, u8}) {
    Tensor A("A", type, {4}), best("best", f32_i32, {});
    ReduceAxis k("k", 4);
    Buffers buffers = {{"A", vector_of({3, 1, 7, 7}, type)}, {"best", Buffer(f32_i32, {})}};
    interpret(Program("f", best() = argmax(k, A(k))).function(), {}, buffers);
    EXPECT_EQ(values_of(buffers.at("best")), (Values{7, 2})) << name(type).str();
  }
}

/// Wide integers that no float tells apart.
TEST(Argmax, OfWideTypesKeepsThem) {
  for (const DType type : {f64, i32, i64}) {
    const DType result = tuple_of({type, i32});
    Tensor A("A", type, {4}), best("best", result, {}), least("least", result, {});
    ReduceAxis k("k", 4);
    const double large = type == i32 ? INT32_MAX - 1 : 0x1p52;
    Buffers buffers = {{"A", vector_of({large, large + 1, large + 1, large}, type)},
                       {"best", Buffer(result, {})},
                       {"least", Buffer(result, {})}};
    interpret(Program("f", best() = argmax(k, A(k)), least() = argmin(k, A(k))).function(), {},
              buffers);
    EXPECT_EQ(values_of(buffers.at("best")), (Values{large + 1, 1})) << name(type).str();
    EXPECT_EQ(values_of(buffers.at("least")), (Values{large, 0})) << name(type).str();
  }
}

TEST(Argmax, OfIntegersNeedsNoWordAboutNaN) {
  Tensor A("A", i64, {8}), S("S", tuple_of({i64, i32}), {});
  ReduceAxis k("k", 8);
  EXPECT_EQ(
      to_string(Program("f", S() = argmax(k, A(k))).function()),
      R"(operator argmax_i64(lhs: (i64, i32), rhs: (i64, i32)) = select(!(rhs[].first <= lhs[].first) || lhs[].first <= rhs[].first && rhs[].second < lhs[].second, rhs[], lhs[]) identity (-9223372036854775808i64, 2147483647i32)
func f(A: i64[8], S: (i64, i32)[]) {
  S[] = (-9223372036854775808i64, 2147483647i32)
  reduce k in 0..8 {
    S[] argmax_i64= (A[k], i32(k))
  }
})");
}

TEST(Argmax, OfBoolsAndOfIndices) {
  Tensor A("A", boolean, {4}), first_true("first_true", f32_i32, {});
  Tensor farthest("farthest", tuple_of({i64, i32}), {});
  ReduceAxis k("k", 4);
  Buffers buffers = {{"A", vector_of({0, 1, 0, 1}, boolean)},
                     {"first_true", Buffer(f32_i32, {})},
                     {"farthest", Buffer(tuple_of({i64, i32}), {})}};
  interpret(Program("f", first_true() = argmax(k, A(k)), farthest() = argmax(k, Expr(k) * 5 % 4))
                .function(),
            {}, buffers);
  EXPECT_EQ(values_of(buffers.at("first_true")), (Values{1, 1}));
  EXPECT_EQ(values_of(buffers.at("farthest")), (Values{3, 3}));
}

TEST(Argmax, OfATupleIsRefused) {
  Tensor A("A", f32_f32, {8});
  ReduceAxis k("k", 8);
  EXPECT_EQ(message_of<DefinitionError>([&] { argmin(k, A(k)); }),
            "A[k] is a tuple, (f32, f32), and the built-in reductions are of numbers; use reduce "
            "with an operator of its own");
}

TEST(PairOperator, BuiltInReductionsRefuseIt) {
  Tensor A("A", f32_f32, {8});
  ReduceAxis k("k", 8);
  for (const auto& reduce : {+[](const ReduceAxis&k, const Expr&value) { return sum(k, value); },
                             +[](const ReduceAxis&k, const Expr&value) { return max(k, value); }})
    EXPECT_EQ(message_of<DefinitionError>([&] { reduce(k, A(k)); }),
              "A[k] is a tuple, (f32, f32), and the built-in reductions are of numbers; use reduce "
              "with an operator of its own");
}

TEST(PairOperator, IsDeclared) {
  EXPECT_EQ(refusal("add_both", f32_f32, pair(0.0, 0.0), add_both), "no error");
  EXPECT_EQ(refusal("online", f32_f32, pair(-infinity, 0.0), online), "no error");
}

TEST(PairOperator, MayBeAComplexProduct) {
  const auto product = [](Expr x, Expr y) {
    return pair(first(x) * first(y) - second(x) * second(y),
                first(x) * second(y) + second(x) * first(y));
  };
  EXPECT_EQ(refusal("product", f32_f32, pair(1.0, 0.0), product), "no error");
}

TEST(PairOperator, IsTriedOnPairs) {
  const auto difference = [](Expr x, Expr y) {
    return pair(first(x) + first(y), second(x) - second(y));
  };
  EXPECT_EQ(refusal("difference", f32_i32, pair(0.0, 0), difference),
            "difference is declared associative, and it is not commutative: difference((1.0, "
            "1i32), (1.0, 3i32)) is (2.0, -2i32), and difference((1.0, 3i32), (1.0, 1i32)) is "
            "(2.0, 2i32); what is done to each value once belongs into the value that is reduced");
  const auto larger = [](Expr x, Expr y) { return select(first(x) >= first(y), x, y); };
  EXPECT_EQ(refusal("larger", f32_i32, pair(-infinity, 0), larger),
            "larger is declared associative, and it is not commutative: larger((1.0, 1i32), "
            "(1.0, 3i32)) is (1.0, 1i32), and larger((1.0, 3i32), (1.0, 1i32)) is (1.0, 3i32); "
            "what is done to each value once belongs into the value that is reduced");
  EXPECT_EQ(
      refusal("add_both", f32_f32, pair(0.0, 1.0), add_both),
      "add_both is declared associative, and it is not unchanged by its identity: "
      "add_both(add_both((1.0, 1.0), (1.0, 1.0)), (0.0, 1.0)) is (2.0, 3.0), and add_both((1.0, "
      "1.0), (1.0, 1.0)) is (2.0, 2.0); an identity changes no value, as the least number changes "
      "none under max, and what is done to each value once belongs into the value that is reduced");
}

/// A thread without values passes the identity on.
TEST(PairOperator, RefusesAnIdentityThatSpoilsItself) {
  const auto unguarded = [](Expr x, Expr y) {
    const Expr m = max(first(x), first(y));
    return pair(m, second(x) * exp(first(x) - m) + second(y) * exp(first(y) - m));
  };
  EXPECT_EQ(
      refusal("online", f32_f32, pair(-infinity, 0.0), unguarded),
      "online is declared associative, and it is not unchanged by its identity: online((1.0, 1.0), "
      "online((-inf, 0.0), (-inf, 0.0))) is (1.0, nan), and online((1.0, 1.0), (-inf, 0.0)) is "
      "(1.0, 1.0); an identity changes no value, as the least number changes none under max, and "
      "what is done to each value once belongs into the value that is reduced");
}

TEST(PairOperator, TakesAnIdentityOfItsType) {
  EXPECT_EQ(refusal("add_both", f32_f32, 0.0, add_both),
            "the identity 0.0 of add_both is not a constant of type (f32, f32)");
  EXPECT_EQ(refusal("add_both", f32_f32, pair(0, 0), add_both), "no error");
  EXPECT_EQ(refusal("add_both", f32_f32, pair(0, true), add_both),
            "the identity (0.0, true) of add_both is not a constant of type (f32, f32)");
}

TEST(PairOperator, GivesBothStatisticsOfASoftmax) {
  Tensor A("A", f32, {4}), S("S", f32_f32, {});
  ReduceAxis k("k", 4);
  const Program program("statistics",
                        S() = reduce({k}, pair(-infinity, 0.0), pair(A(k), 1.0), online,
                                     {.name = "online", .associative = true}));
  const auto statistics = [&](const Values& values) {
    Buffers buffers = {{"A", vector_of(values)}, {"S", Buffer(f32_f32, {})}};
    interpret(program.function(), {}, buffers);
    return values_of(buffers.at("S"));
  };
  EXPECT_EQ(statistics({2, 2, 2, 2}), (Values{2, 4}));
  EXPECT_EQ(statistics({-infinity, 5, -infinity, 5}), (Values{5, 2}));
  EXPECT_NEAR(statistics({0, 1, 2, 3})[1], 1 + std::exp(-1) + std::exp(-2) + std::exp(-3), 1e-6);
  EXPECT_TRUE(std::isnan(statistics({0, nan, 2, 3})[1]));
}

}  // namespace
}  // namespace hone

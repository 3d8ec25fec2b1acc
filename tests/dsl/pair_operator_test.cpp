// Users' own operators of pairs.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dsl/schedule.h"
#include "ir/interpret/interpreter.h"
#include "tests/support/dsl/declared.h"
#include "tests/support/dsl/operands.h"
#include "tests/support/ir/run.h"

namespace hone {
namespace pair_operator_test {

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
func best[N](A: f32[N], index: i32[]) where N <= 2147483648 {
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

std::string head_of(const Definition& definition) {
  const std::string text = to_string(Program("f", definition).function());
  const size_t start = text.find("func ");
  return text.substr(start, text.find(" {", start) - start);
}

/// So does a user's own reduction that keeps a place in an i32.
TEST(Argmax, PromisesThatAPlaceFitsInAnI32) {
  const Param n("n");
  const Tensor best("best", f32_i32, {}), far("far", tuple_of({f32, i64}), {});
  const ReduceAxis k("k", n), few("few", 2147483648), rows("rows", n * 4);
  const auto own = [&](DType index) {
    return reduce({k}, pair(0.0, IntConst::make(0, index)), pair(1.0, cast(index, k)),
                  [](Expr x, Expr y) { return select(first(y) < first(x), x, y); });
  };
  EXPECT_EQ(head_of(best() = argmax(k, 1.0)),
            "func f[n](best: (f32, i32)[]) where n <= 2147483648");
  EXPECT_EQ(head_of(best() = argmin(rows, 1.0)),
            "func f[n](best: (f32, i32)[]) where n*4 <= 2147483648");
  EXPECT_EQ(head_of(best() = own(i32)), "func f[n](best: (f32, i32)[]) where n <= 2147483648");
  EXPECT_EQ(head_of(far() = own(i64)), "func f[n](far: (f32, i64)[])");
  // The place in two dimensions, row by row.
  const Param m("m");
  const ReduceAxis column("column", m);
  const auto least = [](Expr x, Expr y) { return select(first(y) < first(x), x, y); };
  EXPECT_EQ(head_of(best() = reduce({k, column}, pair(0.0, cast(i32, 0)),
                                    pair(1.0, cast(i32, k * m + column)), least)),
            "func f[n, m](best: (f32, i32)[]) where m*n <= 2147483648");
  EXPECT_EQ(head_of(best() = argmax(few, 1.0)), "func f(best: (f32, i32)[])");
  EXPECT_EQ(head_of(far() = argmin(rows, 1.0, i64)), "func f[n](far: (f32, i64)[])");
}

TEST(Argmax, HasAnI64WhereThatIsAskedFor) {
  Tensor A("A", f32, {2}), S("S", tuple_of({f32, i64}), {});
  ReduceAxis k("k", 2);
  const Program program("f", S() = argmax(k, A(k), i64));
  EXPECT_EQ(
      to_string(program.function()),
      R"(operator argmax_f32_i64(lhs: (f32, i64), rhs: (f32, i64)) = select(!(rhs[].first <= lhs[].first) && lhs[].first == lhs[].first || (lhs[].first <= rhs[].first || rhs[].first != rhs[].first) && rhs[].second < lhs[].second, rhs[], lhs[]) identity (-inf, 9223372036854775807i64)
func f(A: f32[2], S: (f32, i64)[]) {
  S[] = (-inf, 9223372036854775807i64)
  reduce k in 0..2 {
    S[] argmax_f32_i64= (A[k], i64(k))
  }
})");
  Buffers buffers = {{"A", vector_of({3, 4})}, {"S", Buffer(tuple_of({f32, i64}), {})}};
  interpret(program.function(), {}, buffers);
  EXPECT_EQ(values_of(buffers.at("S")), (Values{4, 1}));
}

TEST(Argmax, RefusesAnIndexOfAnotherType) {
  Tensor A("A", f32, {8});
  ReduceAxis k("k", 8);
  for (const DType type : {f32, u8, boolean})
    EXPECT_EQ(message_of<DefinitionError>([&] { argmax(k, A(k), type); }),
              "an index of type " + name(type).str() +
                  " does not go with a value; it is an i32, or an i64");
}

TEST(Argmax, RefusesMoreValuesThanAnI32HasPlacesFor) {
  const Tensor best("best", f32_i32, {});
  const ReduceAxis k("k", 2147483649);
  try {
    const Program program("f", best() = argmax(k, 1.0));
    FAIL() << "accepted";
  } catch (const DefinitionError& error) {
    EXPECT_EQ(error.message(),
              "i32(k) is up to 2147483648, and an i32 holds 2147483647 at most; have an i64 in its "
              "place");
  }
  const ReduceAxis row("row", 65536), column("column", 65536);
  EXPECT_EQ(
      message_of<DefinitionError>([&] {
        Program("f",
                best() = reduce({row, column}, pair(0.0, cast(i32, 0)),
                                pair(1.0, cast(i32, row * 65536 + column)),
                                [](Expr x, Expr y) { return select(first(y) < first(x), x, y); }));
      }),
      "i32(row*65536 + column) is up to 4294967295, and an i32 holds 2147483647 at most; have "
      "an i64 in its place");
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

TEST(Reduction, OfFloatsOfTensorCoresIsRefusedAndIsOneOfF32) {
  Tensor A("A", tf32, {8}), B("B", f8e4m3, {8});
  ReduceAxis k("k", 8);
  EXPECT_EQ(
      message_of<DefinitionError>([&] { sum(k, A(k)); }),
      "A[k] is tf32, a type without arithmetic; reduce its values as f32, which cast makes of "
      "them");
  EXPECT_EQ(message_of<DefinitionError>([&] { max(k, B(k)); }),
            "B[k] is f8e4m3, a type without arithmetic; reduce its values as f32, which cast makes "
            "of them");
  EXPECT_EQ(argmax(k, A(k)).value.type(), f32_i32);
  EXPECT_EQ(sum(k, cast(f32, B(k))).value.type(), f32);
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

// ---- Welford's merge: a count, a mean, and a sum of squares -------------------------------------

using Merge = std::function<Expr(Expr, Expr)>;

/// Without the guard, nothing merged with nothing is 0 / 0.
Expr welford(const Expr& x, const Expr& y, bool is_guarded = true) {
  const Expr n1 = cast(f32, first(x)), n2 = cast(f32, first(y));
  const Expr n = n1 + n2, d = second(y) - second(x);
  const Expr share = is_guarded ? select(n == 0.0, 0.0, n2 / n) : n2 / n;
  return tuple(first(x) + first(y), second(x) + d * share,
               third(x) + third(y) + d * d * n1 * share);
}

std::string welford_refusal(const Expr& count, const Merge& merge) {
  const Tensor X("X", f32, {9}), W("W", tuple_of({count.type(), f32, f32}), {});
  const ReduceAxis k("k", 9);
  try {
    const Expr none = cast(count.type(), IntConst::make(0, i32));
    W() = reduce({k}, tuple(none, 0.0, 0.0), tuple(count, X(k), 0.0), merge,
                 {.name = "merge", .associative = true});
    return "no error";
  } catch (const DefinitionError& error) {
    return error.what();
  }
}

/// No merge of values has a count of 0 beside a mean of 2. The count may be of any type.
TEST(TupleOperator, IsTriedOnStatesThatMergesOfValuesMake) {
  const auto guarded = [](Expr x, Expr y) { return welford(x, y); };
  const auto weighed = [](Expr x, Expr y) {
    const Expr n1 = first(x), n2 = first(y), n = n1 + n2, d = second(y) - second(x);
    return tuple(n, (n1 * second(x) + n2 * second(y)) / max(n, 1.0),
                 third(x) + third(y) + d * d * n1 * n2 / max(n, 1.0));
  };
  const auto chosen = [](Expr x, Expr y) {
    return select(first(y) == 0.0, x, select(first(x) == 0.0, y, welford(x, y, false)));
  };
  const Expr one = FloatConst::make(1, f32), wide_one = FloatConst::make(1, f64);
  EXPECT_EQ(welford_refusal(one, guarded), "no error");
  EXPECT_EQ(welford_refusal(one, weighed), "no error");
  EXPECT_EQ(welford_refusal(one, chosen), "no error");
  EXPECT_EQ(welford_refusal(wide_one, guarded), "no error");
  EXPECT_EQ(welford_refusal(IntConst::make(1, i32), guarded), "no error");
  EXPECT_EQ(welford_refusal(IntConst::make(1, i64), guarded), "no error");
}

TEST(TupleOperator, IsRefusedWhereMergesOfValuesDiffer) {
  const Expr one = FloatConst::make(1, f32);
  const auto unguarded = [](Expr x, Expr y) { return welford(x, y, false); };
  EXPECT_THAT(welford_refusal(one, unguarded),
              testing::HasSubstr("merge is declared associative, and it is not unchanged by its "
                                 "identity: merge((1.0, 1.0, 0.0), merge((0.0, 0.0, 0.0), "));
  // Right of single values, and wrong of what they merge to.
  const auto forgets = [](Expr x, Expr y) {
    const Expr n = first(x) + first(y), d = second(y) - second(x);
    return tuple(
        n, second(x) + d * select(n == 0.0, 0.0, first(y) / n),
        third(x) + third(y) + select(first(x) == 0.0 || first(y) == 0.0, 0.0, d * d / 2.0));
  };
  EXPECT_THAT(welford_refusal(one, forgets),
              testing::HasSubstr("merge is declared associative, and it is not associative: "));
}

/// A weight that is reduced may be any number, and with a weight of 0 the mean is lost.
TEST(TupleOperator, IsTriedOnAnyNumberWhereTheValueIsNoConstant) {
  const Tensor N("N", f32, {});
  EXPECT_THAT(welford_refusal(N(), [](Expr x, Expr y) { return welford(x, y); }),
              testing::HasSubstr("merge is declared associative, and it is not "));
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

}  // namespace pair_operator_test
}  // namespace hone

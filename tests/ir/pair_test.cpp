// Elements that are pairs of numbers: text, types, meaning.
#include <gtest/gtest.h>

#include <cmath>

#include "ir/algebra/fold.h"
#include "ir/algebra/simplify.h"
#include "ir/scalar/adapt_literal.h"
#include "ir/scalar/scalar.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/traverse/equal.h"
#include "ir/verify/verifier.h"
#include "tests/support/ir/expect_rewrite.h"
#include "tests/support/ir/run.h"

namespace hone {
namespace pair_test {

/// The element of a tensor without dimensions.
Expr element(llvm::StringRef name, DType type) {
  return Load::make(make_tensor(name, type, {}), {});
}

std::string definition_error(const std::function<Expr()>& make) {
  return message_of<DefinitionError>([&] { make(); });
}

std::string parse_error(llvm::StringRef text) {
  return message_of<ParseError>([&] { parse_function(text); });
}

std::string violation(llvm::StringRef text) {
  return verify(parse_function(text)).value_or("none");
}

const char* argmax_text =
    R"(operator argmax(lhs: (f32, i32), rhs: (f32, i32)) = select(rhs[].first > lhs[].first, rhs[], lhs[]) identity (-inf, 0i32)
func largest[N](A: f32[N], C: (f32, i32)[]) {
  C[] = (-inf, 0i32)
  reduce k in 0..N {
    C[] argmax= (A[k], i32(k))
  }
})";

// ---- Text ---------------------------------------------------------------------------------------

TEST(Pair, PrintsAndParses) {
  const Function function = parse_function(argmax_text);
  EXPECT_EQ(to_string(function), argmax_text);
  EXPECT_TRUE(equal(parse_function(to_string(function)), function));
  EXPECT_EQ(verify(function), std::nullopt);
}

TEST(Pair, ComponentsFollowAnyValueThatIsAPair) {
  const std::string text = R"(func f(A: (f32, f32)[4], C: (f32, f32)[4]) {
  for i in 0..4 {
    C[i] = (-A[i].first, select(A[i].first < 0.0, A[i], C[i]).second * (1.0 + A[i].second))
  }
})";
  EXPECT_EQ(to_string(parse_function(text)), text);
}

TEST(Pair, BlanksAndParenthesesAreFree) {
  const Expr x = element("x", f32_i32);
  const Function function =
      parse_function("func f(x: ( f32,i32 )[], C: f32[]) { C[] = ((x[])) .first }");
  const auto* store = llvm::cast<Store>(function.body.get());
  EXPECT_TRUE(equal(store->value, first(x)));
}

TEST(Pair, LiteralsAreOfTheTypeOfTheirPlace) {
  EXPECT_EQ(to_string(pair(1, 2)), "(1.0, 2i32)");
  EXPECT_EQ(to_string(pair(1, 2.0)), "(1.0, 2.0)");
  EXPECT_EQ(pair(1, 2).type(), f32_i32);
  EXPECT_EQ(pair(-INFINITY, 0.0).type(), f32_f32);
}

TEST(Pair, TypesHaveNames) {
  EXPECT_EQ(name(f32_f32), "(f32, f32)");
  EXPECT_EQ(name(f32_i32), "(f32, i32)");
  EXPECT_EQ(size_of(f32_i32), 8);
  EXPECT_EQ(component_type(f32_i32, 1), i32);
}

TEST(Pair, ParserRefusesOtherTuples) {
  EXPECT_EQ(parse_error("func f(A: (i32)[4]) { }"),
            "1:11: a tuple of 1 is no type of elements; there are those of two to 4\n"
            "  func f(A: (i32)[4]) { }\n"
            "            ^");
  EXPECT_EQ(parse_error("func f(A: (f32, f32, f32, f32, f32)[4]) { }"),
            "1:11: a tuple of 5 is no type of elements; there are those of two to 4\n"
            "  func f(A: (f32, f32, f32, f32, f32)[4]) { }\n"
            "            ^");
  EXPECT_EQ(parse_error("func f(A: (f32, f32)[4]) { A[0] = A[1].fifth }"),
            "1:40: expected 'first', 'second', 'third' or 'fourth', found 'fifth'\n"
            "  func f(A: (f32, f32)[4]) { A[0] = A[1].fifth }\n"
            "                                         ^");
  EXPECT_EQ(parse_error("func f(A: (f32, f32)[4], C: f32[4]) { C[0] = A[1].third }"),
            "1:50: third of A[1], which is a tuple of 2, (f32, f32)\n"
            "  func f(A: (f32, f32)[4], C: f32[4]) { C[0] = A[1].third }\n"
            "                                                   ^");
  EXPECT_EQ(parse_error("func f(A: f32[4]) { A[0] = A[1].first }"),
            "1:32: first of A[1], which has type f32 and is no tuple\n"
            "  func f(A: f32[4]) { A[0] = A[1].first }\n"
            "                                 ^");
}

// ---- What is refused ----------------------------------------------------------------------------

TEST(Pair, IsMadeOfNumbersAndBools) {
  const Expr real = element("x", f32), both = element("p", f32_f32);
  const Expr k = AxisRef::make(make_axis("k", AxisKind::reduction));
  EXPECT_EQ(definition_error([&] { return pair(real, k); }),
            "k has type index, and the components of a tuple are bools and numbers with "
            "arithmetic; use cast");
  EXPECT_EQ(definition_error([&] { return pair(real, both); }),
            "p[] has type (f32, f32), and the components of a tuple are bools and numbers with "
            "arithmetic; use first or second of it");
  EXPECT_EQ(definition_error([&] { return MakeTuple::make({real}); }),
            "a tuple of 1 components; there are those of two to 4");
  EXPECT_EQ(definition_error([&] { return third(both); }),
            "third of p[], which is a tuple of 2, (f32, f32)");
}

TEST(Pair, IsNotComputedWith) {
  const Expr x = element("x", f32_f32);
  EXPECT_EQ(definition_error([&] { return x + x; }),
            "sum of x[], which is a tuple, (f32, f32); take first or second of it");
  EXPECT_EQ(definition_error([&] { return 1.0 * x; }),
            "product of x[], which is a tuple, (f32, f32); take first or second of it");
  EXPECT_EQ(definition_error([&] { return x < x; }),
            "comparison of x[], which is a tuple, (f32, f32); take first or second of it");
  EXPECT_EQ(definition_error([&] { return max(x, x); }),
            "max of x[], which is a tuple, (f32, f32); take first or second of it");
  EXPECT_EQ(definition_error([&] { return -x; }),
            "negation of x[], which is a tuple, (f32, f32); take first or second of it");
  EXPECT_EQ(definition_error([&] { return Call::make(Intrinsic::exp, {x}); }),
            "exp of x[], which is a tuple, (f32, f32); take first or second of it");
}

TEST(Pair, IsNotConverted) {
  const Expr x = element("x", f32_f32), y = element("y", f32);
  EXPECT_EQ(definition_error([&] { return cast(f32, x); }),
            "cast of x[], which is a tuple, (f32, f32); take first or second of it");
  EXPECT_EQ(definition_error([&] { return cast(f32_f32, y); }),
            "cast of y[] (f32) to (f32, f32); use pair or tuple");
  EXPECT_EQ(definition_error([&] { return select(true, x, y); }),
            "select of x[] ((f32, f32)) and y[] (f32); use cast");
}

TEST(Pair, HasNoBuiltInUpdates) {
  EXPECT_EQ(violation("func f(C: (f32, f32)[], A: (f32, f32)[]) { C[] += A[] }"),
            "C is (f32, f32), which '+=' does not take");
  EXPECT_EQ(violation("func f(C: (f32, i32)[], A: (f32, i32)[]) { C[] or= A[] }"),
            "C is (f32, i32), which 'or=' does not take");
}

TEST(Pair, IdentityOfAnOperatorIsAConstantPair) {
  EXPECT_EQ(parse_error("operator keep(lhs: (f32, f32), rhs: (f32, f32)) = lhs[] identity 0.0\n"
                        "func f() { }"),
            "1:10: the identity 0.0 of keep is not a constant of type (f32, f32)\n"
            "  operator keep(lhs: (f32, f32), rhs: (f32, f32)) = lhs[] identity 0.0\n"
            "           ^");
}

// ---- Tuples -------------------------------------------------------------------------------------

TEST(Tuple, OfFourTypesPrintsAndParses) {
  const std::string text =
      R"(operator both(x: (f64, i8, f16, bool), y: (f64, i8, f16, bool)) = (x[].first + y[].first, min(x[].second, y[].second), x[].third + y[].third, x[].fourth || y[].fourth) identity (0.0f64, 127i8, 0.0f16, false)
func f[N](A: f64[N], C: (f64, i8, f16, bool)[]) {
  C[] = (0.0f64, 127i8, 0.0f16, false)
  reduce k in 0..N {
    C[] both= (A[k], i8(A[k]), f16(A[k]), A[k] > 2.0f64)
  }
})";
  const Function function = parse_function(text);
  EXPECT_EQ(to_string(function), text);
  EXPECT_EQ(verify(function), std::nullopt);
  const DType type = tuple_of({f64, i8, f16, boolean});
  EXPECT_EQ(
      run(text, {{"A", vector_of({5, -3, 1}, f64)}, {"C", buffer_of(type, {}, {9, 9, 9, 1})}}),
      (Values{3, -3, 3, 1}));
}

/// As a struct in C, and then the next power of two.
TEST(Tuple, LiesInMemoryAsAStruct) {
  const auto offsets = [](DType type) {
    std::vector<int64_t> result;
    for (unsigned n = 0; n < component_count(type); ++n)
      result.push_back(component_offset(type, n));
    result.push_back(size_of(type));
    return result;
  };
  using Offsets = std::vector<int64_t>;
  EXPECT_EQ(offsets(tuple_of({f32, f32, i32})), (Offsets{0, 4, 8, 16}));
  EXPECT_EQ(offsets(tuple_of({i8, i32, boolean, f64})), (Offsets{0, 4, 8, 16, 32}));
  EXPECT_EQ(offsets(tuple_of({u8, i8, boolean})), (Offsets{0, 1, 2, 4}));
  EXPECT_EQ(offsets(tuple_of({f64, f64})), (Offsets{0, 8, 16}));
  EXPECT_EQ(offsets(tuple_of({f16, boolean})), (Offsets{0, 2, 4}));
  EXPECT_EQ(alignment_of(tuple_of({f64, f64, f64})), 16);
}

TEST(Tuple, IsMadeOfTypesThatThereAre) {
  EXPECT_EQ(name(tuple_of({f64, boolean, u8})), "(f64, bool, u8)");
  EXPECT_THROW(tuple_of({f32}), std::invalid_argument);
  EXPECT_THROW(tuple_of({f32, DType::index}), std::invalid_argument);
  EXPECT_THROW(tuple_of({f32, f32_f32}), std::invalid_argument);
  EXPECT_THROW(tuple_of({f32, f32, f32, f32, f32}), std::invalid_argument);
}

TEST(Tuple, LiteralsInItTakeTheTypesOfAnother) {
  const DType type = tuple_of({i64, f16, f64});
  EXPECT_EQ(to_string(adapt_literal(tuple(1, 2, 0.1), type)), "(1i64, 2.0f16, 0.1f64)");
  EXPECT_EQ(adapt_literal(tuple(1.5, 2, 3), type).type(), tuple_of({f32, i32, i32}));
  EXPECT_EQ(adapt_literal(tuple(-0.0, 2, 3), type).type(), tuple_of({f32, i32, i32}));
  EXPECT_EQ(adapt_literal(pair(1, 2), type).type(), f32_i32);
}

TEST(Tuple, TakenApartInWholeIsNoNewOne) {
  const Expr x = element("x", tuple_of({f32, i32, f64}));
  EXPECT_EQ(to_string(simplify(tuple(first(x), second(x), third(x)))), "x[]");
  EXPECT_EQ(to_string(simplify(pair(first(x), second(x)))), "(x[].first, x[].second)");
  EXPECT_EQ(to_string(simplify(third(tuple(1.0, 2, third(x))))), "x[].third");
}

const char* const moments =
    R"(operator moments(x: (f32, f64, i32), y: (f32, f64, i32)) = (x[].first + y[].first, x[].second + y[].second, x[].third + y[].third) identity (0.0, 0.0f64, 0i32)
)";

TEST(Tuple, ReductionsAreSplitAndKeepTheirMeaning) {
  expect_rewrite(
      std::string(moments) + R"(func f[N](A: f32[N, 6], C: (f32, f64, i32)[]) {
      reduce k in 0..N { reduce l in 0..6 { C[] moments= (A[k, l], f64(A[k, l]), 1i32) } } })",
      [](const Function& f) { return split(f, axis(f, "l"), 4, Tail::guard).function; },
      std::string(moments) + R"(func f[N](A: f32[N, 6], C: (f32, f64, i32)[]) {
  reduce k in 0..N {
    reduce l.0 in 0..2 {
      reduce l.1 in 0..4 {
        if (l.0*4 + l.1 < 6) {
          C[] moments= (A[k, l.0*4 + l.1], f64(A[k, l.0*4 + l.1]), 1i32)
        }
      }
    }
  }
})");
}

// ---- Simplification -----------------------------------------------------------------------------

TEST(Pair, TakenApartIsWhatItIsMadeOf) {
  const Expr x = element("x", f32), y = element("y", f32), p = element("p", f32_f32);
  EXPECT_EQ(to_string(simplify(first(pair(x, y)))), "x[]");
  EXPECT_EQ(to_string(simplify(second(pair(x, y)))), "y[]");
  EXPECT_EQ(to_string(simplify(pair(first(p), second(p)))), "p[]");
  EXPECT_EQ(to_string(simplify(pair(second(p), first(p)))), "(p[].second, p[].first)");
}

TEST(Pair, UnchangedKeepsItsNode) {
  const Expr p = element("p", f32_f32);
  for (const Expr& expr : {pair(second(p), first(p)), first(p), pair(1.0, first(p))})
    EXPECT_TRUE(simplify(expr).same_as(expr)) << to_string(expr);
}

TEST(Pair, OfTwoTypesIsNoCopyOfEither) {
  const Expr p = element("p", f32_f32), q = element("q", f32_i32);
  EXPECT_EQ(to_string(simplify(pair(first(q), second(p)))), "(q[].first, p[].second)");
}

TEST(Pair, OfConstantsFolds) {
  EXPECT_EQ(to_string(folded(first(select(Expr(true), pair(1.5, 2), pair(0, 0))))), "1.5");
  EXPECT_EQ(to_string(folded(
                select(second(pair(1.5, 2)) == IntConst::make(2, i32), pair(1, 1), pair(0, 0)))),
            "(1.0, 1i32)");
}

// ---- Meaning ------------------------------------------------------------------------------------

TEST(Pair, InterpreterKeepsBothNumbers) {
  EXPECT_EQ(
      run(argmax_text, {{"A", vector_of({3, 9, 2, 9})}, {"C", buffer_of(f32_i32, {}, {0, 0})}}),
      (Values{9, 1}));
}

TEST(Pair, InterpreterTakesPairsApart) {
  EXPECT_EQ(run(R"(func f[N](A: (f32, f32)[N], C: f32[N]) {
                     for i in 0..N { C[i] = A[i].first - A[i].second } })",
                {{"A", vector_of({5, 1, 7, 10}, f32_f32)}, {"C", vector_of({0, 0})}}),
            (Values{4, -3}));
}

TEST(Pair, CopiesMoveThemWhole) {
  EXPECT_EQ(run(R"(func f(A: (f32, i32)[2], C: (f32, i32)[3]) {
                     alloc T: (f32, i32)[3] @registers
                     copy T[0 .. +3] <- A[0 .. +3] fill (-1.5, 7i32)
                     copy C[0 .. +3] <- T[0 .. +3] })",
                {{"A", vector_of({1, 2, 3, 4}, f32_i32)}, {"C", vector_of(Values(6), f32_i32)}}),
            (Values{1, 2, 3, 4, -1.5, 7}));
}

TEST(Pair, CopiesFillZerosWithoutAWord) {
  const std::string text = R"(func f(A: (f32, i32)[2], C: (f32, i32)[3]) {
  copy C[0 .. +3] <- A[0 .. +3]
})";
  EXPECT_EQ(to_string(parse_function(text)), text);
  EXPECT_EQ(
      run(text, {{"A", vector_of({1, 2, 3, 4}, f32_i32)}, {"C", vector_of(Values(6, 9), f32_i32)}}),
      (Values{1, 2, 3, 4, 0, 0}));
}

TEST(Pair, ScalarsKeepAllBits) {
  const Scalar value =
      Scalar::of_tuple({Scalar::of_float(f32, -INFINITY), Scalar::of_int(i32, -7)});
  EXPECT_EQ(value.component(0).real, -INFINITY);
  EXPECT_EQ(value.component(1).integer, -7);
  EXPECT_EQ(to_string(value), "(-inf, -7)");
  EXPECT_EQ(to_string(constant_of(value)), "(-inf, -7i32)");
  EXPECT_EQ(as_scalar(constant_of(value))->bytes, value.bytes);
}

// ---- Primitives ---------------------------------------------------------------------------------

TEST(Pair, ReductionsAreSplitAndReordered) {
  expect_rewrite(
      R"(operator most(x: (f32, f32), y: (f32, f32)) =
      (max(x[].first, y[].first), x[].second + y[].second) identity (-inf, 0.0)
    func f[N](A: f32[N, 6], C: (f32, f32)[]) {
      reduce k in 0..N { reduce l in 0..6 { C[] most= (A[k, l], A[k, l]) } } })",
      [](const Function& f) {
        return reorder(f, axes(f, {"l", "k"})).function;
      },
      R"(operator most(x: (f32, f32), y: (f32, f32)) = (max(x[].first, y[].first), x[].second + y[].second) identity (-inf, 0.0)
func f[N](A: f32[N, 6], C: (f32, f32)[]) {
  reduce l in 0..6 {
    reduce k in 0..N {
      C[] most= (A[k, l], A[k, l])
    }
  }
})");
}

const char* const most =
    R"(operator most(x: (f32, f32), y: (f32, f32)) = (max(x[].first, y[].first), x[].second + y[].second) identity (-inf, 0.0)
)";

Function padded(const Function& f) { return split(f, axis(f, "k"), 4, Tail::pad).function; }

/// No single number is neutral for both.
TEST(Pair, NumbersBeyondTheEndAreNotNeutral) {
  expect_refusal(
      std::string(most) + R"(func f(A: f32[6], C: (f32, f32)[]) {
    reduce k in 0..6 { C[] most= (A[k], 1.0) } })",
      padded,
      R"(error: split: iterations beyond the end would change C: no value to read there leaves 'most= (A[k], 1.0)' without effect
  reduce k in 0..6 {
    C[] most= (A[k], 1.0)            <-- here
note: {.tail = Tail::guard} takes any program)");
}

TEST(Pair, PairsBeyondTheEndAreTheIdentity) {
  expect_rewrite(std::string(most) + R"(func f(A: (f32, f32)[6], C: (f32, f32)[]) {
    reduce k in 0..6 { C[] most= A[k] } })",
                 padded, std::string(most) + R"(func f(A: (f32, f32)[6], C: (f32, f32)[]) {
  reduce k.0 in 0..2 {
    reduce k.1 in 0..4 {
      C[] most= select(k.0*4 + k.1 < 6, A[k.0*4 + k.1], (-inf, 0.0))
    }
  }
})");
}

}  // namespace pair_test
}  // namespace hone

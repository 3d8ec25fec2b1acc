// Programs with named values, and steps of schedules of them.
#include <gtest/gtest.h>

#include "dsl/schedule.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/traverse/equal.h"
#include "tests/support/dsl/operands.h"
#include "tests/support/ir/expect_rewrite.h"
#include "tests/support/ir/run.h"

namespace hone {
namespace let_test {

/// The steps keep the meaning, and the text reads back.
void expect_scheduled(const Program& program, llvm::function_ref<void(Schedule&)> steps) {
  Schedule s(program);
  steps(s);
  expect_same_values(program.function(), s.function());
  EXPECT_TRUE(equal(parse_function(to_string(s.function())), s.function()));
  EXPECT_NE(to_string(s.function()).find("let "), std::string::npos);
}

TEST(Let, PrintsInFrontOfItsStatement) {
  const Vectors v;
  const Expr half = let("half", v.A(v.i) * 0.5);
  const Expr square = let("square", half * half);
  const Program program("f", v.C(v.i) = square + v.B(v.i) * half);
  EXPECT_EQ(to_string(program.function()), R"(func f[N](A: f32[N], B: f32[N], C: f32[N]) {
  for i in 0..N {
    let half = A[i] * 0.5
    let square = half * half
    C[i] = square + B[i] * half
  }
})");
  const Expr plain = v.A(v.i) * 0.5;
  expect_same_values(Program("f", v.C(v.i) = plain * plain + v.B(v.i) * plain).function(),
                     program.function());
  EXPECT_TRUE(equal(parse_function(to_string(program.function())), program.function()));
}

TEST(Let, RefusesWhatIsNoNameAndNoValue) {
  const Vectors v;
  const auto refusal = [](const std::function<void()>& action) {
    return message_of<DefinitionError>(action);
  };
  EXPECT_EQ(refusal([&] { let("2x", v.A(v.i)); }),
            "'2x' is no name for a value: letters, digits and '_', not starting with a digit");
  EXPECT_EQ(refusal([&] { let("inf", v.A(v.i)); }),
            "'inf' is no name for a value: it is a constant");
  EXPECT_EQ(refusal([&] { let("x", Expr()); }), "x is undefined; give the Expr a value first");
  EXPECT_EQ(refusal([&] { let("next", v.i + 1); }),
            "next, i + 1, is an index, and has no name of its own; name a cast of it, "
            "cast(i32, ...), or leave the name out");
  EXPECT_EQ(refusal([&] { Axis("i", cast(DType::index, let("half", cast(f32, v.N) * 0.5))); }),
            "the extent index(half) of i has a value with a name, half; names are for what is "
            "computed for each element");
}

TEST(Let, OfAnErrorHasThePlace) {
  try {
    let("a b", 1.0);
    FAIL();
  } catch (const DefinitionError& error) {
    EXPECT_NE(std::string(error.what()).find("let_test.cpp:"), std::string::npos);
  }
}

TEST(Let, IsAValueInReductionsAndEpilogues) {
  const Matrices m;
  const Expr a = let("a", m.A(m.i, m.k)), b = let("b", m.B(m.k, m.j) * 2.0);
  const Program program("f", m.C(m.i, m.j) = sum(m.k, a * b).then([](const Expr& total) {
    const Expr shifted = let("shifted", total + 1.0);
    return max(shifted, -shifted);
  }));
  EXPECT_EQ(to_string(program.function()),
            R"(func f[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
  for i in 0..M {
    for j in 0..N {
      C[i, j] = 0.0
      reduce k in 0..K {
        let a = A[i, k]
        let b = B[k, j] * 2.0
        C[i, j] += a * b
      }
      let shifted = C[i, j] + 1.0
      C[i, j] = max(shifted, -shifted)
    }
  }
})");
  expect_scheduled(program, [&](Schedule& s) {
    auto [ko, ki] = s.split(m.k, 4);
    s.cache_registers(m.C, m.j);
    s.cache_shared(m.A, ko);
    s.unroll(ki);
  });
  expect_scheduled(program, [&](Schedule& s) {
    auto [ko, ki] = s.split(m.k, 4);
    s.rfactor(m.C, ki);
  });
}

TEST(Let, StaysWithComputeAtAndVectorize) {
  const Param n("n");
  const Tensor X("X", f32, {n + 4}), T("T", f32, {n + 4}), Y("Y", f32, {n});
  const Axis i("i", n + 4), j("j", n);
  const Expr x = let("x", X(i)), t = let("t", T(j) + T(j + 4));
  const Program program("f", T(i) = x * x, Y(j) = t * t);
  expect_scheduled(program, [&](Schedule& s) {
    auto [outer, inner] = s.split(j, 4);
    s.compute_at(T, outer);
  });
  expect_scheduled(program, [&](Schedule& s) { s.inline_tensor(T); });
  expect_scheduled(program, [&](Schedule& s) {
    s.assume(n % 4 == 0);
    auto [outer, inner] = s.split(j, 4);
    s.vectorize(inner);
  });
}

/// A value that has the name of an axis, or of another value, has another one in the text, too.
TEST(Let, IsReadInTheTextOfProgramsWhereNamesAreTheSame) {
  const Vectors v;
  const Expr first = let("i", v.A(v.i) * 0.5), second = let("x", v.A(v.i) + 1.0);
  const Expr third = let("x", v.A(v.i) + 2.0);
  const Program program("f", v.C(v.i) = first * v.A(v.i) + second * third + second * first);
  EXPECT_EQ(program.function().history.front(),
            "C(i) = let(i_2, A(i) * 0.5) * A(i) + let(x, A(i) + 1.0) * let(x_2, A(i) + 2.0) + x * "
            "i_2");
  EXPECT_EQ(
      to_string(parse_program("f(A: f32[N]) -> " + program.function().history.front()).function()),
      to_string(program.function()));
}

/// Text of programs says a value at its first place.
TEST(Let, IsReadInTheTextOfPrograms) {
  const Vectors v;
  const Expr half = let("half", v.A(v.i) * 0.5);
  const Program program("f", v.C(v.i) = half * half);
  EXPECT_EQ(program.function().history.front(), "C(i) = let(half, A(i) * 0.5) * half");
  EXPECT_EQ(
      to_string(parse_program("f(A: f32[N]) -> C(i) = let(half, A(i) * 0.5) * half").function()),
      to_string(program.function()));
  EXPECT_EQ(
      message_of<ParseError>([] { parse_program("f(A: f32[N]) -> C(i) = A(i) * let(x, i)"); }),
      "1:35: x, i, is an index, and has no name of its own; name a cast of it, cast(i32, ...), or "
      "leave the name out\n  f(A: f32[N]) -> C(i) = A(i) * let(x, i)\n"
      "                                    ^");
}

TEST(Let, IsNoPartOfAnOperator) {
  const Vectors v;
  const Program program("f", v.S() = reduce({v.k}, 0.0, v.A(v.k),
                                            [](const Expr& x, const Expr& y) {
                                              const Expr size = let("size", abs(x));
                                              return max(size, abs(y));
                                            },
                                            {.name = "absmax", .associative = true}));
  EXPECT_EQ(
      to_string(program.function()).substr(0, 84),
      "operator absmax(lhs: f32, rhs: f32) = max(abs(lhs[]), abs(rhs[])) identity 0.0\nfunc ");
}

}  // namespace let_test
}  // namespace hone

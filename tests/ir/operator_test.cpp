// Operators that users declare, from text to values.
#include <gtest/gtest.h>

#include "ir/analysis/accesses.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/rename.h"
#include "ir/verify/verifier.h"
#include "tests/support/ir/run.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace operator_test {

constexpr const char* absmax =
    "operator absmax(lhs: f32, rhs: f32) = max(abs(lhs[]), abs(rhs[])) identity 0.0\n";

const std::string norm = absmax + std::string(R"(func f[N](A: f32[N], C: f32[]) {
  C[] = 0.0
  reduce k in 0..N {
    C[] absmax= A[k]
  }
})");

std::string error_of(const std::string& text) {
  const std::string error = message_of<ParseError>([&] { parse_function(text); });
  return llvm::StringRef(error).split('\n').first.str();
}

std::string declaration_error(const std::string& declaration) {
  return error_of("operator " + declaration + " func f() { }");
}

TEST(Operator, ReadsBackAsItIsPrinted) {
  const Function function = parse_function(norm);
  EXPECT_EQ(to_string(function), norm);
  EXPECT_TRUE(equal(parse_function(to_string(function)), function));
  EXPECT_EQ(verify(function), std::nullopt);
}

TEST(Operator, IsPrintedOnceAndOnlyWhereItIsUsed) {
  const std::string text = R"(operator plus(x: i32, y: i32) = x[] + y[] identity 0i32
func f(C: i32[]) {
  C[] plus= 1i32
  C[] plus= 2i32
})";
  EXPECT_EQ(to_string(parse_function(absmax + text)), text);
}

TEST(Operator, TakesLiteralsOfItsType) {
  EXPECT_EQ(
      to_string(parse_function("operator twice(x: f64, y: f64) = x[] + y[] * 1 identity 0 "
                               "func f(C: f64[]) { C[] twice= 1 }")),
      "operator twice(x: f64, y: f64) = x[] + y[] * 1.0f64 identity 0.0f64\nfunc f(C: f64[]) {\n"
      "  C[] twice= 1.0f64\n}");
}

TEST(Operator, CombinesElementAndValue) {
  EXPECT_EQ(run(norm, {{"A", vector_of({1, -5, 3})}, {"C", buffer_of(f32, {}, {0})}}), (Values{5}));
}

/// lhs is the element, rhs the value.
TEST(Operator, KnowsItsOperandsApart) {
  const std::string text = R"(operator last(lhs: f32, rhs: f32) = rhs[] - lhs[] identity 0.0
func f(A: f32[2], C: f32[]) { for k in 0..2 { C[] last= A[k] * 2.0 } })";
  EXPECT_EQ(run(text, {{"A", vector_of({1, 10})}, {"C", buffer_of(f32, {}, {7})}}), (Values{25}));
}

TEST(Operator, MayHaveOperandsOfANameThatATensorHas) {
  const std::string text = R"(operator plus(A: f32, C: f32) = A[] + C[] identity 0.0
func f(A: f32[2], C: f32[]) { for k in 0..2 { C[] plus= A[k] } })";
  EXPECT_EQ(run(text, {{"A", vector_of({1, 10})}, {"C", buffer_of(f32, {}, {7})}}), (Values{18}));
}

TEST(Operator, UpdatesWithOneOperatorCommute) {
  const Function f = parse_function(absmax + std::string(R"(
    operator plus(lhs: f32, rhs: f32) = lhs[] + rhs[] identity 0.0
    func f(C: f32[1]) { C[0] absmax= 1.0 C[0] absmax= 2.0 C[0] plus= 3.0 C[0] += 3.0 })"));
  const Accesses accesses = collect_accesses(f.body);
  EXPECT_TRUE(commute(accesses[0], accesses[1]));
  EXPECT_FALSE(commute(accesses[0], accesses[2]));
  EXPECT_FALSE(commute(accesses[2], accesses[3]));
}

TEST(Operator, IsPartOfWhatAStatementIs) {
  const std::string body = "func f(C: f32[]) { C[] pick= 1.0 }";
  const std::vector<std::string> declarations = {
      "operator pick(x: f32, y: f32) = max(x[], y[]) identity -inf ",
      "operator pick(x: f32, y: f32) = min(x[], y[]) identity inf ",
      "operator pick(x: f32, y: f32) = max(x[], y[]) identity 0.0 ",
      "operator pick(x: f32, z: f32) = max(x[], z[]) identity -inf ",
  };
  for (size_t l = 0; l < declarations.size(); ++l)
    for (size_t r = 0; r < declarations.size(); ++r)
      EXPECT_EQ(
          equal(parse_function(declarations[l] + body), parse_function(declarations[r] + body)),
          l == r);
}

TEST(Operator, LetsAReductionBeReordered) {
  expect_rewrite(
      absmax + std::string(R"(func f[N](A: f32[N, 8], C: f32[]) {
                      C[] = 0.0
                      reduce k in 0..N { reduce l in 0..8 { C[] absmax= A[k, l] } } })"),
      [](const Function& f) {
        return reorder(f, axes(f, {"l", "k"})).function;
      },
      absmax + std::string(R"(func f[N](A: f32[N, 8], C: f32[]) {
  C[] = 0.0
  reduce l in 0..8 {
    reduce k in 0..N {
      C[] absmax= A[k, l]
    }
  }
})"));
}

/// Beyond the end 0 is read, which is the identity.
TEST(Operator, ItsIdentityPadsASplit) {
  expect_rewrite(norm, pads("k", 4), absmax + std::string(R"(func f[N](A: f32[N], C: f32[]) {
  C[] = 0.0
  reduce k.0 in 0..(N + 3) / 4 {
    reduce k.1 in 0..4 {
      C[] absmax= select(k.0*4 + k.1 < N, A[k.0*4 + k.1], 0.0)
    }
  }
})"));
}

TEST(Operator, MovesIntoRegistersWithItsTensor) {
  expect_rewrite(
      absmax + std::string(R"(func f(A: f32[4, 8], C: f32[4]) {
                      for i in 0..4 { C[i] = 0.0 reduce k in 0..8 { C[i] absmax= A[i, k] } } })"),
      [](const Function& f) { return in_registers(f, "C", "i"); },
      absmax + std::string(R"(func f(A: f32[4, 8], C: f32[4]) {
  for i in 0..4 {
    alloc C.reg: f32[] @registers
    C.reg[] = 0.0
    reduce k in 0..8 {
      C.reg[] absmax= A[i, k]
    }
    C[i] = C.reg[]
  }
})"));
}

TEST(Operator, NamesAreKnownOrRefused) {
  EXPECT_EQ(error_of(absmax + std::string("func f(C: f32[]) { C[] absmin= 1.0 }")),
            "2:24: unknown operator 'absmin'; there are min, max, and, or, absmax");
  EXPECT_EQ(declaration_error("max(x: f32, y: f32) = x[] identity 0.0"),
            "1:10: 'max' is a built-in operator");
  EXPECT_EQ(declaration_error("inf(x: f32, y: f32) = x[] identity 0.0"),
            "1:10: 'inf' is reserved; it cannot be the name of an operator");
  EXPECT_EQ(declaration_error("same(x: f32, x: f32) = x[] identity 0.0"),
            "1:10: both operands of same are named x");
}

TEST(Operator, IsMadeOfItsOperands) {
  EXPECT_EQ(declaration_error("plus(x: f32, y: f32) = x[] + z[] identity 0.0"),
            "1:39: unknown tensor 'z'; in scope: x, y");
  EXPECT_EQ(declaration_error("plus(x: f32, y: f32) = x[] * f32(block.x) identity 0.0"),
            "1:10: plus depends on block.x; it may contain its operands and constants");
}

TEST(Operator, HasOneType) {
  EXPECT_EQ(declaration_error("less(x: f32, y: f32) = x[] < y[] identity 0.0"),
            "1:10: less makes bool of f32 and f32, which are to be of one type");
  EXPECT_EQ(declaration_error("pick(x: f32, y: f64) = x[] identity 0.0"),
            "1:10: pick makes f32 of f32 and f64, which are to be of one type");
  EXPECT_EQ(declaration_error("plus(x: f32, y: f32) = x[] + y[] identity 0.0 + 0.0"),
            "1:10: the identity 0.0 + 0.0 of plus is not a constant of type f32");
  EXPECT_EQ(
      declaration_error("plus(x: index, y: f32) = y[] identity 0.0"),
      "1:18: 'index' is no type of elements; there are bool, f64, f32, f16, bf16, tf32, f8e4m3, "
      "f8e5m2, i64, i32, i8 and u8");
}

TEST(Operator, FitsTheElementsThatItUpdates) {
  EXPECT_EQ(verify(parse_function(absmax + std::string("func f(C: f64[]) { C[] absmax= 1.0 }"))),
            "C is f64, which 'absmax=' does not take");
}

TEST(Operator, OfANameIsOne) {
  const auto store = [](const char* declaration) {
    return parse_function(declaration + std::string("func f(C: f32[]) { C[] pick= 1.0 }"));
  };
  Function function = store("operator pick(x: f32, y: f32) = max(x[], y[]) identity -inf ");
  const Function other = store("operator pick(x: f32, y: f32) = min(x[], y[]) identity inf ");
  const Stmt first = function.body;
  function.body = Seq::make({first, first});
  EXPECT_EQ(verify(function), std::nullopt);
  function.body = Seq::make(
      {first, replace_tensor(other.body, other.arguments[0].get(), function.arguments[0])});
  EXPECT_EQ(verify(function), "two operators are named pick");
}

}  // namespace operator_test
}  // namespace hone

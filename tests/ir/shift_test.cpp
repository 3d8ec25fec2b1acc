// `<<` and `>>` of indices that are not negative.
#include <gtest/gtest.h>

#include "ir/algebra/interval.h"
#include "ir/algebra/simplify.h"
#include "ir/interpret/interpreter.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "tests/support/ir/index_scope.h"
#include "tests/support/ir/run.h"

namespace hone {
namespace shift_test {

/// The value of an index expression, as an element of C.
std::string value_text(const std::string& index) {
  const std::string text = "func f[N](A: f32[N], C: f32[1]) { C[0] = f32(" + index + ") }";
  try {
    return fmt::format("{}", run(text, {{"A", Buffer(f32, {5})}, {"C", vector_of({0})}})[0]);
  } catch (const InterpretError& error) {
    return llvm::StringRef(error.what()).split('\n').first.str();
  }
}

TEST(Shift, MovesBits) {
  EXPECT_EQ(value_text("1 << N"), "32");
  EXPECT_EQ(value_text("3 << 0"), "3");
  EXPECT_EQ(value_text("100 >> N"), "3");
  EXPECT_EQ(value_text("N >> 62"), "0");
  EXPECT_EQ(value_text("(N << 62 - 60) + (N >> 1)"), "22");
}

TEST(Shift, IsAnErrorWhereItHasNoValue) {
  EXPECT_EQ(value_text("1 << N + 60"),
            "1 << N + 60: 1 << 65 is a shift by less than 0 or more than 62");
  EXPECT_EQ(value_text("1 << N - 6"),
            "1 << N - 6: 1 << -1 is a shift by less than 0 or more than 62");
  EXPECT_EQ(value_text("N - 6 << 1"), "N - 6 << 1: -1 << 1 is a shift of a negative index");
  EXPECT_EQ(value_text("N - 6 >> 1"), "N - 6 >> 1: -1 >> 1 is a shift of a negative index");
  EXPECT_EQ(value_text("N << 61"), "N << 61: 5 << 61 overflows a 64-bit index");
}

TEST(Shift, BindsTighterThanComparisonsAndLooserThanSums) {
  for (const char* text : {"i + 1 << j", "i << j + 1", "(i << j) + 1", "i << j >> 1",
                           "i << (j >> 1)", "i*2 << j", "(i << j)*2", "i ^ j << 1", "(i ^ j) << 1"})
    EXPECT_EQ(to_string(IndexScope({"for i in 0..4", "for j in 0..4"}, {text})[0]), text);
  EXPECT_EQ(to_string(IndexScope({"for i in 0..4"}, {"select((1 << i) < (N >> 1), 1, 0)"})[0]),
            "select(1 << i < N >> 1, 1, 0)");
}

TEST(Shift, IsOfIndicesAndIntegers) {
  const auto error = [](const char* body) {
    const std::string message = message_of<ParseError>(
        [&] { parse_function(std::string("func f(n: i32[], x: f32[]) { ") + body + " }"); });
    return llvm::StringRef(message).split('\n').first.split(": ").second.str();
  };
  EXPECT_EQ(error("n[] = n[] << i64(n[])"), "shift of n[] (i32) and i64(n[]) (i64); use cast");
  EXPECT_EQ(error("x[] = x[] >> 1"), "shift of x[] (f32) and 1.0 (f32); use cast");
}

/// The value stays, for all sizes up to 5.
std::string simplified(const std::string& text) {
  const IndexScope scope({"for i in 0..4", "for j in 0..4"}, {text});
  const Expr result = simplify(scope[0], scope.facts());
  EXPECT_TRUE(simplify(result, scope.facts()).same_as(result));
  scope.for_each_assignment(5, [&](const Assignment& values) {
    const auto value = value_of(scope[0], values);
    if (value) {
      EXPECT_EQ(value_of(result, values), value) << text;
    }
  });
  return to_string(result);
}

TEST(Shift, OfConstantsIsFolded) {
  EXPECT_EQ(simplified("1 << 5"), "32");
  EXPECT_EQ(simplified("100 >> 5"), "3");
  EXPECT_EQ(simplified("i << 0"), "i");
  EXPECT_EQ(simplified("i >> 1 - 1"), "i");
  EXPECT_EQ(simplified("(1 << 3) + i"), "i + 8");
  EXPECT_EQ(simplified("128 >> i"), "128 >> i");
  EXPECT_EQ(simplified("(i + j << 1) + (i + j << 1)"), "(i + j << 1)*2");
}

TEST(Shift, WithoutAValueIsKept) {
  for (const char* text : {"1 << 64", "1 << 63", "4 << 62", "1 >> 63"})
    EXPECT_EQ(simplified(text), text);
}

TEST(Shift, HasAnInterval) {
  const auto range = [](const std::string& text) {
    const IndexScope scope({"for i in 0..4", "for j in 0..8"}, {text});
    const Interval interval = interval_of(scope[0], scope.facts());
    return fmt::format("{}..{}", interval.low,
                       interval.has_high() ? std::to_string(interval.high) : "");
  };
  EXPECT_EQ(range("1 << i"), "1..8");
  EXPECT_EQ(range("3 << 2 - i / 3"), "6..12");
  EXPECT_EQ(range("128 >> i"), "0..128");
  EXPECT_EQ(range("j << i"), "0..56");
  EXPECT_EQ(range("j >> N"), "0..7");
  EXPECT_EQ(range("j << N"), "0..");
  EXPECT_EQ(range("N << 1"), "0..");
}

}  // namespace shift_test
}  // namespace hone

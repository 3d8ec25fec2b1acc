// Sizes, and the buffers that they fit.
#include "fmt/format.h"
#include "gtest/gtest.h"
#include "ir/interpret/interpreter.h"
#include "ir/text/parser.h"
#include "tests/support/ir/run.h"

namespace hone {
namespace sizes_test {

// ---- Sizes and buffers --------------------------------------------------------------------------

std::string invalid_argument_of(llvm::StringRef text, const Sizes& sizes, Buffers buffers) {
  return message_of<std::invalid_argument>(
      [&] { interpret(parse_function(text), sizes, buffers); });
}

const char* const fill = "func fill[M](C: f32[M, 4]) { for i in 0..M { C[i, 0] = 1.0 } }";

TEST(Interpreter, RefusesAMissingOrNegativeSize) {
  const Buffers buffers = {{"C", Buffer(f32, {3, 4})}};
  EXPECT_EQ(invalid_argument_of(fill, {}, buffers), "no size is given for M");
  EXPECT_EQ(invalid_argument_of(fill, {{"N", 3}}, buffers), "no size is given for M");
  EXPECT_EQ(invalid_argument_of(fill, {{"M", -3}}, buffers),
            "the size given for M is -3, which is negative");
}

TEST(Interpreter, RefusesABufferThatDoesNotFit) {
  const Sizes sizes = {{"M", 3}};
  EXPECT_EQ(invalid_argument_of(fill, sizes, {}), "no buffer is given for C");
  EXPECT_EQ(invalid_argument_of(fill, sizes, {{"C", Buffer(f32, {4, 4})}}),
            "the buffer of C is f32[4, 4], expected f32[3, 4]");
  EXPECT_EQ(invalid_argument_of(fill, sizes, {{"C", Buffer(f32, {12})}}),
            "the buffer of C is f32[12], expected f32[3, 4]");
  EXPECT_EQ(invalid_argument_of(fill, sizes, {{"C", Buffer(i32, {3, 4})}}),
            "the buffer of C is i32[3, 4], expected f32[3, 4]");
  Buffer truncated(f32, {3, 4});
  truncated.bytes.resize(40);
  EXPECT_EQ(invalid_argument_of(fill, sizes, {{"C", truncated}}),
            "the buffer of C has 40 bytes, f32[3, 4] takes 48");
}

TEST(Interpreter, IgnoresBuffersThatAreNotArguments) {
  EXPECT_EQ(run(fill, {{"C", Buffer(f32, {1, 4})}, {"other", Buffer(i8, {2})}}),
            (Values{1, 0, 0, 0}));
}

TEST(InferSizes, ReadsTheShapesOfTheArguments) {
  const Function function =
      parse_function("func f[M, N, K](A: f32[M, N], B: f32[N, 2*K], C: f32[3]) { C[0] = 1.0 }");
  const Buffers buffers = {
      {"A", Buffer(f32, {5, 7})}, {"B", Buffer(f32, {7, 8})}, {"C", Buffer(f32, {3})}};
  EXPECT_EQ(infer_sizes(function, buffers), (Sizes{{"M", 5}, {"N", 7}}));
}

TEST(InferSizes, RefusesBuffersThatDisagree) {
  const Function function = parse_function("func f[M](A: f32[4, M], C: f32[M]) { C[0] = 1.0 }");
  const auto error = [&](const Buffers& buffers) {
    return message_of<std::invalid_argument>([&] { infer_sizes(function, buffers); });
  };
  EXPECT_EQ(error({{"A", Buffer(f32, {4, 5})}, {"C", Buffer(f32, {6})}}),
            "M is 5 in dimension 1 of A and 6 in dimension 0 of C");
  EXPECT_EQ(error({{"A", Buffer(f32, {4})}, {"C", Buffer(f32, {6})}}),
            "the buffer of A is f32[4], expected 2 dimensions");
  EXPECT_EQ(error({{"A", Buffer(f32, {4, 5})}}), "no buffer is given for C");
}

TEST(Evaluate, GivesTheValueOfAnIndexExpression) {
  const Expr m = ParamRef::make(make_param("M")), n = ParamRef::make(make_param("N"));
  const Sizes sizes = {{"M", 10}, {"N", 4}};
  EXPECT_EQ(evaluate((m + n - 1) / n * 2 + m % n, sizes), 8);
  EXPECT_EQ(evaluate(m - 20, sizes), -10);
  EXPECT_EQ(evaluate(min(m, n), sizes), 4);
  EXPECT_EQ(evaluate(m % n == 2 && m > n, sizes), 1);
}

TEST(Evaluate, RefusesWhatHasNoValue) {
  const Expr m = ParamRef::make(make_param("M"));
  const Expr i = AxisRef::make(make_axis("i", AxisKind::spatial));
  EXPECT_EQ(message_of<std::invalid_argument>([&] {
              evaluate(m + 1, {{"N", 1}});
            }),
            "no size is given for M");
  EXPECT_EQ(message_of<std::invalid_argument>([&] {
              evaluate(m, {{"M", -1}});
            }),
            "the size given for M is -1, which is negative");
  EXPECT_EQ(message_of<std::invalid_argument>([&] { evaluate(i + 1, {}); }),
            "axis i has no value here");
  EXPECT_EQ(message_of<InterpretError>([&] {
              evaluate(4 / m, {{"M", 0}});
            }),
            "4 / M: 4 / 0 is a division by zero");
}

}  // namespace sizes_test
}  // namespace hone

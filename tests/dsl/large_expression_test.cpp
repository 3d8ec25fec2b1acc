// Expressions that are deep, or large as trees, are refused with the numbers.
#include "dsl/schedule.h"
#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "ir/verify/verifier.h"
#include "tests/support/ir/run.h"

namespace hone {
namespace large_expression_test {

struct Elementwise {
  Tensor A{"A", f32, {4}}, B{"B", f32, {4}};
  Axis i{"i", 4};

  Expr chain(int links) const {
    Expr value = A(i);
    for (int n = 0; n < links; ++n) value = value + 1.0;
    return value;
  }

  Expr doubled(int times) const {
    Expr value = A(i);
    for (int n = 0; n < times; ++n) value = value + value;
    return value;
  }
};

std::string refusal(const std::function<void()>& action) {
  return message_of<DefinitionError>(action);
}

const std::string advice =
    " are taken; define parts of it as tensors of their own, or reduce over an axis";

TEST(LargeExpression, KnowsItsSize) {
  const Elementwise e;
  EXPECT_EQ(e.chain(10).get()->size.depth, 12u);
  EXPECT_EQ(e.chain(10).get()->size.nodes, 22u);
  EXPECT_EQ(e.doubled(10).get()->size.nodes, 3071u);
}

TEST(LargeExpression, MayBeAThousandLevelsDeep) {
  const Elementwise e;
  const Program program("f", e.B(e.i) = e.chain(998));
  EXPECT_EQ(verify(program.function()), std::nullopt);
  EXPECT_EQ(to_string(parse_function(to_string(program.function()))),
            to_string(program.function()));
}

TEST(LargeExpression, IsRefusedWhereItIsDeeper) {
  const Elementwise e;
  EXPECT_EQ(refusal([&] { Program("f", e.B(e.i) = e.chain(999)); }),
            "an expression nests 1001 levels deep, and at most 1000" + advice);
  EXPECT_EQ(refusal([&] { e.chain(100'000); }),
            "an expression nests 4001 levels deep, and at most 4000" + advice);
}

TEST(LargeExpression, IsRefusedWhereItIsLargeAsATree) {
  const Elementwise e;
  EXPECT_EQ(refusal([&] { Program("f", e.B(e.i) = e.doubled(12)); }),
            "an expression has 12287 nodes, where what is used twice counts twice, and at most "
            "10000" +
                advice);
  EXPECT_EQ(refusal([&] { e.doubled(40); }),
            "an expression has 49151 nodes, where what is used twice counts twice, and at most "
            "40000" +
                advice);
}

TEST(LargeExpression, IsRefusedWhereAStepWouldMakeIt) {
  const Elementwise e;
  const Tensor T("T", f32, {4});
  Schedule s(Program("f", T(e.i) = e.doubled(11), e.B(e.i) = T(e.i) * T(e.i)));
  const std::string before = to_string(s.function());
  EXPECT_EQ(message_of<ScheduleError>([&] { s.inline_tensor(T, {}); }),
            "error: inline_tensor: an expression has 12287 nodes, where what is used twice counts "
            "twice, and at most 10000" +
                advice);
  EXPECT_EQ(to_string(s.function()), before);
}

TEST(LargeExpression, MayBeCutIntoDefinitions) {
  const Elementwise e;
  const Tensor T("T", f32, {4});
  const Program program("f", T(e.i) = e.chain(998), e.B(e.i) = T(e.i) + T(e.i));
  EXPECT_EQ(verify(program.function()), std::nullopt);
}

TEST(LargeExpression, StatementsNestAsDeep) {
  Function function = parse_function("func f(A: f32[]) { A[] = 1.0 }");
  for (int n = 0; n < 1000; ++n) function.body = If::make(true, function.body);
  EXPECT_EQ(verify(function), "statements nest 1001 levels deep, and at most 1000 are taken");
}

}  // namespace large_expression_test
}  // namespace hone

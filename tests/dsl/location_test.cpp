// Errors of definitions say where in the user's text they come up.
#include "dsl/schedule.h"
#include "gtest/gtest.h"
#include "tests/support/dsl/operands.h"

namespace hone {
namespace location_test {

/// The whole text of the DefinitionError of `action`, without the folder of this file.
std::string text_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const DefinitionError& error) {
    const std::string text = error.what();
    return text.substr(text.find("location_test.cpp"));
  }
  return "no error";
}

/// `message` at a line of this file.
std::string at_line(int line, const std::string& message) {
  return fmt::format("location_test.cpp:{}: error: {}", line, message);
}

TEST(Location, OfSizesAxesAndTensors) {
  EXPECT_EQ(text_of([] { Param("2N"); }),
            at_line(__LINE__ - 1,
                    "'2N' is no name for a param: letters, digits and '_', not "
                    "starting with a digit"));
  EXPECT_EQ(text_of([] { Axis("i", -4); }),
            at_line(__LINE__ - 1, "the extent of i must not be negative, got -4"));
  EXPECT_EQ(text_of([] { ReduceAxis("k", 4.0); }),
            at_line(__LINE__ - 1, "the extent 4.0 of k has type f32"));
  EXPECT_EQ(text_of([] { ReduceAxis(Axis("i", 4)); }),
            at_line(__LINE__ - 1, "i is no axis of a reduction"));
  EXPECT_EQ(text_of([] { Tensor("A", f32, {-1}); }),
            at_line(__LINE__ - 1, "the extent of A must not be negative, got -1"));
}

TEST(Location, OfElements) {
  const Vectors v;
  EXPECT_EQ(text_of([&] { Expr(v.A(v.i, v.i)); }),
            at_line(__LINE__ - 1, "A has 1 dimension and is read with 2 indices"));
  EXPECT_EQ(text_of([&] { v.A(Expr()); }),
            at_line(__LINE__ - 1, "an index of A is undefined; give the Expr a value first"));
  EXPECT_EQ(text_of([&] { Expr(v.A()); }),
            at_line(__LINE__ - 1, "A has 1 dimension and is read with 0 indices"));
}

TEST(Location, OfDefinitions) {
  const Vectors v;
  EXPECT_EQ(text_of([&] { v.C(v.i, v.i) = 1.0; }),
            at_line(__LINE__ - 1, "C has 1 dimension and is defined with 2 indices"));
  EXPECT_EQ(text_of([&] { v.C(v.i) = Expr(); }),
            at_line(__LINE__ - 1, "the value of C is undefined; give the Expr a value first"));
  EXPECT_EQ(text_of([&] { v.C(v.k) = 1.0; }),
            at_line(__LINE__ - 1, "k is a reduction axis and indexes C, which it defines"));
}

TEST(Location, OfReductions) {
  const Vectors v;
  const std::string undefined =
      "the value of a reduction is undefined; give the Expr a value first";
  EXPECT_EQ(text_of([&] { sum(v.k, Expr()); }), at_line(__LINE__, undefined));
  EXPECT_EQ(text_of([&] { max({v.k}, Expr()); }), at_line(__LINE__, undefined));
  EXPECT_EQ(text_of([&] { argmin(v.k, Expr()); }), at_line(__LINE__, undefined));
  EXPECT_EQ(text_of([&] { all(v.k, v.A(v.k)); }),
            at_line(__LINE__ - 1, "A[k] has type f32, and any and all reduce bools"));
  EXPECT_EQ(text_of([&] { sum(v.k, v.A(v.k)).then({}); }),
            at_line(__LINE__ - 1, "the epilogue of a reduction is an empty function"));
  EXPECT_EQ(text_of([&] { reduce({v.k}, 0.0, v.A(v.k), {}); }),
            at_line(__LINE__ - 1, "the operator of a reduction is an empty function"));
}

TEST(Location, OfAProgramOrOfOneOfItsDefinitions) {
  const Vectors v;
  EXPECT_EQ(text_of([&] { Program("2f", v.C(v.i) = 1.0); }),
            at_line(__LINE__ - 1,
                    "'2f' is no name for a program: letters, digits and '_', not "
                    "starting with a digit"));
  const Definition definition = v.C(v.i) = Expr(v.A(v.k));
  EXPECT_EQ(text_of([&] { Program("f", definition); }),
            at_line(__LINE__ - 2,
                    "C(i) = A(k) uses k, which is neither an index of C nor reduced "
                    "over"));
  EXPECT_EQ(text_of([&] { Program(std::string("f"), llvm::ArrayRef<Definition>()); }),
            at_line(__LINE__ - 1, "a program has at least one definition"));
}

TEST(Location, IsLeftOutWhereNoneIsGiven) {
  try {
    Axis("i", -4, Location());
    FAIL() << "no error";
  } catch (const DefinitionError& error) {
    EXPECT_EQ(std::string(error.what()), "the extent of i must not be negative, got -4");
  }
}

}  // namespace location_test
}  // namespace hone

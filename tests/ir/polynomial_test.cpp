#include "ir/algebra/polynomial.h"

#include <gtest/gtest.h>

#include "ir/text/printer.h"
#include "tests/support/ir/index_scope.h"

namespace hone {
namespace polynomial_test {

/// The normal form of `text`, as an expression.
std::string normal_form(const std::string& text) {
  const IndexScope scope({"for i in 0..M", "for j in 0..N"}, {text});
  return to_string(Polynomial::of(scope[0]).to_expr());
}

bool equal_forms(const std::string& lhs, const std::string& rhs) {
  const IndexScope scope({"for i in 0..M", "for j in 0..N"}, {lhs, rhs});
  return Polynomial::of(scope[0]) == Polynomial::of(scope[1]);
}

TEST(Polynomial, MultipliesOutAndCollects) {
  EXPECT_EQ(normal_form("(i + 1)*(i - 1) + 1"), "i*i");
  EXPECT_EQ(normal_form("(i*32 + j)*K - j*K"), "i*K*32");
  EXPECT_EQ(normal_form("-(i - j)*2"), "j*2 - i*2");
  EXPECT_EQ(normal_form("i - i"), "0");
  EXPECT_EQ(normal_form("0 - i"), "-i");
  EXPECT_EQ(normal_form("3 - 5"), "-2");
}

TEST(Polynomial, OrdersTermsByName) {
  EXPECT_EQ(normal_form("M + j + i + 1"), "i + j + M + 1");
  EXPECT_EQ(normal_form("j*N*i"), "i*j*N");
}

TEST(Polynomial, EqualsWhatIsTheSameNumber) {
  EXPECT_TRUE(equal_forms("(i + j)*(i + j)", "i*i + 2*i*j + j*j"));
  EXPECT_TRUE(equal_forms("(i / 4)*8 + j", "j + 4*(i / 4)*2"));
  EXPECT_FALSE(equal_forms("i / 4", "i / 5"));
  EXPECT_FALSE(equal_forms("i*4", "i*4 + 1"));
  EXPECT_FALSE(equal_forms("i", "j"));
}

TEST(Polynomial, KeepsWhatIsNoSumAsAnAtom) {
  EXPECT_EQ(normal_form("(j + i) / 4 * 2 + min(j, i)"), "((j + i) / 4)*2 + min(j, i)");
}

TEST(Polynomial, KeepsAxesOfOneNameApart) {
  const Expr first = AxisRef::make(make_axis("copy", AxisKind::spatial));
  const Expr second = AxisRef::make(make_axis("copy", AxisKind::spatial));
  EXPECT_FALSE((Polynomial::of(first) - Polynomial::of(second)).is_zero());
  EXPECT_TRUE((Polynomial::of(first) - Polynomial::of(first)).is_zero());
}

TEST(Polynomial, KeepsAnOperationThatLeaves64BitsAsAnAtom) {
  const Polynomial largest = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(to_string((largest + 1).to_expr()), "9223372036854775807 + 1");
  EXPECT_EQ((largest + 1 - (largest + 1)).constant(), 0);
  EXPECT_FALSE(proves_non_negative(largest + 1, {}));
  EXPECT_EQ(to_string((largest * 2).to_expr()), "9223372036854775807*2");
  EXPECT_EQ(normal_form("-9223372036854775807 - 1"), "-9223372036854775808");
  EXPECT_EQ(normal_form("i*(-9223372036854775807 - 1)"), "i*-9223372036854775808");
}

TEST(Polynomial, KnowsItsConstant) {
  EXPECT_EQ(Polynomial().constant(), 0);
  EXPECT_EQ((Polynomial(3) + 4).constant(), 7);
  const IndexScope scope({}, {"M"});
  EXPECT_EQ(Polynomial::of(scope[0]).constant(), std::nullopt);
}

TEST(Polynomial, MentionsAnAxisInsideAnAtom) {
  const IndexScope scope({"for i in 0..M", "for j in 0..N"}, {"M + (i + 1) / 4"});
  const Polynomial polynomial = Polynomial::of(scope[0]);
  EXPECT_TRUE(polynomial.mentions(scope.axis("i")));
  EXPECT_FALSE(polynomial.mentions(scope.axis("j")));
}

TEST(Polynomial, IsLinearInAnAxisThatOccursOnce) {
  const IndexScope scope({"for i in 0..M", "for j in 0..N"},
                         {"(i*32 + j)*K + M", "j*2", "i*i", "i*(i / 2)", "i + j % 4 + i / 4"});
  const auto linear = Polynomial::of(scope[0]).linear_in(scope.axis("i"));
  ASSERT_TRUE(linear);
  EXPECT_EQ(to_string(linear->coefficient.to_expr()), "K*32");
  EXPECT_EQ(to_string(linear->rest.to_expr()), "j*K + M");

  const auto absent = Polynomial::of(scope[1]).linear_in(scope.axis("i"));
  ASSERT_TRUE(absent);
  EXPECT_TRUE(absent->coefficient.is_zero());
  EXPECT_EQ(to_string(absent->rest.to_expr()), "j*2");

  for (const size_t n : {2, 3, 4})
    EXPECT_FALSE(Polynomial::of(scope[n]).linear_in(scope.axis("i"))) << to_string(scope[n]);
}

/// It has no negation, and is an atom: no coefficient is -2^63.
TEST(Polynomial, TheLeastIntegerIsNoCoefficient) {
  constexpr int64_t least = std::numeric_limits<int64_t>::min();
  const IndexScope scope({"for i in 0..M"}, {"i"});
  const Expr i = scope[0], number = IntConst::make(least);
  const Polynomial whole(least);
  EXPECT_EQ(whole.constant(), std::nullopt);
  EXPECT_EQ(to_string(Polynomial::of(i * number).to_expr()), "i*-9223372036854775808");
  EXPECT_EQ(to_string((Polynomial() - whole).to_expr()), "-(-9223372036854775808)");
  EXPECT_EQ((whole - whole).constant(), 0);
  for (const Expr& index : {i * number, -(i * number), i * 4611686018427387904 * -2, i + number,
                            i * -9223372036854775807 - i, number * 2 + i})
    for (const Polynomial::Term& term : Polynomial::of(index).terms())
      EXPECT_NE(term.coefficient, least) << to_string(index);
}

TEST(Polynomial, AddsATermThatDoesNotFitAsItIs) {
  const IndexScope scope({"for i in 0..M"}, {"i"});
  const Polynomial most = Polynomial::of(scope[0] * 9223372036854775807),
                   one = Polynomial::of(scope[0]);
  Polynomial sum = most;
  sum += one;
  EXPECT_EQ(to_string(sum.to_expr()), "i*9223372036854775807 + i");
}

TEST(Polynomial, PowersOfASumAreAtomsWhereTheyHaveTooManyTerms) {
  Polynomial sum(1);
  for (const char* name : {"a", "b", "c", "d"})
    sum = sum + Polynomial::of(ParamRef::make(make_param(name)));
  Polynomial power = sum;
  for (int doublings = 0; doublings < 10; ++doublings) power = power * power;
  EXPECT_LE(power.terms().size(), 1024u);
  EXPECT_EQ((power - power).constant(), 0);
}

}  // namespace polynomial_test
}  // namespace hone

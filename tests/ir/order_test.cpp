#include "ir/traverse/order.h"

#include <gtest/gtest.h>

#include "ir/algebra/polynomial.h"
#include "ir/text/printer.h"
#include "ir/traverse/equal.h"

namespace hone {
namespace order_test {

/// References to axes of one name in the order of their making, which is not that of their
/// addresses: the later half lies between the others.
std::vector<Expr> axes_of_one_name() {
  std::vector<AxisPtr> all;
  for (int n = 0; n < 64; ++n) all.push_back(make_axis("i", AxisKind::spatial));
  std::vector<Expr> references;
  for (int n = 0; n < 64; n += 2) references.push_back(AxisRef::make(all[n]));
  all.clear();
  for (int n = 0; n < 32; ++n)
    references.push_back(AxisRef::make(make_axis("i", AxisKind::spatial)));
  return references;
}

TEST(Order, OfAxesOfOneNameIsThatOfTheirMaking) {
  const std::vector<Expr> axes = axes_of_one_name();
  const auto address = [](const Expr& e) { return llvm::cast<AxisRef>(e)->axis.get(); };
  EXPECT_FALSE(std::is_sorted(axes.begin(), axes.end(), [&](const Expr& lhs, const Expr& rhs) {
    return std::less<const AxisNode*>()(address(lhs), address(rhs));
  }));
  for (size_t left = 0; left < axes.size(); ++left)
    for (size_t right = 0; right < axes.size(); ++right)
      EXPECT_EQ(compare(axes[left], axes[right]) < 0, left < right);
}

TEST(Order, OfTermsIsThatOfTheirMaking) {
  const std::vector<Expr> axes = axes_of_one_name();
  Polynomial sum(0);
  for (size_t n = axes.size(); n-- > 0;) sum = sum + Polynomial::of(axes[n] * int64_t(n + 1));
  ASSERT_EQ(sum.terms().size(), axes.size());
  for (size_t n = 0; n < axes.size(); ++n)
    EXPECT_EQ(sum.terms()[n].coefficient, static_cast<int64_t>(n + 1));
}

TEST(Order, IsThatOfNamesFirst) {
  const Expr j = AxisRef::make(make_axis("j", AxisKind::spatial));
  const Expr i = AxisRef::make(make_axis("i", AxisKind::spatial));
  EXPECT_LT(compare(i, j), 0);
  EXPECT_GT(compare(j, i), 0);
  EXPECT_EQ(compare(i, AxisRef::make(llvm::cast<AxisRef>(i)->axis)), 0);
}

TEST(Order, KeepsTensorsOfOneNameApart) {
  const TensorPtr tensor = make_tensor("A", DType::f32, {Expr(4)});
  const Expr element = Load::make(tensor, {Expr(1)});
  EXPECT_LT(compare(element, Load::make(make_tensor("A", DType::f32, {Expr(4)}), {Expr(1)})), 0);
}

TEST(Order, TakesTheFormsOfATensorAsOne) {
  const TensorPtr tensor = make_tensor("A", DType::f32, {Expr(4)});
  const TensorPtr other = make_form(*tensor, {Expr(8)}, Scope::shared, {}, 128);
  EXPECT_EQ(compare(Load::make(tensor, {Expr(1)}), Load::make(other, {Expr(1)})), 0);
  EXPECT_EQ(declaration(*other), "A: f32[8]");
}

TEST(Order, KeepsVariablesApart) {
  const Expr lhs = AxisRef::make(make_variable()), rhs = AxisRef::make(make_variable());
  EXPECT_LT(compare(lhs, rhs), 0);
  EXPECT_FALSE(equal(lhs, rhs));
  EXPECT_TRUE(equal(lhs, AxisRef::make(llvm::cast<AxisRef>(lhs)->axis)));
}

}  // namespace order_test
}  // namespace hone

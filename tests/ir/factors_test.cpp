#include "ir/algebra/factors.h"

#include <gtest/gtest.h>

#include "ir/text/printer.h"

namespace hone {
namespace factors_test {

Expr axis(llvm::StringRef name) { return AxisRef::make(make_axis(name, AxisKind::spatial)); }

std::string text(const Factors& factors) {
  std::string result;
  for (const Expr& factor : factors) result += to_string(factor) + " ";
  return result;
}

TEST(Factors, AreEmptyAtFirst) {
  const Factors factors;
  EXPECT_TRUE(factors.empty());
  EXPECT_EQ(factors.size(), 0);
  EXPECT_EQ(factors.begin(), factors.end());
}

TEST(Factors, GrowAnywhere) {
  Factors factors = axis("i");
  factors.insert(1, axis("k"));
  factors.insert(1, axis("j"));
  factors.insert(3, Factors());
  EXPECT_EQ(text(factors), "i j k ");
  factors.insert(0, factors);
  EXPECT_EQ(text(factors), "i j k i j k ");
}

TEST(Factors, ShrinkToNothing) {
  Factors factors = axis("i");
  factors.insert(1, axis("j"));
  factors.erase(factors.begin());
  EXPECT_EQ(text(factors), "j ");
  factors.erase(factors.begin());
  EXPECT_TRUE(factors.empty());
}

TEST(Factors, ChangeWithoutTheirCopies) {
  Factors factors = axis("i");
  factors.insert(1, axis("j"));
  const Factors copy = factors;
  factors.erase(factors.begin() + 1);
  EXPECT_EQ(text(copy), "i j ");
  EXPECT_EQ(text(factors), "i ");
}

TEST(Factors, FindWhatIsEqual) {
  const AxisPtr i = make_axis("i", AxisKind::spatial);
  Factors factors = axis("j");
  factors.insert(1, AxisRef::make(i) % 4);
  EXPECT_EQ(factors.find(AxisRef::make(i) % 4), factors.begin() + 1);
  EXPECT_EQ(factors.find(AxisRef::make(i)), factors.end());
}

}  // namespace factors_test
}  // namespace hone

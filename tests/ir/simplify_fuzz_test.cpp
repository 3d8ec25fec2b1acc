// Random expressions under random loops and guards: what simplify and the bounds say is compared
// with the value, at every iteration for all small sizes. --gtest_random_seed makes other ones.
#include <gtest/gtest.h>

#include <random>

#include "ir/algebra/polynomial.h"
#include "ir/algebra/simplify.h"
#include "ir/text/printer.h"
#include "tests/support/ir/index_scope.h"

namespace hone {
namespace simplify_fuzz_test {

class RandomText {
 public:
  explicit RandomText(unsigned seed) : engine_(seed) {}

  std::vector<std::string> around() {
    std::vector<std::string> heads = {"for i in 0.." + extent(), "for j in 0.." + extent()};
    if (below(4) == 0) heads.push_back("let x = " + index(2));
    has_let_ = heads.size() == 3;
    if (below(2) == 0) heads.push_back("if (" + condition(2) + ")");
    return heads;
  }

  std::string index(int depth) {
    if (depth == 0 || below(6) == 0) return leaf();
    const std::string left = index(depth - 1);
    switch (below(11)) {
      case 0:
      case 1:
      case 2:
        return "(" + left + " + " + index(depth - 1) + ")";
      case 3:
        return "(" + left + " - " + index(depth - 1) + ")";
      case 4:
      case 5:
        return "(" + left + "*" + (below(3) ? number() : index(depth - 1)) + ")";
      case 6:
      case 7:
        return "(" + left + " / " + divisor(depth) + ")";
      case 8:
        return "(" + left + " % " + divisor(depth) + ")";
      case 9:
        return pick({"min", "max"}) + "(" + left + ", " + index(depth - 1) + ")";
      default:
        return "select(" + condition(depth - 1) + ", " + left + ", " + index(depth - 1) + ")";
    }
  }

  std::string condition(int depth) {
    if (depth > 0 && below(3) == 0) switch (below(3)) {
        case 0:
          return "(" + condition(depth - 1) + " && " + condition(depth - 1) + ")";
        case 1:
          return "(" + condition(depth - 1) + " || " + condition(depth - 1) + ")";
        default:
          return "!(" + condition(depth - 1) + ")";
      }
    const int operand = std::max(depth - 1, 0);
    return "(" + index(operand) + pick({" < ", " <= ", " > ", " >= ", " == ", " != "}) +
           index(operand) + ")";
  }

 private:
  unsigned below(unsigned count) { return std::uniform_int_distribution<>(0, count - 1)(engine_); }
  std::string pick(const std::vector<std::string>& choices) {
    return choices[below(choices.size())];
  }

  std::string number() { return pick({"0", "1", "2", "3", "4", "6", "8"}); }
  std::string extent() { return pick({"3", "4", "N", "M", "(M + 3) / 4", "M*N", "1"}); }
  std::string divisor(int depth) {
    const unsigned choice = below(6);
    return choice < 4 ? pick({"2", "4", "3", "8"}) : choice == 4 ? "N" : index(depth - 1);
  }
  std::string leaf() {
    return has_let_ && below(5) == 0 ? "x" : pick({"i", "j", "i", "j", "M", "N", number()});
  }

  std::mt19937 engine_;
  bool has_let_ = false;
};

constexpr unsigned trees = 1500;

/// Calls `check` with a scope around an expression that `make` makes.
template <class Make, class Check>
void for_random_scopes(Make make, Check check) {
  const unsigned first = GTEST_FLAG_GET(random_seed) * trees;
  for (unsigned seed = first; seed < first + trees && !::testing::Test::HasFailure(); ++seed) {
    RandomText text(seed);
    const auto around = text.around();
    const IndexScope scope(around, {make(text)});
    std::string heads;
    for (const std::string& head : around) heads += head + " ";
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + heads + to_string(scope[0]));
    check(scope);
  }
}

void expect_laws(const IndexScope& scope) {
  const Expr result = simplify(scope[0], scope.facts());
  const Expr again = simplify(result, scope.facts());
  EXPECT_TRUE(again.same_as(result)) << to_string(result) << " -> " << to_string(again);
  scope.for_each_assignment(4, [&](const Assignment& values) {
    const auto value = value_of(scope[0], values);
    if (!value || ::testing::Test::HasFailure()) return;
    EXPECT_EQ(value_of(result, values), value) << "as " << to_string(result);
  });
}

TEST(SimplifyFuzz, KeepsTheValueOfAnIndexAndIsDoneInOneRun) {
  for_random_scopes([](RandomText& text) { return text.index(4); }, expect_laws);
}

TEST(SimplifyFuzz, KeepsTheValueOfAConditionAndIsDoneInOneRun) {
  for_random_scopes([](RandomText& text) { return text.condition(3); }, expect_laws);
}

TEST(BoundsFuzz, HoldAtEveryIteration) {
  for_random_scopes([](RandomText& text) { return text.index(3); },
                    [](const IndexScope& scope) {
                      const Polynomial polynomial = Polynomial::of(scope[0]);
                      const auto low = lower_bound(polynomial, scope.facts());
                      const auto high = upper_bound(polynomial, scope.facts());
                      const bool is_proved = proves_non_negative(polynomial, scope.facts());
                      scope.for_each_assignment(4, [&](const Assignment& values) {
                        const auto value = value_of(scope[0], values);
                        if (!value || ::testing::Test::HasFailure()) return;
                        EXPECT_TRUE(!is_proved || *value >= 0) << *value;
                        EXPECT_EQ(value_of(polynomial.to_expr(), values), value);
                        const auto least = low ? value_of(low->to_expr(), values) : std::nullopt;
                        const auto largest =
                            high ? value_of(high->to_expr(), values) : std::nullopt;
                        EXPECT_LE(least.value_or(*value), *value) << to_string(low->to_expr());
                        EXPECT_GE(largest.value_or(*value), *value) << to_string(high->to_expr());
                      });
                    });
}

}  // namespace simplify_fuzz_test
}  // namespace hone

// The sizes for which indices lie within their tensors: in the parts of a reduction, and where an
// axis has no values.
#include "dsl/program.h"
#include "fmt/ranges.h"
#include "gtest/gtest.h"
#include "ir/text/printer.h"
#include "tests/support/ir/run.h"

namespace hone {
namespace index_conditions_test {

struct Sums {
  Param N{"N"}, M{"M"}, E{"E"};
  Tensor X{"X", f32, {E}}, Z{"Z", f32, {M}}, Y{"Y", f32, {N}};
  Axis i{"i", N};
  ReduceAxis k{"k", M};
};

std::string refusal(const std::function<void()>& define) {
  return message_of<DefinitionError>(define);
}

std::vector<std::string> conditions(const Definition& definition) {
  std::vector<std::string> texts;
  for (const SizeCheck& check : definition.conditions) texts.push_back(to_string(check.holds));
  return texts;
}

using Texts = std::vector<std::string>;

/// An element is made of the result also where the reduction has no values.
TEST(IndexConditions, AreThoseOfTheEpilogueToo) {
  Sums p;
  const Reduction total = sum(p.k, p.Z(p.k));
  EXPECT_EQ(refusal([&] { p.Y(p.i) = p.Y(p.i + 1) + total; }),
            "Y(i + 1): i + 1 goes up to N, and dimension 0 of Y has the extent N; make that N + 1");
  const Tensor W("W", f32, {p.N});
  EXPECT_EQ(refusal([&] { p.Y(p.i) = W(p.i + 1) + total; }),
            "W(i + 1): i + 1 goes up to N, and dimension 0 of W has the extent N; make that N + 1, "
            "or read it under a condition: select(i + 1 < N, W(i + 1), ...)");
  EXPECT_EQ(conditions(p.Y(p.i) = p.X(p.i) + total), (Texts{"N <= E"}));
  EXPECT_EQ(conditions(p.Y(p.i) = select(p.i < p.E, p.X(p.i), 0.0) + total), Texts{});
}

TEST(IndexConditions, AreThoseOfTheIdentityAndTheOperatorToo) {
  Sums p;
  const auto product = [](const Expr& x, const Expr& y) { return x * y; };
  EXPECT_EQ(conditions(p.Y(p.i) = reduce({p.k}, p.X(p.i), p.Z(p.k), product)), (Texts{"N <= E"}));
  const auto weighted = [&](const Expr& x, const Expr& y) { return x * p.X(p.i) + y; };
  EXPECT_EQ(conditions(p.Y(p.i) = reduce({p.k}, 0.0, p.Z(p.k), weighted)),
            (Texts{"M <= 0 || N <= E"}));
}

TEST(IndexConditions, AreNoneWhereAnAxisNeverHasValues) {
  Sums p;
  const Tensor nothing("nothing", f32, {0}), none("none", f32, {0});
  const Axis j("j", 0);
  const ReduceAxis l("l", 0);
  EXPECT_EQ(conditions(none(j) = nothing(j + 1)), Texts{});
  EXPECT_EQ(conditions(p.Y(p.i) = sum(l, nothing(l + 3))), Texts{});
  EXPECT_EQ(refusal([&] { p.Y(p.i) = nothing(2) + sum(l, nothing(l + 3)); }),
            "nothing(2): dimension 0 of nothing has the extent 0; make that 3");
}

}  // namespace index_conditions_test
}  // namespace hone

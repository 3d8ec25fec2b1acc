#include "ir/algebra/facts.h"

#include <gtest/gtest.h>

#include "ir/algebra/polynomial.h"

namespace hone {
namespace facts_test {

const AxisPtr i = make_axis("i", AxisKind::spatial), j = make_axis("j", AxisKind::spatial);
const Expr I = AxisRef::make(i), J = AxisRef::make(j);

TEST(Fingerprint, IsThatOfTheSameFactsInAnyOrder) {
  const Expr extent(8), condition = I < J;
  Facts one, other;
  one.add_axis(i, extent);
  one.add_axis(j, extent);
  one.assume(condition);
  other.assume(condition);
  other.add_axis(j, extent);
  other.add_axis(i, extent);
  EXPECT_EQ(one.fingerprint(), other.fingerprint());
}

TEST(Fingerprint, TellsFactsApart) {
  const Expr extent(8), condition = I < J;
  Facts loop, let, guard;
  loop.add_axis(i, extent);
  let.define(i, extent);
  guard.assume(condition);
  EXPECT_NE(loop.fingerprint(), Facts().fingerprint());
  EXPECT_NE(loop.fingerprint(), let.fingerprint());
  EXPECT_NE(guard.fingerprint(), Facts().fingerprint());
}

/// The condition that is kept of it is one that `assume` makes.
TEST(Fingerprint, IsOfAConditionAsItIsGiven) {
  const Expr condition = !(I < J);
  Facts one, other;
  one.assume(condition);
  other.assume(condition);
  ASSERT_EQ(one.conditions().size(), 1);
  EXPECT_FALSE(one.conditions()[0].same_as(condition));
  EXPECT_EQ(one.fingerprint(), other.fingerprint());
}

TEST(Fingerprint, IsWoundBack) {
  Facts facts;
  facts.add_axis(i, 8);
  const uint64_t before = facts.fingerprint();
  const Facts::Mark mark = facts.mark();
  facts.add_axis(j, 8);
  facts.assume(I < J);
  facts.rewind(mark);
  EXPECT_EQ(facts.fingerprint(), before);
}

/// The findings of the refuter about a condition go with it.
TEST(Refuter, ForgetsConditions) {
  Facts facts;
  facts.add_axis(i, 64);
  const auto is_below = [&](int64_t limit) {
    return proves_non_negative(Polynomial::of(limit - 1 - I), facts);
  };
  const Facts::Mark mark = facts.mark();
  facts.assume(J == 0);
  EXPECT_FALSE(is_below(4));
  facts.rewind(mark);
  facts.assume(I < 4);
  EXPECT_TRUE(is_below(4));
  EXPECT_FALSE(is_below(3));
}

}  // namespace facts_test
}  // namespace hone

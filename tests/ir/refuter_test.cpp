#include "ir/algebra/refuter.h"

#include <gtest/gtest.h>

namespace hone {
namespace refuter_test {

const AxisPtr i = make_axis("i", AxisKind::spatial), j = make_axis("j", AxisKind::spatial);
const Expr I = AxisRef::make(i), J = AxisRef::make(j);
const Expr N = ParamRef::make(make_param("N"));

Polynomial difference(const Expr& lhs, const Expr& rhs) {
  return Polynomial::of(lhs) - Polynomial::of(rhs);
}

/// i in 0..(n + 1) / 2, so far.
Facts outer_loop(const Expr& extent) {
  Facts facts;
  facts.add_axis(i, (extent + 1) / 2);
  return facts;
}

/// The guards of a loop that was split often: each follows from none of those around it.
TEST(Refuter, SeesThatTheLastIterationMayBeGuarded) {
  Facts facts = outer_loop((N + 1) / 2);
  facts.assume(I * 3 < N + 1);
  facts.add_axis(j, 2);
  EXPECT_TRUE(is_refuted(difference((N + 1) / 2 - 1, I * 2 + J), facts));
}

TEST(Refuter, TakesNoLoopWithoutIterationsForAnExample) {
  Facts facts;
  facts.add_axis(i, N / 4);
  EXPECT_FALSE(is_refuted(difference(N, 4), facts));
  EXPECT_TRUE(proves_non_negative(difference(N, 4), facts));
}

TEST(Refuter, TakesNoConditionThatDoesNotHoldForAnExample) {
  Facts facts;
  facts.assume(N >= 4);
  facts.add_axis(i, N);
  EXPECT_FALSE(is_refuted(difference(N, 4), facts));
}

/// A condition may be about an axis that becomes known later.
TEST(Refuter, MovesNoAxisThatAConditionMentions) {
  Facts facts;
  facts.assume(I * 4 + J < N);
  facts.add_axis(i, N);
  facts.add_axis(j, 4);
  EXPECT_FALSE(is_refuted(difference(N - 1, I * 4 + J), facts));
}

/// Sizes that are tried are whole tiles too, as promises have them.
TEST(Refuter, KnowsSizesOfWholeTiles) {
  for (const int64_t tile : {16, 64, 96, 128, 256}) {
    Facts facts;
    facts.assume(N % tile == 0);
    facts.add_axis(i, N / tile);
    EXPECT_TRUE(is_refuted(difference(7, I), facts)) << tile;
  }
}

TEST(Refuter, TakesTheLastThreadThatConditionsAllow) {
  const Expr thread = ThreadIndex::make(IndexSpace::thread, 0);
  Facts facts;
  facts.assume(thread < 160);
  facts.assume(128 <= thread);
  EXPECT_TRUE(is_refuted(difference(158, thread), facts));
  EXPECT_FALSE(is_refuted(difference(159, thread), facts));
  EXPECT_TRUE(proves_non_negative(difference(159, thread), facts));
  facts.assume(thread <= 140);
  EXPECT_TRUE(is_refuted(difference(139, thread), facts));
  EXPECT_FALSE(is_refuted(difference(140, thread), facts));
}

}  // namespace refuter_test
}  // namespace hone

#include "ir/algebra/interval.h"

#include <gtest/gtest.h>

#include "fmt/format.h"
#include "tests/support/ir/index_scope.h"

namespace hone {
namespace interval_test {

std::string text_of(const Interval& interval) {
  return fmt::format("{}..{}", interval.low == Interval::no_low ? "" : std::to_string(interval.low),
                     interval.has_high() ? std::to_string(interval.high) : "");
}

Expr thread(unsigned dim) { return ThreadIndex::make(IndexSpace::thread, dim); }
Expr block(unsigned dim) { return ThreadIndex::make(IndexSpace::block, dim); }

std::string range(const Expr& expr, std::initializer_list<Expr> conditions) {
  Facts facts;
  for (const Expr& condition : conditions) facts.assume(condition);
  return text_of(interval_of(expr, facts));
}

TEST(Interval, OfAThreadIndexIsNotNegative) { EXPECT_EQ(range(thread(0), {}), "0.."); }

TEST(Interval, OfAThreadIndexEndsWhereAConditionSays) {
  EXPECT_EQ(range(thread(0), {thread(0) < 32}), "0..31");
  EXPECT_EQ(range(thread(0), {block(0) < 8, thread(1) < 4, thread(0) < 32}), "0..31");
  EXPECT_EQ(range(block(2), {block(2) < 8, thread(2) < 4}), "0..7");
  EXPECT_EQ(range(thread(0), {thread(0) < 1}), "0..0");
}

TEST(Interval, OfAThreadIndexIsOpenWhereNoConditionIsAboutIt) {
  EXPECT_EQ(range(thread(0), {thread(1) < 32}), "0..");
  EXPECT_EQ(range(thread(0), {block(0) < 32}), "0..");
  EXPECT_EQ(range(thread(0), {thread(0) + 1 < 32}), "0..");
  EXPECT_EQ(range(thread(0), {thread(0) < block(0)}), "0..");
  EXPECT_EQ(range(thread(0), {thread(0) >= 4}), "0..");
}

TEST(Interval, OfWhatIsMadeOfThreadIndices) {
  const Expr number = thread(1) * 32 + thread(0);
  const auto in_block = [&](const Expr& expr) {
    return range(expr, {thread(0) < 32, thread(1) < 8});
  };
  EXPECT_EQ(in_block(number), "0..255");
  EXPECT_EQ(in_block(number / 16), "0..15");
  EXPECT_EQ(in_block(number % 16), "0..15");
  EXPECT_EQ(in_block(thread(0) % 64), "0..31");
  EXPECT_EQ(in_block(thread(0) - thread(1)), "-7..31");
}

/// The bits of all values of all small intervals.
TEST(Interval, OfBitsHoldsAllResults) {
  constexpr int64_t most = 5;
  std::vector<Interval> intervals;
  for (int64_t low = -most; low <= most; ++low)
    for (int64_t high = low; high <= most; ++high) intervals.push_back({low, high});
  const auto expect_within = [](BinaryOp op, const Interval& lhs, const Interval& rhs) {
    const Interval found = combined(op, lhs, rhs);
    for (int64_t a = lhs.low; a <= lhs.high; ++a)
      for (int64_t b = rhs.low; b <= rhs.high; ++b) {
        const int64_t value = op == BinaryOp::bit_and  ? a & b
                              : op == BinaryOp::bit_or ? a | b
                                                       : a ^ b;
        ASSERT_TRUE(found.low <= value && value <= found.high) << a << " and " << b;
      }
  };
  for (const BinaryOp op : {BinaryOp::bit_and, BinaryOp::bit_or, BinaryOp::bit_xor})
    for (const Interval& lhs : intervals)
      for (const Interval& rhs : intervals) expect_within(op, lhs, rhs);
}

TEST(Interval, OfBitsEndsWithThoseOfItsOperands) {
  const auto text = [](BinaryOp op, Interval lhs, Interval rhs) {
    return text_of(combined(op, lhs, rhs));
  };
  EXPECT_EQ(text(BinaryOp::bit_xor, {-1, 0}, {-3, 0}), "-4..3");
  EXPECT_EQ(text(BinaryOp::bit_or, {0, 4}, {0, 2}), "0..7");
  EXPECT_EQ(text(BinaryOp::bit_and, {0, 4}, {-9, 9}), "0..4");
  EXPECT_EQ(text(BinaryOp::bit_and, {-1, 4}, {-9, 9}), "-16..15");
  EXPECT_EQ(text(BinaryOp::bit_xor, {-1, 0}, {}), "..");
}

}  // namespace interval_test
}  // namespace hone

// Ranges whose ends are formulas have the ends of intervals, for all sizes.
#include "codegen/contract/size_range.h"

#include <gtest/gtest.h>

#include <random>

#include "fmt/format.h"

namespace hone {
namespace size_range_test {

/// Ranges of formulas and of constants side by side.
class Compared {
 public:
  explicit Compared(unsigned seed) : random_(seed) {}

  /// One of `least` or more, whose ends are sizes of a launch, or constants.
  SizeRange draw(int64_t least) {
    Interval range{drawn(least), drawn(least)};
    if (range.is_empty()) std::swap(range.low, range.high);
    if (below(4) == 0) range.high = range.low;
    const unsigned form = below(8);
    if (form == 0 && least < 0) return {{Interval::no_low, range.high}};
    if (form == 1) return {{range.low, Interval::no_high}};
    if (form == 2) return {range};
    const bool is_natural = range.low >= 0 && below(2) == 0;
    const Interval within{is_natural ? 0 : -most, most};
    const Expr low = named(range.low);
    return {within, low, range.low == range.high ? low : named(range.high)};
  }

  /// The range for the sizes that were drawn.
  Interval now(const SizeRange& range) const {
    const Expr ends[] = {low(range), high(range)};
    const Sizes known = with_values(sizes_, formulas_.parts_of(ends));
    return {value_of(ends[0], known), value_of(ends[1], known)};
  }

  void expect_same(const SizeRange& range, const Interval& expected,
                   const std::string& what) const {
    const auto [least, most] = now(range);
    EXPECT_EQ(fmt::format("{}..{}", least, most),
              fmt::format("{}..{}", expected.low, expected.high))
        << what;
    EXPECT_TRUE(range.within.low <= least && most <= range.within.high) << what;
  }

  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }
  SizeRanges& ranges() { return ranges_; }

 private:
  static constexpr int64_t most = 100000;

  int64_t drawn(int64_t least) {
    const int64_t ends[] = {below(9), below(100), most - below(3)};
    const int64_t end = ends[below(3)];
    return std::max(least, below(2) == 0 ? end : -end);
  }

  Expr named(int64_t value) {
    const ParamPtr param = make_param(fmt::format("n{}", sizes_.size()));
    sizes_[param->name] = value;
    return ParamRef::make(param);
  }

  std::mt19937 random_;
  Sizes sizes_;
  Formulas formulas_;
  SizeRanges ranges_{formulas_};
};

std::string text_of(const Interval& range) { return fmt::format("{}..{}", range.low, range.high); }

TEST(SizeRanges, OfOperatorsAreThoseOfIntervals) {
  for (unsigned seed = 0; seed < 20000; ++seed) {
    Compared compared(seed);
    const auto op = static_cast<BinaryOp>(seed % 13);
    const bool divides = op == BinaryOp::div || op == BinaryOp::mod;
    const bool shifts = op == BinaryOp::shl || op == BinaryOp::shr;
    const SizeRange lhs = compared.draw(divides || shifts ? 0 : INT32_MIN);
    const SizeRange rhs = compared.draw(divides ? 1 : shifts ? 0 : INT32_MIN);
    const Interval left = compared.now(lhs), right = compared.now(rhs);
    compared.expect_same(
        compared.ranges().combined(op, lhs, rhs), combined(op, left, right),
        fmt::format("operator {} of {} and {}", seed % 13, text_of(left), text_of(right)));
  }
}

TEST(SizeRanges, OfOtherStepsAreThoseOfConstants) {
  for (unsigned seed = 0; seed < 20000; ++seed) {
    Compared compared(seed);
    SizeRanges& ranges = compared.ranges();
    const int64_t first = compared.below(5), step = 1 + compared.below(9);
    const SizeRange lhs = compared.draw(0), rhs = compared.draw(0);
    const Interval left = compared.now(lhs), right = compared.now(rhs);
    const auto expect_same = [&](const SizeRange& range, const SizeRange& expected, int line) {
      compared.expect_same(range, expected.within,
                           fmt::format("line {}: {} and {}", line, text_of(left), text_of(right)));
    };
    expect_same(ranges.hull(lhs, rhs), {hull(left, right)}, __LINE__);
    expect_same(ranges.both(lhs, rhs), {intersection(left, right)}, __LINE__);
    expect_same(ranges.counted(lhs, rhs), ranges.counted({left}, {right}), __LINE__);
    expect_same(ranges.factors(lhs, step), ranges.factors({left}, step), __LINE__);
    expect_same(ranges.on_steps(lhs, first, step), ranges.on_steps({left}, first, step), __LINE__);
    expect_same(ranges.last_step(lhs, rhs, step), ranges.last_step({left}, {right}, step),
                __LINE__);
    expect_same(ranges.shifted(lhs, rhs, 32), ranges.shifted({left}, {right}, 32), __LINE__);
    expect_same(ranges.wanted(lhs, rhs), ranges.wanted({left}, {right}), __LINE__);
  }
}

/// What stands where a range is empty has no range.
TEST(SizeRanges, CountWhereThoseAroundAreNotEmpty) {
  const Expr n = ParamRef::make(make_param("n"));
  Formulas formulas;
  SizeRanges ranges(formulas);
  const SizeRange around{{0, 100}, 5, n}, inside{{0, 100}, n, n};
  SizeRange here;
  Expr room;
  ranges.where(around, [&] {
    here = ranges.here(inside);
    room = ranges.room(inside);
  });
  const auto values = formulas.parts_of({here.low, here.high, room});
  const auto at = [&](const Expr& formula, int64_t size) {
    return value_of(formula, with_values({{"n", size}}, values));
  };
  EXPECT_EQ(at(here.low, 5), 5);
  EXPECT_EQ(at(here.high, 6), 6);
  EXPECT_GE(at(room, 5), 0);
  EXPECT_EQ(at(here.low, 4), Interval::no_high);
  EXPECT_EQ(at(here.high, 4), Interval::no_low);
  EXPECT_LT(at(room, 4), 0);
}

}  // namespace size_range_test
}  // namespace hone

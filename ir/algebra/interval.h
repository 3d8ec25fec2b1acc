// Constant ranges of index expressions: the quick answer, where no size is symbolic.
#pragma once

#include <limits>

#include "ir/algebra/polynomial.h"

namespace hone {

/// All values from low to high. The ends of the type stand for open ends, so that the smaller and
/// the larger of two ends are what they should be.
struct Interval {
  static constexpr int64_t no_low = std::numeric_limits<int64_t>::min();
  static constexpr int64_t no_high = std::numeric_limits<int64_t>::max();

  int64_t low = no_low, high = no_high;

  static constexpr Interval none() { return {no_high, no_low}; }

  bool has_high() const { return high != no_high; }
  bool is_non_negative() const { return low >= 0; }
  bool is_empty() const { return low > high; }
};

/// An end that leaves 64 bits is open.
Interval operator+(const Interval& lhs, const Interval& rhs);
Interval operator-(const Interval& lhs, const Interval& rhs);
Interval operator*(const Interval& lhs, const Interval& rhs);
/// Of any index operator, where its operands are such that it has a value.
Interval combined(BinaryOp op, const Interval& lhs, const Interval& rhs);

/// All values of either, and those of both.
Interval hull(const Interval& lhs, const Interval& rhs);
Interval intersection(const Interval& lhs, const Interval& rhs);

inline constexpr unsigned interval_depth = 16;

/// The values that the expression may have if `facts` hold and it may be evaluated. Conditions are
/// not used, nor anything nested deeper than `depth`.
Interval interval_of(const Expr& expr, const Facts& facts, unsigned depth = interval_depth);
Interval interval_of(const Polynomial& value, const Facts& facts);

}  // namespace hone

// Comparisons of sums, by their differences.
#pragma once

#include "ir/algebra/sum.h"

namespace hone {

/// Of the two sides of a comparison.
struct Differences {
  Sum surplus, deficit;  ///< rhs - lhs and lhs - rhs
};

/// Nothing where a number does not fit.
std::optional<Differences> differences_of(const Sum& lhs, const Sum& rhs);

/// True if lhs - rhs >= gap is proved.
bool proves_at_least(const Sum& lhs, const Sum& rhs, int64_t gap, const Facts& facts);

/// True if the comparison is proved to hold.
bool holds(BinaryOp op, const Differences& differences, const Facts& facts);

}  // namespace hone

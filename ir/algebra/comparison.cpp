#include "ir/algebra/comparison.h"

namespace hone {
namespace {

/// difference - gap >= 0
bool proves_at_least(const Sum& difference, int64_t gap, const Facts& facts) {
  if (gap == 0) return proves_non_negative(difference, facts);
  Sum rest = difference;
  return rest.add(gap, -1) && proves_non_negative(rest, facts);
}

}  // namespace

std::optional<Differences> differences_of(const Sum& lhs, const Sum& rhs) {
  Differences result{rhs, {}};
  if (!result.surplus.add(lhs, -1)) return std::nullopt;
  result.deficit = result.surplus;
  return result.deficit.scale(-1) ? std::optional(std::move(result)) : std::nullopt;
}

bool proves_at_least(const Sum& lhs, const Sum& rhs, int64_t gap, const Facts& facts) {
  Sum difference = lhs;
  return difference.add(rhs, -1) && proves_at_least(difference, gap, facts);
}

bool holds(BinaryOp op, const Differences& differences, const Facts& facts) {
  const auto& [surplus, deficit] = differences;
  switch (op) {
    case BinaryOp::lt:
      return proves_at_least(surplus, 1, facts);
    case BinaryOp::le:
      return proves_at_least(surplus, 0, facts);
    case BinaryOp::gt:
      return proves_at_least(deficit, 1, facts);
    case BinaryOp::ge:
      return proves_at_least(deficit, 0, facts);
    case BinaryOp::eq:
      return proves_at_least(deficit, 0, facts) && proves_at_least(surplus, 0, facts);
    default:
      return proves_at_least(deficit, 1, facts) || proves_at_least(surplus, 1, facts);
  }
}

}  // namespace hone

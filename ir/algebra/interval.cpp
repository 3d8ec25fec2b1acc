#include "ir/algebra/interval.h"

#include "ir/traverse/visit.h"

namespace hone {
namespace {

constexpr int64_t no_low = Interval::no_low, no_high = Interval::no_high;

/// lhs + rhs, or `open` where one of them is, or where it does not fit.
int64_t sum(int64_t lhs, int64_t rhs, int64_t open) {
  int64_t result = 0;
  if (lhs == open || rhs == open || __builtin_add_overflow(lhs, rhs, &result)) return open;
  return result;
}

int64_t product(int64_t lhs, int64_t rhs, int64_t open) {
  int64_t result = 0;
  return __builtin_mul_overflow(lhs, rhs, &result) ? open : result;
}

Interval scaled(const Interval& interval, int64_t factor) {
  const auto [low, high] = interval;
  if (factor == 0) return {0, 0};
  if (factor > 0)
    return {low == no_low ? no_low : product(low, factor, no_low),
            high == no_high ? no_high : product(high, factor, no_high)};
  return {high == no_high ? no_low : product(high, factor, no_low),
          low == no_low ? no_high : product(low, factor, no_high)};
}

/// The dividend is not negative and the divisor is positive.
Interval quotient(const Interval& dividend, const Interval& divisor) {
  const int64_t low = std::max<int64_t>(dividend.low, 0);
  const int64_t high = std::max<int64_t>(dividend.high, 0);
  return {divisor.has_high() && divisor.high > 0 ? low / divisor.high : 0,
          dividend.has_high() ? high / std::max<int64_t>(divisor.low, 1) : no_high};
}

Interval remainder(const Interval& dividend, const Interval& divisor) {
  const int64_t low = std::max<int64_t>(dividend.low, 0);
  if (dividend.high < divisor.low) return {low, std::max(dividend.high, low)};
  return {0, std::min(dividend.high, sum(divisor.high, -1, no_high))};
}

Interval interval_of_axis(const AxisNode* axis, const Facts& facts, unsigned depth) {
  const auto [extent, value] = facts.extent_and_value(axis);
  if (value.defined()) return interval_of(value, facts, depth);
  if (!extent.defined()) return {};
  return {0, sum(interval_of(extent, facts, depth).high, -1, no_high)};
}

/// Up to a constant that a condition of the facts names.
Interval interval_of_index(const ThreadIndex& index, const Facts& facts) {
  for (const Expr& condition : facts.conditions()) {
    const auto* less = llvm::dyn_cast<Binary>(condition);
    if (!less || less->op != BinaryOp::lt || !as_int(less->rhs)) continue;
    const auto* bounded = llvm::dyn_cast<ThreadIndex>(less->lhs);
    if (bounded && bounded->space == index.space && bounded->dim == index.dim)
      return {0, *as_int(less->rhs) - 1};
  }
  return {0, no_high};
}

/// Of operators whose bits above the highest of either operand are all the sign.
Interval within_bits(const Interval& lhs, const Interval& rhs) {
  const bool is_non_negative = lhs.is_non_negative() && rhs.is_non_negative();
  uint64_t highest = 0;
  for (const int64_t end : {lhs.low, lhs.high, rhs.low, rhs.high}) {
    if (end == no_low || end == no_high) return is_non_negative ? Interval{0, no_high} : Interval{};
    highest = std::max(highest, static_cast<uint64_t>(end < 0 ? ~end : end));
  }
  const int64_t bits = highest == 0 ? 0 : static_cast<int64_t>(llvm::PowerOf2Ceil(highest + 1) - 1);
  return {is_non_negative ? 0 : -bits - 1, bits};
}

Interval bit_and(const Interval& lhs, const Interval& rhs) {
  if (!lhs.is_non_negative() && !rhs.is_non_negative()) return within_bits(lhs, rhs);
  if (!lhs.is_non_negative()) return {0, rhs.high};
  return {0, rhs.is_non_negative() ? std::min(lhs.high, rhs.high) : lhs.high};
}

/// Of what is not negative.
Interval shifted_left(const Interval& lhs, const Interval& rhs) {
  if (!lhs.has_high() || !rhs.has_high() || rhs.high >= 62) return {0, no_high};
  const int64_t most = std::max<int64_t>(rhs.high, 0);
  const int64_t high = product(lhs.high, int64_t{1} << most, no_high);
  if (high == no_high) return {0, no_high};
  const int64_t shift = std::clamp<int64_t>(rhs.low, 0, most);
  return {std::min(product(std::max<int64_t>(lhs.low, 0), int64_t{1} << shift, no_high), high),
          high};
}

}  // namespace

Interval operator-(const Interval& lhs, const Interval& rhs) { return lhs + scaled(rhs, -1); }

Interval hull(const Interval& lhs, const Interval& rhs) {
  return {std::min(lhs.low, rhs.low), std::max(lhs.high, rhs.high)};
}

Interval intersection(const Interval& lhs, const Interval& rhs) {
  return {std::max(lhs.low, rhs.low), std::min(lhs.high, rhs.high)};
}

Interval combined(BinaryOp op, const Interval& lhs, const Interval& rhs) {
  switch (op) {
    case BinaryOp::add:
      return lhs + rhs;
    case BinaryOp::sub:
      return lhs - rhs;
    case BinaryOp::mul:
      return lhs * rhs;
    case BinaryOp::div:
      return quotient(lhs, rhs);
    case BinaryOp::mod:
      return remainder(lhs, rhs);
    case BinaryOp::min:
      return {std::min(lhs.low, rhs.low), std::min(lhs.high, rhs.high)};
    case BinaryOp::max:
      return {std::max(lhs.low, rhs.low), std::max(lhs.high, rhs.high)};
    case BinaryOp::bit_and:
      return bit_and(lhs, rhs);
    case BinaryOp::bit_or:
    case BinaryOp::bit_xor:
      return within_bits(lhs, rhs);
    case BinaryOp::shr:
      return {0, lhs.high};
    case BinaryOp::shl:
      return shifted_left(lhs, rhs);
    default:
      return {};
  }
}

Interval operator+(const Interval& lhs, const Interval& rhs) {
  return {sum(lhs.low, rhs.low, no_low), sum(lhs.high, rhs.high, no_high)};
}

Interval operator*(const Interval& lhs, const Interval& rhs) {
  if (lhs.low == lhs.high) return scaled(rhs, lhs.low);
  if (rhs.low == rhs.high) return scaled(lhs, rhs.low);
  if (lhs.is_non_negative() && rhs.is_non_negative()) {
    const bool has_high = lhs.has_high() && rhs.has_high();
    return {product(lhs.low, rhs.low, 0),
            has_high ? product(lhs.high, rhs.high, no_high) : no_high};
  }
  const bool is_finite = rhs.low != no_low && rhs.has_high();
  return is_finite ? hull(scaled(lhs, rhs.low), scaled(lhs, rhs.high)) : Interval();
}

namespace {

Interval interval_of(const Binary& n, const Facts& facts, unsigned depth) {
  return combined(n.op, hone::interval_of(n.lhs, facts, depth),
                  hone::interval_of(n.rhs, facts, depth));
}

Interval noted(const Binary& quotient, const Facts& facts, Facts::QuotientNote& note) {
  if (!note.range) {
    const auto [low, high] = interval_of(quotient, facts, interval_depth - 1);
    note.range = {low, high};
  }
  return {note.range->first, note.range->second};
}

}  // namespace

Interval interval_of(const Expr& expr, const Facts& facts, unsigned depth) {
  if (expr.type() != DType::index || depth == 0) return {};
  const unsigned rest = depth - 1;
  return visit(
      expr,
      [](const IntConst& n) {
        return Interval{n.value, n.value};
      },
      [](const ParamRef&) {
        return Interval{0, no_high};
      },
      [&](const ThreadIndex& n) { return interval_of_index(n, facts); },
      [&](const AxisRef& n) { return interval_of_axis(n.axis.get(), facts, rest); },
      [&](const Unary& n) { return scaled(interval_of(n.operand, facts, rest), -1); },
      [&](const Binary& n) {
        auto* note =
            depth == interval_depth && n.op == BinaryOp::div ? facts.note_of_quotient(n) : nullptr;
        return note ? noted(n, facts, *note) : interval_of(n, facts, rest);
      },
      [&](const Select& n) {
        return hull(interval_of(n.if_true, facts, rest), interval_of(n.if_false, facts, rest));
      },
      [](const auto&) { return Interval(); });
}

Interval interval_of(const Polynomial& value, const Facts& facts) {
  Interval sum{0, 0};
  for (const Polynomial::Term& term : value.terms()) {
    Interval product{1, 1};
    for (const Expr& atom : term.atoms) product = product * interval_of(atom, facts);
    sum = sum + scaled(product, term.coefficient);
  }
  return sum;
}

}  // namespace hone

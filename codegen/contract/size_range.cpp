#include "codegen/contract/size_range.h"

namespace hone {
namespace {

constexpr int64_t no_low = Interval::no_low, no_high = Interval::no_high;
const SizeRange range_of_one{{1, 1}};

bool is_natural(const SizeRange& range) { return range.within.is_non_negative(); }

}  // namespace

Expr low(const SizeRange& range) {
  return range.is_constant() ? Expr(range.within.low) : range.low;
}

Expr high(const SizeRange& range) {
  return range.is_constant() ? Expr(range.within.high) : range.high;
}

// ---- Ends ---------------------------------------------------------------------------------------

/// Of the part of a range that is not negative.
Expr SizeRanges::natural_low(const SizeRange& range) {
  return is_natural(range) ? low(range) : most(low(range), 0);
}

/// An end that is open stays so.
Expr SizeRanges::quotient(const Expr& end, const Expr& divisor, bool may_be_open) {
  const Expr result = formulas_.binary(BinaryOp::div, end, divisor);
  return may_be_open ? formulas_.where_less(end, no_high, result, no_high) : result;
}

// ---- Operators ----------------------------------------------------------------------------------

SizeRange SizeRanges::combined(BinaryOp op, const SizeRange& lhs, const SizeRange& rhs) {
  const Interval within = hone::combined(op, lhs.within, rhs.within);
  if (lhs.is_constant() && rhs.is_constant()) return {within};
  return with_ends(within, ends_of(op, lhs, rhs));
}

SizeRanges::Ends SizeRanges::ends_of(BinaryOp op, const SizeRange& lhs, const SizeRange& rhs) {
  switch (op) {
    case BinaryOp::add:
      return {sum(low(lhs), low(rhs)), sum(high(lhs), high(rhs))};
    case BinaryOp::sub:
      return {less(low(lhs), high(rhs)), less(high(lhs), low(rhs))};
    case BinaryOp::mul:
      return product(lhs, rhs);
    case BinaryOp::div:
      return division(lhs, rhs);
    case BinaryOp::mod:
      return remainder(lhs, rhs);
    case BinaryOp::min:
      return {least(low(lhs), low(rhs)), least(high(lhs), high(rhs))};
    case BinaryOp::max:
      return {most(low(lhs), low(rhs)), most(high(lhs), high(rhs))};
    case BinaryOp::bit_and:
      return bits_of_both(lhs, rhs);
    case BinaryOp::bit_or:
    case BinaryOp::bit_xor:
      return bits_of_either(lhs, rhs);
    case BinaryOp::shr:
      return {0, high(lhs)};
    case BinaryOp::shl:
      return shifted_left(lhs, rhs);
    default:
      return {no_low, no_high};
  }
}

/// Of one number and an open range, or of what is not negative; else one that is open is anything.
SizeRanges::Ends SizeRanges::product(const SizeRange& lhs, const SizeRange& rhs) {
  const Expr a = low(lhs), b = high(lhs), c = low(rhs), d = high(rhs);
  if (is_natural(lhs) && is_natural(rhs)) return {times(a, c), times(b, d)};
  const Expr low = least(least(times(a, c), times(a, d)), least(times(b, c), times(b, d)));
  const Expr high = most(most(times(a, c), times(a, d)), most(times(b, c), times(b, d)));
  const bool is_finite = rhs.within.low != no_low && rhs.within.has_high();
  if (is_finite) return {low, high};
  const Expr smallest = least(a, c), width = less(b, a);
  const auto where_known = [&](const Expr& end, int64_t open) {
    const Expr or_open = formulas_.where_less(smallest, 0, open, end);
    const Expr finite = formulas_.where_less(d, no_high, end, or_open);
    return formulas_.where_less(0, width, formulas_.where_less(no_low, c, finite, or_open), end);
  };
  return {where_known(low, no_low), where_known(high, no_high)};
}

/// The dividend is not negative and the divisor is positive.
SizeRanges::Ends SizeRanges::division(const SizeRange& lhs, const SizeRange& rhs) {
  return {most(quotient(natural_low(lhs), high(rhs), false), 0),
          quotient(most(high(lhs), 0), most(low(rhs), 1), !lhs.within.has_high())};
}

SizeRanges::Ends SizeRanges::remainder(const SizeRange& lhs, const SizeRange& rhs) {
  const Expr first = natural_low(lhs), last = high(lhs), divisor = low(rhs);
  return {formulas_.where_less(last, divisor, first, 0),
          formulas_.where_less(last, divisor, most(last, first), least(last, less(high(rhs), 1)))};
}

/// Of operators whose bits above the highest of either operand are all the sign.
SizeRanges::Ends SizeRanges::bits_of_either(const SizeRange& lhs, const SizeRange& rhs) {
  const bool is_negative = !is_natural(lhs) || !is_natural(rhs);
  Expr bits = most(high(lhs), high(rhs));
  if (is_negative)
    for (const Expr& end : {low(lhs), high(lhs), low(rhs), high(rhs)})
      bits = most(bits, less(-1, end));
  for (const int shift : {1, 2, 4, 8, 16, 32})
    bits = formulas_.binary(BinaryOp::bit_or, bits, formulas_.binary(BinaryOp::shr, bits, shift));
  if (!is_negative) return {0, bits};
  return {formulas_.where_less(least(low(lhs), low(rhs)), 0, less(-1, bits), 0), bits};
}

SizeRanges::Ends SizeRanges::bits_of_both(const SizeRange& lhs, const SizeRange& rhs) {
  if (is_natural(lhs) && is_natural(rhs)) return {0, least(high(lhs), high(rhs))};
  const Ends all = bits_of_either(lhs, rhs);
  const auto where_negative = [&](const SizeRange& range, const Expr& yes, const Expr& no) {
    return is_natural(range) ? no : formulas_.where_less(low(range), 0, yes, no);
  };
  return {where_negative(lhs, where_negative(rhs, all.low, 0), 0),
          where_negative(lhs, where_negative(rhs, all.high, high(rhs)),
                         where_negative(rhs, high(lhs), least(high(lhs), high(rhs))))};
}

/// Of what is not negative.
SizeRanges::Ends SizeRanges::shifted_left(const SizeRange& lhs, const SizeRange& rhs) {
  const Expr by = most(high(rhs), 0);
  const Expr high =
      formulas_.where_less(by, 62, formulas_.binary(BinaryOp::shl, hone::high(lhs), by), no_high);
  const Expr low =
      formulas_.binary(BinaryOp::shl, natural_low(lhs), least(most(hone::low(rhs), 0), by));
  return {formulas_.where_less(high, no_high, least(low, high), 0), high};
}

// ---- Other ranges -------------------------------------------------------------------------------

SizeRange SizeRanges::hull(const SizeRange& lhs, const SizeRange& rhs) {
  const Interval within = hone::hull(lhs.within, rhs.within);
  if (lhs.is_constant() && rhs.is_constant()) return {within};
  return with_ends(within, {least(low(lhs), low(rhs)), most(high(lhs), high(rhs))});
}

SizeRange SizeRanges::both(const SizeRange& lhs, const SizeRange& rhs) {
  const Interval within = intersection(lhs.within, rhs.within);
  if (lhs.is_constant() && rhs.is_constant()) return {within};
  return with_ends(within, {most(low(lhs), low(rhs)), least(high(lhs), high(rhs))});
}

SizeRange SizeRanges::ends(const SizeRange& lhs, const SizeRange& rhs) {
  const Interval within{lhs.within.low, rhs.within.high};
  if (lhs.is_constant() && rhs.is_constant()) return {within};
  return with_ends(within, {low(lhs), high(rhs)});
}

SizeRange SizeRanges::counted(const SizeRange& first, const SizeRange& end) {
  return ends(first, combined(BinaryOp::sub, end, range_of_one));
}

/// `ends` of ranges; of constant ones they are constants, within which those of others stay.
SizeRange SizeRanges::made(llvm::ArrayRef<SizeRange> ranges, EndsOf ends) {
  llvm::SmallVector<SizeRange, 2> constants;
  for (const SizeRange& range : ranges) constants.push_back({range.within});
  const Ends all = ends(constants);
  const Interval within{*as_int(all.low), *as_int(all.high)};
  const bool is_constant = llvm::all_of(ranges, [](const SizeRange& r) { return r.is_constant(); });
  return is_constant ? SizeRange{within} : with_ends(within, ends(ranges));
}

SizeRange SizeRanges::factors(const SizeRange& range, int64_t factor) {
  return made(range, [&](llvm::ArrayRef<SizeRange> of) -> Ends {
    const auto [least, most] = of[0].within;
    return {less(0, quotient(less(0, low(of[0])), factor, least == no_low)),
            quotient(high(of[0]), factor, most == no_high)};
  });
}

SizeRange SizeRanges::on_steps(const SizeRange& range, int64_t first, int64_t step) {
  return made(range, [&](llvm::ArrayRef<SizeRange> of) -> Ends {
    const Expr least = low(of[0]), most = high(of[0]);
    return {sum(least, beyond(less(first, least), step)),
            less(most, beyond(less(most, first), step))};
  });
}

SizeRange SizeRanges::last_step(const SizeRange& range, const SizeRange& first, int64_t step) {
  return made({range, first}, [&](llvm::ArrayRef<SizeRange> of) -> Ends {
    const Expr end = high(of[0]), start = low(of[1]);
    const Expr last = less(end, beyond(less(end, start), step));
    return {low(of[0]), formulas_.where_less(start, high(of[1]), end, last)};
  });
}

SizeRange SizeRanges::shifted(const SizeRange& range, const SizeRange& by, int bits) {
  return made({range, by}, [&](llvm::ArrayRef<SizeRange> of) -> Ends {
    return {formulas_.where_less(high(of[1]), bits, low(of[0]), no_low),
            formulas_.where_less(high(of[1]), bits, high(of[0]), no_high)};
  });
}

SizeRange SizeRanges::wanted(const SizeRange& factor, const SizeRange& product) {
  return made({factor, product}, [&](llvm::ArrayRef<SizeRange> of) -> Ends {
    return {formulas_.where_less(low(of[0]), 1, no_low, least(low(of[1]), 0)),
            formulas_.where_less(low(of[0]), 1, no_high, most(high(of[1]), 0))};
  });
}

// ---- Conditions ---------------------------------------------------------------------------------

void SizeRanges::where(llvm::ArrayRef<SizeRange> ranges, llvm::function_ref<void()> body) {
  if (llvm::any_of(ranges, [](const SizeRange& range) { return range.within.is_empty(); })) return;
  const Expr outside = room_;
  for (const SizeRange& range : ranges)
    if (!range.is_constant()) room_ = room(range);
  body();
  room_ = outside;
}

SizeRange SizeRanges::here(const SizeRange& range) {
  if (as_int(room_)) return range;
  return with_ends(range.within, {formulas_.where_less(room_, 0, no_high, low(range)),
                                  formulas_.where_less(room_, 0, no_low, high(range))});
}

Expr SizeRanges::room(const SizeRange& range) {
  if (range.is_constant()) return range.within.is_empty() ? Expr(-1) : room_;
  return least(room_, formulas_.where_less(range.high, range.low, -1, no_high));
}

}  // namespace hone

// Bounds of a polynomial over the axes that facts bound. Atoms that are quotients, remainders or
// choices are replaced by their own bounds first, then axes by their ends; which end it is says
// the sign of the factor.
#include "ir/algebra/interval.h"
#include "ir/algebra/polynomial.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

enum class Side : bool { lower, upper };
Side operator!(Side side) { return side == Side::lower ? Side::upper : Side::lower; }

using Bound = std::optional<Polynomial>;

/// Of what bits are taken apart by.
constexpr int64_t most_power = int64_t{1} << 40;

class Bounds {
 public:
  explicit Bounds(const Facts& facts) : facts_(facts) {}

  Bound of(Polynomial value, Side side) {
    for (Expr atom = next(value); atom.defined(); atom = next(value)) {
      if (--steps_ < 0) return std::nullopt;
      const Bound replaced = without(value, atom, side);
      if (!replaced) return std::nullopt;
      value = *replaced;
    }
    return value;
  }

 private:
  /// Opaque atoms before axes: their bounds bring axes in.
  Expr next(const Polynomial& value) const {
    Expr axis;
    for (const Polynomial::Term& term : value.terms())
      for (const Expr& atom : term.atoms) {
        if (!varies(atom)) continue;
        if (!llvm::isa<AxisRef>(atom)) return atom;
        axis = atom;
      }
    return axis;
  }

  bool is_bounded(const AxisNode* axis) const {
    return facts_.extent(axis).defined() || facts_.value(axis).defined();
  }

  /// True if an axis that the facts bound occurs in `expr`.
  bool varies(const Expr& expr) const {
    return any_of(expr, [&](const Expr& part) {
      const auto* reference = llvm::dyn_cast<AxisRef>(part);
      return reference && is_bounded(reference->axis.get());
    });
  }

  Bound without(const Polynomial& value, const Expr& atom, Side side) {
    const auto powers = value.powers_of(atom);
    if (const Bound exact = defined_value(atom)) return evaluated(powers, *exact);
    const auto factors = llvm::ArrayRef<Polynomial>(powers).drop_front();
    // A square grows with its root only where the root is not negative.
    if (factors.size() > 1 && !interval_of(atom, facts_).is_non_negative()) return std::nullopt;
    const std::optional<Side> end = end_of(factors, side);
    if (!end) return std::nullopt;
    const Bound bound = of_atom(atom, *end);
    if (!bound) return std::nullopt;
    if (factors.size() > 1 && !interval_of(*bound, facts_).is_non_negative()) return std::nullopt;
    return evaluated(powers, *bound);
  }

  Bound defined_value(const Expr& atom) const {
    const auto* axis = llvm::dyn_cast<AxisRef>(atom);
    const Expr value = axis ? facts_.value(axis->axis.get()) : Expr();
    return value.defined() ? Bound(Polynomial::of(value)) : std::nullopt;
  }

  /// The end of the atom's range at which the sum of its powers is largest (smallest).
  std::optional<Side> end_of(llvm::ArrayRef<Polynomial> factors, Side side) const {
    const auto is_non_negative = [&](const Polynomial& p) {
      return proves_non_negative(p, facts_);
    };
    if (llvm::all_of(factors, is_non_negative)) return side;
    const auto is_non_positive = [&](const Polynomial& p) {
      return proves_non_negative(Polynomial() - p, facts_);
    };
    if (llvm::all_of(factors, is_non_positive)) return !side;
    return std::nullopt;
  }

  /// A bound that may still hold axes which stand in extents.
  Bound of_atom(const Expr& atom, Side side) {
    if (const auto* axis = llvm::dyn_cast<AxisRef>(atom)) {
      if (side == Side::lower) return Polynomial(0);
      return Polynomial::of(facts_.extent(axis->axis.get())) - 1;
    }
    if (const auto* select = llvm::dyn_cast<Select>(atom))
      return of_choice(side == Side::lower ? BinaryOp::min : BinaryOp::max, select->if_true,
                       select->if_false, side);
    const auto* binary = llvm::dyn_cast<Binary>(atom);
    if (!binary) return std::nullopt;
    switch (binary->op) {
      case BinaryOp::div:
        return of_quotient(*binary, side);
      case BinaryOp::mod:
        return of_remainder(*binary, side);
      case BinaryOp::min:
      case BinaryOp::max:
        return of_choice(binary->op, binary->lhs, binary->rhs, side);
      case BinaryOp::shl:
      case BinaryOp::shr:
        return of_shift(*binary, side);
      case BinaryOp::bit_and:
      case BinaryOp::bit_or:
      case BinaryOp::bit_xor:
        return of_bits(*binary, side);
      default:
        return std::nullopt;
    }
  }

  Bound of_quotient(const Binary& quotient, Side side) {
    const Bound dividend = of(Polynomial::of(quotient.lhs), side);
    const bool is_divisible = dividend && !varies(quotient.rhs) &&
                              (side == Side::upper || proves_non_negative(*dividend, facts_));
    if (is_divisible) return divided(*dividend, quotient.rhs);
    return side == Side::lower ? Polynomial(0) : dividend;
  }

  /// The floor of `dividend / divisor`.
  static Polynomial divided(const Polynomial& dividend, const Expr& divisor) {
    const auto step = as_int(divisor);
    if (!step || *step < 1) return opaque_quotient(dividend, divisor);
    Polynomial quotient;
    for (const Polynomial::Term& term : dividend.terms()) {
      const int64_t remainder = term.coefficient % *step;
      if (remainder != 0 && !term.atoms.empty()) return opaque_quotient(dividend, divisor);
      if (const int64_t whole = term.coefficient / *step - (remainder < 0); whole != 0)
        quotient = quotient + Polynomial(Polynomial::Term{whole, term.atoms});
    }
    return quotient;
  }

  /// An extent of 0 makes M - 1 negative where no iteration runs: (M - 1) / 4 is (M + 3) / 4 - 1,
  /// which is defined everywhere.
  static Polynomial opaque_quotient(const Polynomial& dividend, const Expr& divisor) {
    if (proves_non_negative(dividend, {})) return Polynomial::atom(dividend.to_expr() / divisor);
    const Polynomial shifted = dividend + Polynomial::of(divisor);
    return Polynomial::atom(shifted.to_expr() / divisor) - 1;
  }

  Bound of_remainder(const Binary& remainder, Side side) {
    if (side == Side::lower) return Polynomial(0);
    const auto constant = interval_of(Polynomial::of(remainder.lhs), facts_).high;
    const auto divisor = as_int(remainder.rhs);
    if (divisor && constant >= 0 && constant < *divisor) return constant;
    const Bound limit = of(Polynomial::of(remainder.rhs), side);
    return limit ? Bound(*limit - 1) : of(Polynomial::of(remainder.lhs), side);
  }

  /// x << n and x >> n are x * 2^n and x / 2^n.
  Bound of_shift(const Binary& shift, Side side) {
    const int64_t bits = as_int(shift.rhs).value_or(-1);
    if (bits < 0 || bits > 39) return std::nullopt;
    const int64_t power = int64_t{1} << bits;
    if (shift.op == BinaryOp::shl) return of(Polynomial::of(shift.lhs) * power, side);
    const auto [whole, rest] = parts(Polynomial::of(shift.lhs), power);
    if (rest.low < 0 || !rest.has_high()) return of(Polynomial::of(shift.lhs / power), side);
    return of(whole + (side == Side::lower ? rest.low : rest.high) / power, side);
  }

  /// The bits below a power of two that the right side does not reach: (x*32 + y) ^ 3 is
  /// x*32 + (y ^ 3) for y in 0..32.
  Bound of_bits(const Binary& bits, Side side) {
    const Interval right = interval_of(bits.rhs, facts_);
    const bool is_and = bits.op == BinaryOp::bit_and;
    for (int64_t power = 1; right.low >= 0 && power < most_power; power *= 2) {
      const auto [whole, rest] = parts(Polynomial::of(bits.lhs), power);
      if (right.high >= power || rest.low < 0 || rest.high >= power) continue;
      const Interval result = combined(bits.op, rest, right);
      return of(whole * (is_and ? 0 : power) + (side == Side::lower ? result.low : result.high),
                side);
    }
    if (!is_and || right.low < 0 || !right.has_high()) return std::nullopt;
    return side == Side::lower ? 0 : right.high;
  }

  /// whole * divisor + rest, of which the latter is less where that is constant.
  struct Parts {
    Polynomial whole;
    Interval rest;
  };
  Parts parts(const Polynomial& value, int64_t divisor) const {
    Polynomial whole, rest;
    for (const Polynomial::Term& term : value.terms())
      if (term.coefficient % divisor == 0)
        whole += Polynomial(Polynomial::Term{term.coefficient / divisor, term.atoms});
      else
        rest += Polynomial(term);
    return {whole, interval_of(rest, facts_)};
  }

  /// min and max grow with their operands.
  Bound of_choice(BinaryOp op, const Expr& lhs, const Expr& rhs, Side side) {
    const Bound left = of(Polynomial::of(lhs), side), right = of(Polynomial::of(rhs), side);
    const bool either_holds = (op == BinaryOp::min) == (side == Side::upper);
    if (!left || !right) return !either_holds ? std::nullopt : left ? left : right;
    if (proves_non_negative(*right - *left, facts_)) return op == BinaryOp::min ? left : right;
    if (proves_non_negative(*left - *right, facts_)) return op == BinaryOp::min ? right : left;
    return Polynomial::atom(Binary::make(op, left->to_expr(), right->to_expr()));
  }

  const Facts& facts_;
  int steps_ = 64;
};

}  // namespace

std::optional<Polynomial> upper_bound(const Polynomial& value, const Facts& facts) {
  return Bounds(facts).of(value, Side::upper);
}

std::optional<Polynomial> lower_bound(const Polynomial& value, const Facts& facts) {
  return Bounds(facts).of(value, Side::lower);
}

}  // namespace hone

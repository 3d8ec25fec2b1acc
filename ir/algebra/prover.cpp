// Proofs of value >= 0, where no counterexample is found. Ranges first: atoms are replaced, one at
// a time, by an end of their range that makes the value smallest, until params are left. Then
// assumptions: `value` holds where `value - factor * assumption` does, for an assumption and a
// factor that are not negative.
#include <limits>
#include <numeric>

#include "ir/algebra/assumptions.h"
#include "ir/algebra/interval.h"
#include "ir/algebra/polynomial.h"
#include "ir/algebra/refuter.h"
#include "ir/traverse/order.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

using Term = Polynomial::Term;

/// The coefficient of `term`'s atoms over those of `divisor`, where that is a product.
std::optional<Term> cofactor(const Term& term, const Term& divisor) {
  Term result{1, term.atoms};
  for (const Expr& atom : divisor.atoms) {
    const Expr* found = result.atoms.find(atom);
    if (found == result.atoms.end()) return std::nullopt;
    result.atoms.erase(found);
  }
  return result;
}

/// value / divisor where every term is a multiple of it.
std::optional<Polynomial> exact_quotient(const Polynomial& value, const Term& divisor) {
  Polynomial quotient;
  for (const Term& term : value.terms()) {
    auto factor = cofactor(term, divisor);
    if (!factor || divisor.coefficient <= 0 || term.coefficient % divisor.coefficient != 0)
      return std::nullopt;
    factor->coefficient = term.coefficient / divisor.coefficient;
    quotient = quotient + Polynomial(*factor);
  }
  return quotient;
}

enum class Sign : uint8_t { unknown, positive, negative };

class Prover {
 public:
  explicit Prover(const Facts& facts) : facts_(facts) {}

  bool proves(const Polynomial& value, int depth = 2) {
    if (--attempts_ < 0) return false;
    steps_ = 48;
    if (holds_in_ranges(value)) return true;
    if (depth == 0) return false;
    const auto proves_rest = [&](const Polynomial& rest) { return proves(rest, depth - 1); };
    if (const auto whole = without_floor(value); whole && proves_rest(*whole)) return true;
    return llvm::any_of(assumptions().general, [&](const Polynomial& assumption) {
      return holds_without(value, assumption, attempts_, proves_rest);
    });
  }

 private:
  /// x / c + rest >= 0 for a constant c is x + c * rest >= 0: the same without the quotient.
  static std::optional<Polynomial> without_floor(const Polynomial& value) {
    for (const Term& term : value.terms()) {
      if (term.coefficient != 1 || term.atoms.size() != 1) continue;
      const auto* quotient = llvm::dyn_cast<Binary>(term.atoms.front());
      if (!quotient || quotient->op != BinaryOp::div) continue;
      const auto divisor = as_int(quotient->rhs);
      if (divisor && *divisor > 0)
        return Polynomial::of(quotient->lhs) + (value - Polynomial(term)) * *divisor;
    }
    return std::nullopt;
  }

  // ---- Ranges -----------------------------------------------------------------------------------

  bool holds_in_ranges(const Polynomial& value) {
    if (--steps_ < 0 || !can_look_at(value)) return false;
    const Interval interval = interval_of(value, facts_);
    if (interval.is_non_negative()) return true;
    if (interval.high <= 0) return false;
    const Expr atom = next(value);
    return atom.defined() ? holds_at_ends(value, atom) : holds_for_params(value, 3);
  }

  /// The atom to replace: lets before choices, quotients and remainders, and axes last.
  Expr next(const Polynomial& value) const {
    Expr best;
    int best_rank = 0;
    for (const Term& term : value.terms())
      for (const Expr& atom : term.atoms)
        if (const int rank = rank_of(atom); rank > best_rank) {
          best = atom;
          best_rank = rank;
        }
    return best;
  }

  int rank_of(const Expr& atom) const {
    if (const auto* axis = llvm::dyn_cast<AxisRef>(atom)) {
      if (facts_.value(axis->axis.get()).defined()) return 4;
      return facts_.extent(axis->axis.get()).defined() ? 1 : 0;
    }
    if (llvm::isa<Select>(atom)) return 3;
    const auto* binary = llvm::dyn_cast<Binary>(atom);
    if (!binary) return 0;
    if (binary->op == BinaryOp::min || binary->op == BinaryOp::max) return 3;
    return binary->op == BinaryOp::div || binary->op == BinaryOp::mod ? 2 : 0;
  }

  bool holds_at_ends(const Polynomial& value, const Expr& atom) {
    const auto powers = value.powers_of(atom);
    if (const auto* axis = llvm::dyn_cast<AxisRef>(atom)) return holds_for_axis(*axis, powers);
    if (powers.size() > 2) return holds_at(powers, atom, {Polynomial(0)}, {});
    if (const auto* select = llvm::dyn_cast<Select>(atom))
      return holds_for(powers, select->if_true) && holds_for(powers, select->if_false);
    const auto* binary = llvm::cast<Binary>(atom.get());
    if (binary->op == BinaryOp::div)
      return with_positive(binary->rhs, [&] {
        return holds_for_quotient(*binary, powers[0], powers[1]) ||
               holds_at(powers, interval_of(atom, facts_));
      });
    if (binary->op == BinaryOp::mod)
      return with_positive(binary->rhs, [&] {
        const Polynomial limit = Polynomial::of(binary->rhs) - 1;
        return holds_at(powers, atom, {Polynomial(0)}, {limit, Polynomial::of(binary->lhs)});
      });
    return holds_for_choice(*binary, powers);
  }

  bool holds_for(llvm::ArrayRef<Polynomial> powers, const Expr& value) {
    return holds_in_ranges(evaluated(powers, Polynomial::of(value)));
  }

  bool holds_for_axis(const AxisRef& axis, llvm::ArrayRef<Polynomial> powers) {
    const Expr value = facts_.value(axis.axis.get());
    if (value.defined()) return holds_for(powers, value);
    const Polynomial last = Polynomial::of(facts_.extent(axis.axis.get())) - 1;
    return holds_at(powers, AxisRef::make(axis.axis), {Polynomial(0)}, {last});
  }

  /// The value is smallest at a lower bound where it grows with the atom, and at an upper bound
  /// where it falls. One that is linear in the atom is smallest at an end in any case.
  bool holds_at(llvm::ArrayRef<Polynomial> powers, const Expr& atom,
                llvm::ArrayRef<Polynomial> lower, llvm::ArrayRef<Polynomial> upper) {
    const bool is_linear = powers.size() == 2;
    if (!is_linear && !interval_of(atom, facts_).is_non_negative()) return false;
    const auto holds = [&](const Polynomial& end) {
      return holds_in_ranges(evaluated(powers, end));
    };
    const Sign sign = sign_of(powers.drop_front());
    if (sign == Sign::unknown && !is_linear) return false;
    return (sign == Sign::negative || llvm::any_of(lower, holds)) &&
           (sign == Sign::positive || llvm::any_of(upper, holds));
  }

  Sign sign_of(llvm::ArrayRef<Polynomial> factors) {
    if (llvm::all_of(factors, [&](const Polynomial& p) { return has_sign(p, 1); }))
      return Sign::positive;
    if (llvm::all_of(factors, [&](const Polynomial& p) { return has_sign(p, -1); }))
      return Sign::negative;
    return Sign::unknown;
  }

  bool has_sign(const Polynomial& factor, int64_t sign) {
    if (const auto value = factor.constant()) return sign > 0 ? *value >= 0 : *value <= 0;
    return holds_in_ranges(factor * sign);
  }

  /// min(a, b) is a or b, and neither is below it.
  bool holds_for_choice(const Binary& choice, llvm::ArrayRef<Polynomial> powers) {
    const Sign sign = sign_of(powers.drop_front());
    const Sign easy = choice.op == BinaryOp::min ? Sign::negative : Sign::positive;
    const bool left = holds_for(powers, choice.lhs);
    if (sign == easy) return left || holds_for(powers, choice.rhs);
    return left && holds_for(powers, choice.rhs);
  }

  /// rest + factor * (x / y) >= 0, where x - y < y * (x / y) <= x.
  bool holds_for_quotient(const Binary& quotient, const Polynomial& rest,
                          const Polynomial& factor) {
    const Polynomial dividend = Polynomial::of(quotient.lhs),
                     divisor = Polynomial::of(quotient.rhs);
    const Polynomial least = dividend - divisor + 1;
    const Sign sign = sign_of(factor);
    if (sign != Sign::negative && !holds_in_ranges(rest) &&
        !holds_scaled(rest, factor, divisor, least))
      return false;
    return sign == Sign::positive || holds_scaled(rest, factor, divisor, dividend) ||
           holds_in_ranges(rest + factor * dividend) || holds_at_most(quotient, rest, factor);
  }

  /// The same at the largest quotient of all: of an axis below 8*n, divided by 8, that is n - 1.
  bool holds_at_most(const Binary& quotient, const Polynomial& rest, const Polynomial& factor) {
    if (!has_bounded_axis(quotient.lhs)) return false;
    const auto largest = upper_bound(Polynomial::atom(Expr(&quotient)), facts_);
    return largest && holds_in_ranges(rest + factor * *largest);
  }

  bool has_bounded_axis(const Expr& expr) const {
    return any_of(expr, [&](const Expr& part) {
      const auto* reference = llvm::dyn_cast<AxisRef>(part);
      return reference && facts_.extent(reference->axis.get()).defined();
    });
  }

  /// Of an atom between two numbers: f / 16 of f < 256 is at most 15, and not 15.9.
  bool holds_at(llvm::ArrayRef<Polynomial> powers, const Interval& ends) {
    return ends.low != Interval::no_low && ends.has_high() &&
           holds_in_ranges(evaluated(powers, ends.high)) &&
           holds_in_ranges(evaluated(powers, ends.low));
  }

  /// rest + factor * (numerator / divisor) > -1, multiplied by a number that makes it whole: by as
  /// little of `divisor` as is not in `factor` already.
  bool holds_scaled(const Polynomial& rest, const Polynomial& factor, const Polynomial& divisor,
                    const Polynomial& numerator) {
    if (divisor.terms().size() == 1)
      if (const auto whole = exact_quotient(factor, divisor.terms().front()))
        return holds_in_ranges(rest + *whole * numerator);
    int64_t common = divisor.constant().value_or(1);
    if (common <= 0) return false;
    for (const Term& term : factor.terms()) common = std::gcd(common, term.coefficient);
    const Polynomial scale = *exact_quotient(divisor, {common, {}});
    const Polynomial share = *exact_quotient(factor, {common, {}});
    return holds_in_ranges(rest * scale + share * numerator + scale - 1);
  }

  /// Runs `proof` with the assumption that a divisor is positive: it stands in the value.
  bool with_positive(const Expr& divisor, llvm::function_ref<bool()> proof) {
    divisors_.push_back(Polynomial::of(divisor) - 1);
    const bool holds = proof();
    divisors_.pop_back();
    return holds;
  }

  // ---- Assumptions ------------------------------------------------------------------------------

  const Assumptions& assumptions() {
    if (!assumptions_) assumptions_ = assumptions_of(facts_);
    return *assumptions_;
  }

  bool holds_for_params(const Polynomial& value, int depth) {
    if (--steps_ < 0 || !can_look_at(value)) return false;
    const Interval interval = interval_of(value, facts_);
    if (interval.is_non_negative()) return true;
    if (depth == 0 || interval.high <= 0) return false;
    const auto holds_rest = [&](const Polynomial& rest) {
      return holds_for_params(rest, depth - 1);
    };
    const auto helps = [&](const Polynomial& assumption) {
      return holds_without(value, assumption, steps_, holds_rest);
    };
    return llvm::any_of(assumptions().over_params, helps) || llvm::any_of(divisors_, helps);
  }

  /// True if some multiple of `assumption` can be taken off `value` such that `holds` is true of
  /// the rest. Tries multiples as long as there is a budget.
  bool holds_without(const Polynomial& value, const Polynomial& assumption, const int& budget,
                     llvm::function_ref<bool(const Polynomial&)> holds) {
    llvm::SmallVector<Polynomial, 2> tried;
    for (const Term& term : value.terms())
      for (const Term& part : assumption.terms()) {
        if (budget <= 0) return false;
        for (const Polynomial& factor : factors_for(term, part)) {
          if (!can_look_at(value)) return false;
          if (llvm::is_contained(tried, factor)) continue;
          tried.push_back(factor);
          const Polynomial multiple = factor * assumption;
          if (is_affordable(value, multiple) && holds(value - multiple)) return true;
        }
      }
    return false;
  }

  /// True if something in `value` may make up for each term that is taken off: a multiple of it, or
  /// a range that bounds it.
  bool is_affordable(const Polynomial& value, const Polynomial& multiple) const {
    return llvm::all_of(multiple.terms(), [&](const Term& taken) {
      const auto is_multiple = [&](const Term& term) {
        return term.coefficient > 0 && cofactor(term, taken);
      };
      const auto is_bounded = [&](const Expr& atom) {
        return llvm::isa<AxisRef>(atom) && rank_of(atom) != 0;
      };
      return taken.coefficient < 0 || taken.atoms.empty() ||
             llvm::any_of(value.terms(), is_multiple) || llvm::all_of(taken.atoms, is_bounded);
    });
  }

  /// Factors by which a negative term of an assumption makes up for one of a value, or for a part
  /// of it.
  llvm::SmallVector<Polynomial, 2> factors_for(const Term& term, const Term& part) const {
    llvm::SmallVector<Polynomial, 2> factors;
    if (term.coefficient >= 0 || part.coefficient >= 0) return factors;
    const auto factor = cofactor(term, part);
    if (!factor || !is_non_negative(*factor)) return factors;
    for (const int64_t times :
         {rounded_up_quotient(term.coefficient, part.coefficient), int64_t{1}})
      if (times > 0) factors.push_back(Polynomial(*factor) * times);
    return factors;
  }

  /// Of negative numbers; 0 where it does not fit.
  static int64_t rounded_up_quotient(int64_t dividend, int64_t divisor) {
    if (dividend == std::numeric_limits<int64_t>::min()) return 0;
    return (dividend + 1) / divisor + 1;
  }

  bool is_non_negative(const Term& term) const {
    return llvm::all_of(
        term.atoms, [&](const Expr& atom) { return interval_of(atom, facts_).is_non_negative(); });
  }

  /// False where the proof has taken too long. Quotients by sums double the terms of a value, each
  /// of which may be made up for by each of an assumption.
  bool can_look_at(const Polynomial& value) {
    terms_ -= static_cast<int64_t>(value.terms().size());
    return terms_ >= 0;
  }

  const Facts& facts_;
  std::optional<Assumptions> assumptions_;     ///< of the facts, once they are needed
  llvm::SmallVector<Polynomial, 2> divisors_;  ///< those at hand, less 1
  int attempts_ = 12;     ///< differences with assumptions that may still be tried
  int steps_ = 0;         ///< replacements that may still be tried for one of them
  int64_t terms_ = 8192;  ///< that may still be looked at
};

}  // namespace

bool proves_non_negative(const Polynomial& value, const Facts& facts) {
  if (const auto constant = value.constant()) return *constant >= 0;
  const Interval interval = interval_of(value, facts);
  if (interval.is_non_negative()) return true;
  if (interval.high < 0 || is_refuted(value, facts)) return false;
  return Prover(facts).proves(value);
}

}  // namespace hone

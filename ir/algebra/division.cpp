#include "ir/algebra/division.h"

#include <numeric>

#include "ir/algebra/facts_rewriter.h"
#include "ir/traverse/order.h"

namespace hone {

const Binary* as_binary(const Expr& expr, BinaryOp op) {
  const auto* binary = llvm::dyn_cast<Binary>(expr);
  return binary && binary->op == op ? binary : nullptr;
}

bool has_remainder(const Sum& sum) {
  return llvm::any_of(sum.terms(), [](const Product& term) {
    return llvm::any_of(term.factors,
                        [](const Expr& factor) { return as_binary(factor, BinaryOp::mod); });
  });
}

namespace {

/// A division that is evaluated: dividend >= 0 and divisor >= 1, which `facts` says too.
struct Division {
  const Sum& dividend;
  const Product& divisor;
  Facts& facts;
};

/// Nothing where the rule does not apply.
using Rule = std::optional<Sum> (*)(const Division&);

Sum divide(const Sum& dividend, const Product& divisor, Facts& facts);
Sum modulo(const Sum& dividend, const Product& divisor, Facts& facts);

/// lhs + scale * rhs
std::optional<Sum> plus(Sum lhs, const Sum& rhs, int64_t scale = 1) {
  return lhs.add(rhs, scale) ? std::optional(std::move(lhs)) : std::nullopt;
}

bool proves_less(const Sum& lhs, const Product& rhs, const Facts& facts) {
  const auto difference = plus(Sum(rhs), lhs, -1);
  if (!difference) return false;
  const auto slack = plus(*difference, -1);
  return slack && proves_non_negative(*slack, facts);
}

bool proves_below(const Sum& value, const Product& limit, const Facts& facts) {
  return proves_non_negative(value, facts) && proves_less(value, limit, facts);
}

int64_t floor_quotient(int64_t dividend, int64_t divisor) {
  return dividend / divisor - (dividend % divisor < 0);
}

int64_t floor_remainder(int64_t dividend, int64_t divisor) {
  const int64_t remainder = dividend % divisor;
  return remainder < 0 ? remainder + divisor : remainder;
}

/// sum = whole * divisor + rest.
struct Split {
  Sum whole, rest;
};

enum class Constant : bool { divide, keep };

/// Every multiple of the divisor goes to `whole`, and of the constant as much as there is in it.
std::optional<Split> split(const Sum& sum, const Product& divisor, Constant constant) {
  Split result;
  for (const Product& term : sum.terms()) {
    const auto share = divided(term, divisor);
    const auto whole = share ? Sum::of(*share) : std::nullopt;
    if (!(whole ? result.whole.add(*whole) : result.rest.add(Sum(term)))) return std::nullopt;
  }
  const bool divides = constant == Constant::divide && divisor.is_constant();
  const int64_t multiple = divides ? floor_quotient(sum.constant(), divisor.coefficient) : 0;
  const int64_t remaining =
      divides ? floor_remainder(sum.constant(), divisor.coefficient) : sum.constant();
  if (!result.whole.add(multiple) || !result.rest.add(remaining)) return std::nullopt;
  return result;
}

/// A split with rest >= 0 that takes something out of the dividend. A negative constant is only
/// made positive where that leaves no division, and (N + W - 1) / W keeps its shape: it is read as
/// one, rounded up, and so is (M - 1) / 32.
std::optional<Split> useful_split(const Division& division) {
  const auto& [dividend, divisor, facts] = division;
  const auto full = split(dividend, divisor, Constant::divide);
  if (!full || full->whole.is_zero()) return std::nullopt;
  const bool is_fair = dividend.constant() >= 0 || proves_less(full->rest, divisor, facts);
  if (is_fair && proves_non_negative(full->rest, facts)) return full;
  const auto partial = split(dividend, divisor, Constant::keep);
  if (!partial || partial->whole.is_zero() || !proves_non_negative(partial->rest, facts))
    return std::nullopt;
  if (partial->whole.is_constant() && partial->rest.constant() < 0) return std::nullopt;
  return partial;
}

/// The constant q with q * divisor <= dividend < (q + 1) * divisor, where there is one.
std::optional<int64_t> constant_quotient(const Division& division) {
  const auto& [dividend, divisor, facts] = division;
  const Interval interval = interval_of(dividend, facts);
  if (divisor.is_constant() && interval.has_high() && interval.high >= 0) {
    const int64_t low = std::max<int64_t>(interval.low, 0) / divisor.coefficient;
    if (low == interval.high / divisor.coefficient) return low;
  }
  if (proves_less(dividend, divisor, facts)) return 0;
  return std::nullopt;
}

/// dividend = factor * whole + rest and divisor = factor * share, with 0 <= rest < factor.
struct Common {
  Product factor, share;
  Sum whole, rest;
};

std::optional<Common> common_with(const Division& division, const Product& factor) {
  auto parts = split(division.dividend, factor, Constant::divide);
  const auto share = divided(division.divisor, factor);
  if (!parts || !share || parts->whole.is_constant()) return std::nullopt;
  if (!proves_below(parts->rest, factor, division.facts)) return std::nullopt;
  return Common{factor, *share, std::move(parts->whole), std::move(parts->rest)};
}

/// Of any number and one above 0.
int64_t common_divisor(int64_t number, int64_t positive) {
  return std::gcd(number % positive, positive);
}

/// The largest constant first, then factors that are not.
std::optional<Common> common_factor(const Division& division) {
  llvm::SmallVector<int64_t, 4> divisors;
  for (const Product& term : division.dividend.terms())
    divisors.push_back(common_divisor(term.coefficient, division.divisor.coefficient));
  llvm::sort(divisors, std::greater<>());
  divisors.erase(std::unique(divisors.begin(), divisors.end()), divisors.end());
  for (const int64_t divisor : divisors)
    if (divisor > 1)
      if (auto common = common_with(division, {divisor})) return common;
  for (const Expr& factor : division.divisor.factors)
    if (auto common = common_with(division, {1, {factor}})) return common;
  return std::nullopt;
}

/// The sum as `x op y`, where it is nothing else.
const Binary* single_binary(const Sum& sum, BinaryOp op) {
  const Product* product = sum.single();
  if (!product || product->coefficient != 1 || product->factors.size() != 1) return nullptr;
  return as_binary(product->factors[0], op);
}

// ---- Quotients ----------------------------------------------------------------------------------

std::optional<Sum> quotient_by_one(const Division& division) {
  if (!division.divisor.is_one()) return std::nullopt;
  return division.dividend;
}

std::optional<Sum> quotient_in_range(const Division& division) {
  const auto value = constant_quotient(division);
  return value ? std::optional<Sum>(*value) : std::nullopt;
}

std::optional<Sum> quotient_of_parts(const Division& division) {
  const auto parts = useful_split(division);
  if (!parts) return std::nullopt;
  return plus(parts->whole, divide(parts->rest, division.divisor, division.facts));
}

std::optional<Sum> quotient_without_common_factor(const Division& division) {
  const auto common = common_factor(division);
  if (!common) return std::nullopt;
  return divide(common->whole, common->share, division.facts);
}

std::optional<Sum> quotient_of_quotient(const Division& division) {
  const auto* inner = single_binary(division.dividend, BinaryOp::div);
  const auto step = inner ? as_int(inner->rhs) : std::nullopt;
  int64_t product = 0;
  if (!step || *step < 1 || !division.divisor.is_constant() ||
      __builtin_mul_overflow(*step, division.divisor.coefficient, &product))
    return std::nullopt;
  return divide(Sum::of(inner->lhs), {product}, division.facts);
}

/// Where that takes the dividend apart: a remainder reads better in front of a quotient.
std::optional<Sum> quotient_of_remainder(const Division& division) {
  const auto* inner = single_binary(division.dividend, BinaryOp::mod);
  const auto share = inner ? divided(Sum::of(inner->rhs).as_product(), division.divisor)
                           : std::optional<Product>();
  if (!share) return std::nullopt;
  const Sum number = Sum::of(inner->lhs);
  const Sum quotient = divide(number, division.divisor, division.facts);
  const auto* kept = single_binary(quotient, BinaryOp::div);
  if (kept && compare(kept->lhs, number.to_expr()) == 0) return std::nullopt;
  return modulo(quotient, *share, division.facts);
}

constexpr Rule quotient_rules[] = {
    quotient_by_one,                 // x / 1 = x
    quotient_in_range,               // x / y = q  where q*y <= x < q*y + y
    quotient_of_parts,               // (q*y + r) / y = q + r / y  where r >= 0
    quotient_without_common_factor,  // (x*c + r) / (y*c) = x / y  where 0 <= r < c
    quotient_of_quotient,            // x / a / b = x / (a*b)
    quotient_of_remainder,           // x % (a*b) / b = x / b % a
};

// ---- Remainders ---------------------------------------------------------------------------------

std::optional<Sum> remainder_by_one(const Division& division) {
  if (!division.divisor.is_one()) return std::nullopt;
  return Sum(0);
}

std::optional<Sum> remainder_in_range(const Division& division) {
  const auto value = constant_quotient(division);
  if (!value || *value == 0) return value ? std::optional(division.dividend) : std::nullopt;
  int64_t multiple = 0;
  if (__builtin_mul_overflow(*value, division.divisor.coefficient, &multiple)) return std::nullopt;
  return plus(division.dividend, multiple, -1);
}

std::optional<Sum> remainder_of_rest(const Division& division) {
  const auto parts = useful_split(division);
  if (!parts) return std::nullopt;
  return modulo(parts->rest, division.divisor, division.facts);
}

std::optional<Sum> remainder_without_common_factor(const Division& division) {
  const auto common = common_factor(division);
  if (!common) return std::nullopt;
  const Sum digit = modulo(common->whole, common->share, division.facts);
  if (has_remainder(digit)) return std::nullopt;
  const auto product = multiplied(digit.as_product(), common->factor);
  const auto multiple = product ? Sum::of(*product) : std::nullopt;
  return multiple ? plus(*multiple, common->rest) : std::nullopt;
}

/// The dividend grows by a multiple of the divisor where x stands for x % (a*y).
std::optional<Sum> remainder_of_remainder(const Division& division) {
  const auto terms = division.dividend.terms();
  for (size_t n = 0; n < terms.size(); ++n) {
    const auto* inner = single_binary(Sum(Product{1, terms[n].factors}), BinaryOp::mod);
    if (!inner || terms[n].coefficient < 1) continue;
    const auto modulus = multiplied(Sum::of(inner->rhs).as_product(), {terms[n].coefficient});
    if (!modulus || !divided(*modulus, division.divisor)) continue;
    const auto multiple = plus(Sum(), Sum::of(inner->lhs), terms[n].coefficient);
    const auto dividend = multiple ? division.dividend.replaced(n, n, *multiple) : multiple;
    if (dividend) return modulo(*dividend, division.divisor, division.facts);
  }
  return std::nullopt;
}

constexpr Rule remainder_rules[] = {
    remainder_by_one,                 // x % 1 = 0
    remainder_in_range,               // x % y = x - q*y  where q*y <= x < q*y + y
    remainder_of_rest,                // (q*y + r) % y = r % y  where r >= 0
    remainder_without_common_factor,  // (x*c + r) % (y*c) = (x % y)*c + r  where 0 <= r < c
    remainder_of_remainder,           // (x % (a*y) + z) % y = (x + z) % y
};

/// The constant that `expr` is equal to by a condition of `facts`.
std::optional<Sum> assumed_value(const Expr& expr, const Facts& facts) {
  for (const Expr& condition : facts.conditions()) {
    const auto* equation = llvm::dyn_cast<Binary>(condition);
    if (!equation || equation->op != BinaryOp::eq || !as_int(equation->rhs)) continue;
    if (compare(equation->lhs, expr) == 0) return Sum(*as_int(equation->rhs));
  }
  return std::nullopt;
}

Sum apply(llvm::ArrayRef<Rule> rules, BinaryOp op, const Sum& dividend, const Product& divisor,
          Facts& facts) {
  if (divisor.coefficient > 0)
    for (const Rule rule : rules)
      if (auto result = rule({dividend, divisor, facts})) return *result;
  const Expr division = Binary::make(op, dividend.to_expr(), divisor.to_expr());
  if (const auto value = assumed_value(division, facts)) return *value;
  return Sum::leaf(division);
}

Sum divide(const Sum& dividend, const Product& divisor, Facts& facts) {
  return apply(quotient_rules, BinaryOp::div, dividend, divisor, facts);
}

Sum modulo(const Sum& dividend, const Product& divisor, Facts& facts) {
  return apply(remainder_rules, BinaryOp::mod, dividend, divisor, facts);
}

/// Runs `divide` where the divisor is known to be positive.
template <class Divide>
Sum with_positive(const Sum& divisor, Facts& facts, Divide divide) {
  const FactsScope inside(facts);
  if (!divisor.is_constant()) facts.assume(divisor.to_expr() >= 1);
  return divide(divisor.as_product());
}

}  // namespace

Sum quotient(const Sum& dividend, const Sum& divisor, Facts& facts) {
  return with_positive(divisor, facts,
                       [&](const Product& y) { return divide(dividend, y, facts); });
}

Sum remainder(const Sum& dividend, const Sum& divisor, Facts& facts) {
  return with_positive(divisor, facts,
                       [&](const Product& y) { return modulo(dividend, y, facts); });
}

}  // namespace hone

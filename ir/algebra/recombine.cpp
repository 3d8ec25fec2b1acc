// Digits of one number, put together again: they come from fusing loops that were split.
#include "ir/algebra/division.h"
#include "ir/traverse/order.h"

namespace hone {
namespace {

/// The factor m of the term n of a sum, which is x % y.
struct Digit {
  size_t term, factor;
  Sum dividend, divisor;
};

/// `term` with `value` in the place of the digit's factor.
std::optional<Product> scaled(const Product& term, const Digit& digit, const Sum& value) {
  return replaced(term, digit.factor, value.as_product());
}

/// Replaces the digit by `value` and takes the term n out.
bool join_with(Sum& sum, const Digit& digit, size_t n, const Sum& value) {
  const auto product = scaled(sum.terms()[digit.term], digit, value);
  const auto joined = product ? Sum::of(*product) : std::nullopt;
  const auto result = joined ? sum.replaced(digit.term, n, *joined) : std::nullopt;
  if (result) sum = *result;
  return result.has_value();
}

/// x where `factor` is x / y, x % (y*z) where it is x / y % z; the low digit is x % y.
std::optional<Sum> number_of(const Product& factor, const Digit& low, const Sum& high,
                             Facts& facts) {
  if (alike(factor, high.as_product()) && factor.coefficient == high.as_product().coefficient)
    return low.dividend;
  if (factor.coefficient != 1 || factor.factors.size() != 1) return std::nullopt;
  const auto* middle = as_binary(factor.factors[0], BinaryOp::mod);
  if (!middle || compare(middle->lhs, high.to_expr()) != 0) return std::nullopt;
  const auto radix = multiplied(low.divisor.as_product(), Sum::of(middle->rhs).as_product());
  if (!radix || !radix->is_constant()) return std::nullopt;
  return remainder(low.dividend, Sum(*radix), facts);
}

/// Looks for the digits above `low`: a term y times as much as the digit's.
bool join(Sum& sum, const Digit& low, Facts& facts) {
  const auto step = scaled(sum.terms()[low.term], low, low.divisor);
  if (!step) return false;
  const Sum high = quotient(low.dividend, low.divisor, facts);
  for (size_t n = 0; n < sum.terms().size(); ++n) {
    if (n == low.term) continue;
    const auto factor = divided(sum.terms()[n], *step);
    const auto number = factor ? number_of(*factor, low, high, facts) : std::nullopt;
    if (number && join_with(sum, low, n, *number)) return true;
  }
  return false;
}

std::optional<Digit> digit_at(const Sum& sum, size_t term, size_t factor) {
  const auto* remainder = as_binary(sum.terms()[term].factors[factor], BinaryOp::mod);
  if (!remainder) return std::nullopt;
  return Digit{term, factor, Sum::of(remainder->lhs), Sum::of(remainder->rhs)};
}

bool join_any(Sum& sum, Facts& facts) {
  for (size_t n = 0; n < sum.terms().size(); ++n)
    for (size_t m = 0; m < sum.terms()[n].factors.size(); ++m)
      if (const auto digit = digit_at(sum, n, m); digit && join(sum, *digit, facts)) return true;
  return false;
}

}  // namespace

void recombine(Sum& sum, Facts& facts) {
  if (sum.terms().size() < 2 || !has_remainder(sum)) return;
  while (join_any(sum, facts)) {
  }
}

}  // namespace hone

#include "tools/cli/judge/error_formulas.h"

#include <bit>
#include <cmath>
#include <limits>

#include "llvm/Support/ErrorHandling.h"

namespace hone {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Functions like exp are off by as many units in the last place, at most.
constexpr double units_of_functions = 4, units_of_pow = 16;

/// An approximate one, by such a part of its value.
constexpr double part_of_approximation = 0x1p-11;

/// A float type: `digits` bits, the largest number, and half of the smallest one. What is beyond is
/// infinite, or becomes the largest number.
struct Format {
  int digits;
  double largest, half_of_smallest;
  bool saturates = false;

  /// Half a unit in the last place of 1.
  double unit() const { return std::ldexp(1, -digits); }
};

/// Results that are f64 are compared with others that are rounded as often.
Format format_of(DType type) {
  switch (type) {
    case DType::f64:
      return {52, std::numeric_limits<double>::max(), 0x1p-1074};
    case DType::f32:
      return {24, std::numeric_limits<float>::max(), 0x1p-150};
    case DType::f16:
      return {11, 65504, 0x1p-25};
    case DType::bf16:
      return {8, 0x1.fep127, 0x1p-134};
    case DType::tf32:
      return {11, 0x1.ffcp127, 0x1p-137};
    case DType::f8e4m3:
      return {4, 448, 0x1p-10, true};
    case DType::f8e5m2:
      return {3, 57344, 0x1p-17, true};
    default:
      llvm_unreachable("not a float type");
  }
}

bool is_no_error(const Expr& value) {
  const auto* constant = llvm::dyn_cast<FloatConst>(value);
  return constant && constant->value == 0;
}

Expr plus(const Expr& lhs, const Expr& rhs) {
  if (is_no_error(lhs)) return rhs;
  return is_no_error(rhs) ? lhs : lhs + rhs;
}

/// |factor| * error, and 0 of no error, whatever the factor is.
Expr scaled(const Expr& factor, const Expr& error) {
  if (is_no_error(error)) return error;
  return select(error == number(0), number(0), magnitude(factor) * error);
}

Expr call(Intrinsic intrinsic, const Expr& x) { return Call::make(intrinsic, {x}); }

double product_of_granules(double lhs, double rhs) { return lhs == 0 || rhs == 0 ? 0 : lhs * rhs; }

/// `units` of rounding, unless the value has few enough digits. Beyond the largest number there is
/// infinity, which may be anything else; an infinity is as it is, where there are some.
FloatWithError rounded(DType type, const FloatWithError& exact, double units) {
  const Format format = format_of(type);
  const Expr size = magnitude(exact.value);
  const Expr rounding =
      size * number(units * format.unit()) + number(units * format.half_of_smallest);
  const Expr finite = plus(exact.error.bound, rounding);
  const Expr beyond = format.saturates
                          ? number(infinity)
                          : select(size < number(infinity), number(infinity), exact.error.bound);
  Expr bound = select(size <= number(format.largest), finite, beyond);
  const double without_rounding =
      units == 1 ? std::ldexp(exact.error.granule, format_of(type).digits) : 0;
  if (without_rounding > 0)
    bound = select(size <= number(without_rounding), exact.error.bound, bound);
  return {exact.value, {bound, exact.error.granule}};
}

Expr error_of_quotient(const Expr& quotient, const FloatWithError& lhs, const FloatWithError& rhs) {
  if (rhs.error.is_exact())
    return lhs.error.is_exact() ? number(0) : lhs.error.bound / magnitude(rhs.value);
  const Expr least = magnitude(rhs.value) - rhs.error.bound;
  return select(least > number(0), plus(lhs.error.bound, scaled(quotient, rhs.error.bound)) / least,
                number(infinity));
}

/// Of a function of one argument, which is off by `error`, at most.
Expr carried(Intrinsic intrinsic, const Expr& x, const Expr& error, const Expr& value) {
  switch (intrinsic) {
    case Intrinsic::exp:
      return value * (call(Intrinsic::exp, error) - number(1));
    case Intrinsic::log:
      return select(x > error, call(Intrinsic::log, x / (x - error)), number(infinity));
    case Intrinsic::sqrt:
      return min(error / value, call(Intrinsic::sqrt, error));
    case Intrinsic::rsqrt:
      return select(x > error, call(Intrinsic::rsqrt, x - error) - value, number(infinity));
    case Intrinsic::sin:
    case Intrinsic::cos:
    case Intrinsic::tanh:
    case Intrinsic::tanh_approx:
      return min(error, number(2));
    case Intrinsic::erf:
      return min(error * number(1.2), number(2));
    case Intrinsic::floor:
    case Intrinsic::ceil:
    case Intrinsic::round:
      return call(intrinsic, x + error) - call(intrinsic, x - error);
    default:
      return error;  // abs
  }
}

FloatWithError pow_of(DType type, const FloatWithError& x, const FloatWithError& y, Name name) {
  const Expr value = name(Call::make(Intrinsic::pow, {x.value, y.value}));
  Expr error = number(0);
  if (!x.error.is_exact() || !y.error.is_exact()) {
    const Expr base = magnitude(x.value), log = magnitude(call(Intrinsic::log, base));
    const Expr shift =
        (magnitude(y.value) + y.error.bound) * call(Intrinsic::log, base / (base - x.error.bound)) +
        scaled(log, y.error.bound);
    error = select(base > x.error.bound,
                   magnitude(value) * (call(Intrinsic::exp, shift) - number(1)), number(infinity));
  }
  return rounded(type, {value, {error, 0}}, 2 * units_of_pow);
}

FloatWithError sum_of(const FloatWithError& lhs, const FloatWithError& rhs, const Expr& value) {
  return {value,
          {plus(lhs.error.bound, rhs.error.bound), std::min(lhs.error.granule, rhs.error.granule)}};
}

FloatWithError product_of(const FloatWithError& lhs, const FloatWithError& rhs, const Expr& value) {
  const Expr error =
      plus(plus(scaled(lhs.value, rhs.error.bound), scaled(rhs.value, lhs.error.bound)),
           scaled(lhs.error.bound, rhs.error.bound));
  return {value, {error, product_of_granules(lhs.error.granule, rhs.error.granule)}};
}

FloatWithError extreme_of(BinaryOp op, const FloatWithError& lhs, const FloatWithError& rhs,
                          Name name) {
  const Expr error = is_no_error(lhs.error.bound)   ? rhs.error.bound
                     : is_no_error(rhs.error.bound) ? lhs.error.bound
                                                    : max(lhs.error.bound, rhs.error.bound);
  return {name(Binary::make(op, lhs.value, rhs.value)),
          {error, std::min(lhs.error.granule, rhs.error.granule)}};
}

}  // namespace

bool ErrorOf::is_exact() const { return is_no_error(bound); }

ErrorOf ErrorOf::integer() { return {number(0), 1}; }

Expr number(double value) { return FloatConst::make(value, f64); }

Expr magnitude(const Expr& value) { return Call::make(Intrinsic::abs, {value}); }

double granule_of(double value) {
  if (value == 0) return infinity;
  if (!std::isfinite(value)) return 0;
  int exponent = 0;
  constexpr int digits = 53;
  const auto bits = static_cast<int64_t>(std::ldexp(std::frexp(value, &exponent), digits));
  return std::ldexp(1, exponent - digits + std::countr_zero(static_cast<uint64_t>(bits)));
}

FloatWithError exact(double constant) {
  return {number(constant), {number(0), granule_of(constant)}};
}

FloatWithError negated(const FloatWithError& operand) { return {-operand.value, operand.error}; }

FloatWithError rounded(DType type, const FloatWithError& exact) { return rounded(type, exact, 1); }

FloatWithError result_of(BinaryOp op, DType type, const FloatWithError& lhs,
                         const FloatWithError& rhs, Name name) {
  if (op == BinaryOp::min || op == BinaryOp::max) return extreme_of(op, lhs, rhs, name);
  const Expr value = name(Binary::make(op, lhs.value, rhs.value));
  if (op == BinaryOp::mul) return rounded(type, product_of(lhs, rhs, value));
  if (op == BinaryOp::div) return rounded(type, {value, {error_of_quotient(value, lhs, rhs), 0}});
  return rounded(type, sum_of(lhs, rhs, value));
}

FloatWithError result_of(Intrinsic intrinsic, DType type, llvm::ArrayRef<FloatWithError> arguments,
                         Name name) {
  const FloatWithError& x = arguments[0];
  if (intrinsic == Intrinsic::pow) return pow_of(type, x, arguments[1], name);
  if (intrinsic == Intrinsic::fma) {
    const FloatWithError product = product_of(x, arguments[1], name(x.value * arguments[1].value));
    return rounded(type, sum_of(product, arguments[2], name(product.value + arguments[2].value)));
  }
  const Expr value = name(call(intrinsic, x.value));
  const Expr error =
      x.error.is_exact() ? number(0) : carried(intrinsic, x.value, x.error.bound, value);
  if (intrinsic == Intrinsic::abs) return {value, {error, x.error.granule}};
  const bool is_whole = intrinsic == Intrinsic::floor || intrinsic == Intrinsic::ceil ||
                        intrinsic == Intrinsic::round;
  if (is_whole) return {value, {error, 1}};
  const Expr off = intrinsic == Intrinsic::tanh_approx
                       ? plus(error, magnitude(value) * number(part_of_approximation))
                       : error;
  return rounded(type, {value, {off, 0}}, 2 * units_of_functions);
}

namespace {

/// The last of the 14 bits of a short sum is cut, and not rounded.
constexpr int digits_of_short_sum = 13, products_at_a_time = 32;

int digits_of(DType type, const BoundedTensor& sum) {
  return sum.is_short_sum ? digits_of_short_sum : format_of(type).digits;
}

/// The roundings of a sum that add up, in parts of its size.
double growth(DType type, const BoundedTensor& sum, bool are_random) {
  auto roundings = static_cast<double>(sum.terms);
  if (sum.is_short_sum) roundings = std::ceil(roundings / products_at_a_time);
  if (are_random) roundings = std::min(roundings, 32 * std::sqrt(roundings));
  return std::ldexp(roundings, -digits_of(type, sum));
}

/// The largest sum of some of the terms that has no more digits than the type.
double largest_exact_sum(DType type, const BoundedTensor& sum) {
  return std::ldexp(sum.granule, digits_of(type, sum));
}

}  // namespace

Expr error_of_sum(DType type, const BoundedTensor& sum, const Expr& magnitude, const Expr& largest,
                  bool are_random) {
  const Expr size = are_random ? min(magnitude, largest * number(4)) : magnitude;
  return select(size > number(largest_exact_sum(type, sum)) && size < number(infinity),
                size * number(growth(type, sum, are_random)), number(0));
}

double bound_of_sum(DType type, const BoundedTensor& sum, double magnitude, double largest,
                    bool are_random) {
  const double size = are_random ? std::min(magnitude, 4 * largest) : magnitude;
  const bool rounds = size > largest_exact_sum(type, sum) && std::isfinite(size);
  return rounds ? size * growth(type, sum, are_random) : 0;
}

}  // namespace hone

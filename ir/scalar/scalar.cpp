// The half of ir/scalar/scalar.h that computes.
#include "ir/scalar/scalar.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "fmt/format.h"
#include "ir/scalar/functions.h"
#include "ir/scalar/ring.h"
#include "llvm/Support/ErrorHandling.h"

namespace hone {
namespace {

template <class Number>
bool compare(BinaryOp op, Number lhs, Number rhs) {
  switch (op) {
    case BinaryOp::eq:
      return lhs == rhs;
    case BinaryOp::ne:
      return lhs != rhs;
    case BinaryOp::lt:
      return lhs < rhs;
    case BinaryOp::le:
      return lhs <= rhs;
    case BinaryOp::gt:
      return lhs > rhs;
    case BinaryOp::ge:
      return lhs >= rhs;
    default:
      llvm_unreachable("not a comparison");
  }
}

// ---- Floats -------------------------------------------------------------------------------------

double min_number(double lhs, double rhs) {
  if (std::isnan(lhs)) return rhs;
  if (lhs == rhs) return std::signbit(lhs) ? lhs : rhs;
  return rhs < lhs ? rhs : lhs;
}

/// In double, which has more than twice the bits of the narrower types and some: rounding the
/// result once more gives what one rounding of the exact result would.
double combine_floats(BinaryOp op, double lhs, double rhs) {
  switch (op) {
    case BinaryOp::add:
      return lhs + rhs;
    case BinaryOp::sub:
      return lhs - rhs;
    case BinaryOp::mul:
      return lhs * rhs;
    case BinaryOp::div:
      return lhs / rhs;
    case BinaryOp::min:
      return min_number(lhs, rhs);
    case BinaryOp::max:
      return -min_number(-lhs, -rhs);
    default:
      llvm_unreachable("not an operator of floats");
  }
}

/// lhs + rhs rounded to odd: where the sum is not exact, of its two neighbours the one with an odd
/// last bit. Rounding that to a type of at most 51 bits is as good as rounding the exact sum.
double add_rounding_to_odd(double lhs, double rhs) {
  const double sum = lhs + rhs;
  const double rhs_part = sum - lhs;
  const double error = (lhs - (sum - rhs_part)) + (rhs - rhs_part);
  const bool is_odd = std::bit_cast<uint64_t>(sum) & 1;
  if (!std::isfinite(sum) || error == 0 || is_odd) return sum;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return std::nextafter(sum, error > 0 ? infinity : -infinity);
}

/// The product of two floats narrower than f64 is exact in double.
double fused_multiply_add(DType type, double x, double y, double z) {
  return type == f64 ? std::fma(x, y, z) : add_rounding_to_odd(x * y, z);
}

// ---- Integers and indices -----------------------------------------------------------------------

[[noreturn]] void refuse_division(BinaryOp op, int64_t lhs, int64_t rhs, llvm::StringRef why) {
  throw ArithmeticError(
      fmt::format("{} {} {} is {}", lhs, op == BinaryOp::div ? '/' : '%', rhs, why.str()));
}

/// Quotient or remainder modulo 2^64.
int64_t divide(BinaryOp op, int64_t lhs, int64_t rhs) {
  if (rhs == 0) refuse_division(op, lhs, rhs, "a division by zero");
  const bool is_quotient = op == BinaryOp::div;
  if (rhs == -1) return is_quotient ? static_cast<int64_t>(-static_cast<uint64_t>(lhs)) : 0;
  return is_quotient ? lhs / rhs : lhs % rhs;
}

/// Modulo 2^64, to be wrapped to the type.
int64_t combine_integers(BinaryOp op, int64_t lhs, int64_t rhs) {
  const auto left = static_cast<uint64_t>(lhs), right = static_cast<uint64_t>(rhs);
  switch (op) {
    case BinaryOp::add:
      return static_cast<int64_t>(left + right);
    case BinaryOp::sub:
      return static_cast<int64_t>(left - right);
    case BinaryOp::mul:
      return static_cast<int64_t>(left * right);
    case BinaryOp::div:
    case BinaryOp::mod:
      return divide(op, lhs, rhs);
    case BinaryOp::min:
      return std::min(lhs, rhs);
    case BinaryOp::max:
      return std::max(lhs, rhs);
    case BinaryOp::bit_and:
      return lhs & rhs;
    case BinaryOp::bit_or:
      return lhs | rhs;
    case BinaryOp::bit_xor:
      return lhs ^ rhs;
    case BinaryOp::shl:
      return static_cast<int64_t>(left << right);
    case BinaryOp::shr:
      return lhs >> rhs;
    case BinaryOp::logical_and:
      return lhs != 0 && rhs != 0;
    case BinaryOp::logical_or:
      return lhs != 0 || rhs != 0;
    default:
      llvm_unreachable("not an operator of integers");
  }
}

[[noreturn]] void refuse_overflow(int64_t lhs, const char* op, int64_t rhs) {
  throw ArithmeticError(fmt::format("{} {} {} overflows a 64-bit index", lhs, op, rhs));
}

/// Of indices that are not negative, by less than 63.
int64_t shift(BinaryOp op, int64_t lhs, int64_t rhs) {
  const bool is_left = op == BinaryOp::shl;
  const char* const symbol = is_left ? "<<" : ">>";
  if (lhs < 0)
    throw ArithmeticError(fmt::format("{} {} {} is a shift of a negative index", lhs, symbol, rhs));
  if (rhs < 0 || rhs >= 63)
    throw ArithmeticError(
        fmt::format("{} {} {} is a shift by less than 0 or more than 62", lhs, symbol, rhs));
  if (is_left && lhs > std::numeric_limits<int64_t>::max() >> rhs) refuse_overflow(lhs, "<<", rhs);
  return combine_integers(op, lhs, rhs);
}

int64_t combine_indices(BinaryOp op, int64_t lhs, int64_t rhs) {
  int64_t result = 0;
  switch (op) {
    case BinaryOp::add:
      if (__builtin_add_overflow(lhs, rhs, &result)) refuse_overflow(lhs, "+", rhs);
      return result;
    case BinaryOp::sub:
      if (__builtin_sub_overflow(lhs, rhs, &result)) refuse_overflow(lhs, "-", rhs);
      return result;
    case BinaryOp::mul:
      if (__builtin_mul_overflow(lhs, rhs, &result)) refuse_overflow(lhs, "*", rhs);
      return result;
    case BinaryOp::div:
    case BinaryOp::mod:
      if (rhs < 0) refuse_division(op, lhs, rhs, "a division by a negative index");
      if (lhs < 0 && rhs != 0) refuse_division(op, lhs, rhs, "a division of a negative index");
      return divide(op, lhs, rhs);
    case BinaryOp::shl:
    case BinaryOp::shr:
      return shift(op, lhs, rhs);
    default:
      return combine_integers(op, lhs, rhs);
  }
}

int64_t negate(DType type, int64_t value) {
  return type == DType::index ? combine_indices(BinaryOp::sub, 0, value)
                              : combine_integers(BinaryOp::sub, 0, value);
}

}  // namespace

Scalar apply(UnaryOp op, const Scalar& operand) {
  if (op == UnaryOp::logical_not) return Scalar::of_int(operand.type, operand.integer == 0);
  if (op == UnaryOp::bit_not) return Scalar::of_int(operand.type, ~operand.integer);
  if (is_float(operand.type)) return Scalar::of_float(operand.type, -operand.real);
  return Scalar::of_int(operand.type, negate(operand.type, operand.integer));
}

bool holds(BinaryOp comparison, int64_t lhs, int64_t rhs) { return compare(comparison, lhs, rhs); }

Scalar apply(BinaryOp op, const Scalar& lhs, const Scalar& rhs) {
  assert(lhs.type == rhs.type && "operands of different types");
  const DType type = lhs.type;
  if (is_comparison(op))
    return Scalar::of_int(DType::boolean, is_float(type) ? compare(op, lhs.real, rhs.real)
                                                         : compare(op, lhs.integer, rhs.integer));
  if (is_ring(type) && op == BinaryOp::div)
    return Scalar::of_float(type, ring_quotient(lhs.real, rhs.real));
  if (is_float(type)) return Scalar::of_float(type, combine_floats(op, lhs.real, rhs.real));
  if (type == DType::index)
    return Scalar::of_int(type, combine_indices(op, lhs.integer, rhs.integer));
  const bool is_shift = op == BinaryOp::shl || op == BinaryOp::shr;
  const int64_t right = is_shift ? rhs.integer & (8 * size_of(type) - 1) : rhs.integer;
  return Scalar::of_int(type, combine_integers(op, lhs.integer, right));
}

Scalar apply(Intrinsic intrinsic, llvm::ArrayRef<Scalar> arguments) {
  assert(arguments.size() == arity(intrinsic) && "wrong number of arguments");
  const DType type = arguments[0].type;
  if (!is_float(type)) {
    assert(intrinsic == Intrinsic::abs && "an intrinsic of floats");
    const int64_t value = arguments[0].integer;
    return Scalar::of_int(type, value < 0 ? negate(type, value) : value);
  }
  if (intrinsic == Intrinsic::fma)
    return Scalar::of_float(
        type, fused_multiply_add(type, arguments[0].real, arguments[1].real, arguments[2].real));
  const double second = arguments.size() > 1 ? arguments[1].real : 0;
  const auto function = is_ring(type) ? ring_function : function_of<double>;
  return Scalar::of_float(type, function(intrinsic, arguments[0].real, second));
}

}  // namespace hone

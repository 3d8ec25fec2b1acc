#include "runtime/ptx/operations/number.h"

#include <algorithm>
#include <bit>

#include "llvm/Support/ErrorHandling.h"

namespace hone::ptx {
namespace {

/// A sign, the exponent, and the mantissa; zeros below them.
struct RealFormat {
  int size, mantissa, bias;
  bool has_infinity = true;
  int unused = 0;  ///< bits behind the mantissa

  int least_exponent() const { return 1 - bias; }
  uint64_t sign() const { return uint64_t{1} << (size - 1); }
  /// The exponent of infinity and NaN.
  uint64_t infinity() const { return (sign() - 1) >> mantissa << mantissa; }
  uint64_t largest() const { return has_infinity ? infinity() - 1 : sign() - 2; }
  /// All ones but the sign; of f64 the first bit of its mantissa alone.
  uint64_t nan() const {
    return size == 64 ? infinity() | uint64_t{1} << (mantissa - 1) : sign() - 1;
  }
};

RealFormat format_of(Type type) {
  switch (type) {
    case Type::f16:
      return {16, 10, 15};
    case Type::bf16:
      return {16, 7, 127};
    case Type::tf32:
      return {19, 10, 127, true, 13};
    case Type::f32:
      return {32, 23, 127};
    case Type::f64:
      return {64, 52, 1023};
    case Type::e4m3:
      return {8, 3, 7, false};
    case Type::e5m2:
      return {8, 2, 15};
    default:
      llvm_unreachable("no floating-point type with one value");
  }
}

/// With the first bit of the significand in its place.
Number normalised(bool negative, uint64_t significand, int exponent) {
  if (significand == 0) return {.negative = negative};
  const int zeros = std::countl_zero(significand);
  return {Number::Kind::finite, negative, significand << zeros, exponent - zeros};
}

Number real_number(RealFormat format, uint64_t bits) {
  bits >>= format.unused;
  const bool negative = (bits & format.sign()) != 0;
  const uint64_t magnitude = bits & (format.sign() - 1);
  if (magnitude > format.largest())
    return {magnitude == format.infinity() && format.has_infinity ? Number::Kind::infinite
                                                                  : Number::Kind::nan,
            negative};
  const auto biased = static_cast<int>(magnitude >> format.mantissa);
  const uint64_t fraction = magnitude & ((uint64_t{1} << format.mantissa) - 1);
  const uint64_t significand = fraction | (biased > 0 ? uint64_t{1} << format.mantissa : 0);
  return normalised(negative, significand << (63 - format.mantissa),
                    std::max(biased, 1) - format.bias);
}

int size_of_integer(Type type) { return 8 * bytes_of(type); }

Number integer_number(Type type, uint64_t bits) {
  const int spare = 64 - size_of_integer(type);
  const uint64_t low = bits << spare >> spare;
  const bool negative = is_signed(type) && (low >> (63 - spare) & 1) != 0;
  const uint64_t magnitude = negative ? (~low + 1) << spare >> spare : low;
  return normalised(negative, magnitude, 63);
}

// ---- Rounding -----------------------------------------------------------------------------------

/// A significand without its last bits, which are a fraction of 2^64.
struct Cut {
  uint64_t kept = 0, rest = 0;
};

Cut cut(uint64_t significand, int dropped) {
  if (dropped <= 0) return {significand, 0};
  if (dropped < 64) return {significand >> dropped, significand << (64 - dropped)};
  if (dropped == 64) return {0, significand};
  return {0, significand != 0 ? uint64_t{1} : 0};
}

uint64_t rounded(Cut value, bool negative, Rounding rounding) {
  constexpr uint64_t half = uint64_t{1} << 63;
  const bool is_exact = value.rest == 0;
  switch (rounding) {
    case Rounding::nearest:
      return value.kept + (value.rest > half || (value.rest == half && value.kept % 2 == 1));
    case Rounding::zero:
      return value.kept;
    case Rounding::down:
      return value.kept + (!is_exact && negative);
    case Rounding::up:
      return value.kept + (!is_exact && !negative);
    case Rounding::away:
      return value.kept + (value.rest >= half);
  }
  llvm_unreachable("unknown rounding");
}

/// True if the rounding leads from beyond the largest number to infinity.
bool leads_to_infinity(bool negative, Rounding rounding) {
  if (rounding == Rounding::up) return !negative;
  if (rounding == Rounding::down) return negative;
  return rounding != Rounding::zero;
}

uint64_t finite_magnitude(Number number, RealFormat format, Rounding rounding, bool is_finite) {
  const int above = number.exponent - format.least_exponent();
  const Cut value = cut(number.significand, 63 - format.mantissa + std::max(-above, 0));
  // The first bit of a normal significand counts as 1 in the exponent. A carry is right there, too.
  const uint64_t exponent = static_cast<uint64_t>(std::max(above, 0)) << format.mantissa;
  const uint64_t magnitude = exponent + rounded(value, number.negative, rounding);
  if (magnitude <= format.largest()) return magnitude;
  if (is_finite || !leads_to_infinity(number.negative, rounding)) return format.largest();
  return format.has_infinity ? format.infinity() : format.nan();
}

uint64_t magnitude_bits(Number number, RealFormat format, Rounding rounding, bool is_finite) {
  if (number.is_zero()) return 0;
  if (number.kind == Number::Kind::finite)
    return finite_magnitude(number, format, rounding, is_finite);
  if (is_finite) return format.largest();
  return format.has_infinity ? format.infinity() : format.nan();
}

}  // namespace

Number number_of(Type type, uint64_t bits) {
  return is_real(type) ? real_number(format_of(type), bits) : integer_number(type, bits);
}

Number integral(Number number, Rounding rounding) {
  if (number.kind != Number::Kind::finite || number.exponent >= 63) return number;
  const uint64_t whole =
      rounded(cut(number.significand, 63 - number.exponent), number.negative, rounding);
  return normalised(number.negative, whole, 63);
}

Number saturated(Number number) {
  if (number.negative || number.kind == Number::Kind::nan) return {};
  const bool is_beyond = number.kind == Number::Kind::infinite || number.exponent >= 0;
  return is_beyond && !number.is_zero() ? normalised(false, 1, 63) : number;
}

uint64_t real_bits(Number number, Type type, Rounding rounding, bool is_finite) {
  const RealFormat format = format_of(type);
  if (number.kind == Number::Kind::nan)
    // The bits behind those of tf32 are ones, too: it is a NaN of f32.
    return format.unused > 0 ? 0x7fffffff : format.nan();
  const uint64_t magnitude = magnitude_bits(number, format, rounding, is_finite);
  return (magnitude | (number.negative ? format.sign() : 0)) << format.unused;
}

uint64_t wrapped_bits(Number number) {
  const uint64_t magnitude = number.is_zero() ? 0 : number.significand >> (63 - number.exponent);
  return number.negative ? ~magnitude + 1 : magnitude;
}

uint64_t clamped_bits(Number number, Type type, Type from) {
  const int size = size_of_integer(type);
  const uint64_t all = ~uint64_t{0} >> (64 - size), first = uint64_t{1} << (size - 1);
  if (number.kind == Number::Kind::nan) return from == Type::f64 || size == 64 ? first : 0;
  const uint64_t most = is_signed(type) ? first - 1 : all;
  const uint64_t least = is_signed(type) ? first : 0;  // of negative numbers, its magnitude
  const uint64_t limit = number.negative ? least : most;
  const bool is_beyond = number.kind == Number::Kind::infinite || number.exponent > 63;
  const Number whole = is_beyond ? Number{} : number;
  const uint64_t magnitude =
      is_beyond ? limit
                : std::min(whole.is_zero() ? 0 : whole.significand >> (63 - whole.exponent), limit);
  return (number.negative ? ~magnitude + 1 : magnitude) & all;
}

}  // namespace hone::ptx

#include "ir/scalar/half.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace hone {
namespace {

constexpr int double_mantissa = 52;
constexpr int double_bias = 1023;
constexpr uint64_t double_infinity = uint64_t{0x7ff} << double_mantissa;

/// A sign, 15 - mantissa bits of exponent, and the mantissa.
struct Format {
  int mantissa;
  int bias;

  constexpr int dropped() const { return double_mantissa - mantissa; }
  constexpr uint64_t infinity() const { return uint64_t{0x7fff} >> mantissa << mantissa; }
  constexpr int min_exponent() const { return 1 - bias; }
};
constexpr Format f16_format = {10, 15}, bf16_format = {7, 127};

/// The addend that takes the bits of a normal number from the format's bias to double's.
constexpr uint64_t rebias(Format format) {
  return static_cast<uint64_t>(double_bias - format.bias) << double_mantissa;
}

uint64_t encode_nan(uint64_t magnitude, Format format) {
  const uint64_t quiet = uint64_t{1} << (format.mantissa - 1);
  const uint64_t payload = (magnitude & ~double_infinity) >> format.dropped();
  return format.infinity() | quiet | payload;
}

/// The sum with a number whose last bit is worth as much as the smallest subnormal rounds where
/// the format does.
uint64_t encode_subnormal(uint64_t magnitude, Format format) {
  const double anchor = std::ldexp(1.0, format.min_exponent() + format.dropped());
  const double sum = std::bit_cast<double>(magnitude) + anchor;
  return std::bit_cast<uint64_t>(sum) - std::bit_cast<uint64_t>(anchor);
}

/// Rounding may carry into the exponent, which is then right, up to infinity.
uint64_t encode_normal(uint64_t magnitude, Format format) {
  const uint64_t bits = magnitude - rebias(format);
  const uint64_t is_odd = bits >> format.dropped() & 1;
  const uint64_t below_half = (uint64_t{1} << (format.dropped() - 1)) - 1;
  return std::min((bits + below_half + is_odd) >> format.dropped(), format.infinity());
}

uint16_t encode(double value, Format format) {
  const auto bits = std::bit_cast<uint64_t>(value);
  const uint64_t magnitude = bits & ~(uint64_t{1} << 63);
  const auto sign = static_cast<uint16_t>(bits >> 63 << 15);
  const auto smallest_normal = std::bit_cast<uint64_t>(std::ldexp(1.0, format.min_exponent()));
  if (magnitude > double_infinity) return sign | encode_nan(magnitude, format);
  if (magnitude < smallest_normal) return sign | encode_subnormal(magnitude, format);
  return sign | encode_normal(magnitude, format);
}

double decode(uint16_t bits, Format format) {
  const uint64_t sign = static_cast<uint64_t>(bits >> 15) << 63;
  const uint64_t magnitude = bits & 0x7fff;
  const uint64_t widened = magnitude << format.dropped();
  if (magnitude >= format.infinity())
    return std::bit_cast<double>(sign | double_infinity | widened);
  if (magnitude >> format.mantissa == 0) {
    const double value = std::ldexp(magnitude, format.min_exponent() - format.mantissa);
    return sign ? -value : value;
  }
  return std::bit_cast<double>(sign | (widened + rebias(format)));
}

}  // namespace

uint16_t f16_bits(double value) { return encode(value, f16_format); }
double f16_value(uint16_t bits) { return decode(bits, f16_format); }
uint16_t bf16_bits(double value) { return encode(value, bf16_format); }
double bf16_value(uint16_t bits) { return decode(bits, bf16_format); }

}  // namespace hone

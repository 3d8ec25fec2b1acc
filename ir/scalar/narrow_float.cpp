#include "ir/scalar/narrow_float.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace hone {
namespace {

constexpr int double_mantissa = 52;
constexpr int double_bias = 1023;
constexpr uint64_t double_infinity = uint64_t{0x7ff} << double_mantissa;

/// A sign, the exponent, and the mantissa.
struct Format {
  int bits, mantissa, bias;
  bool has_infinity = true;
  bool saturates = false;  ///< beyond the largest number; one pattern is NaN then
  bool ties_away = false;  ///< from zero; to even otherwise

  constexpr int dropped() const { return double_mantissa - mantissa; }
  constexpr uint64_t greatest_pattern() const { return (uint64_t{1} << (bits - 1)) - 1; }
  constexpr uint64_t infinity() const { return greatest_pattern() >> mantissa << mantissa; }
  constexpr uint64_t largest() const {
    return (has_infinity ? infinity() : greatest_pattern()) - 1;
  }
  constexpr int min_exponent() const { return 1 - bias; }
};
constexpr Format f16_format = {16, 10, 15}, bf16_format = {16, 7, 127};
constexpr Format tf32_format = {.bits = 19, .mantissa = 10, .bias = 127, .ties_away = true};
constexpr Format f8e4m3_format = {
    .bits = 8, .mantissa = 3, .bias = 7, .has_infinity = false, .saturates = true};
constexpr Format f8e5m2_format = {.bits = 8, .mantissa = 2, .bias = 15, .saturates = true};

/// The addend that takes the bits of a normal number from the format's bias to double's.
constexpr uint64_t rebias(Format format) {
  return static_cast<uint64_t>(double_bias - format.bias) << double_mantissa;
}

uint64_t encode_nan(uint64_t magnitude, Format format) {
  const uint64_t quiet = uint64_t{1} << (format.mantissa - 1);
  const uint64_t payload = (magnitude & ~double_infinity) >> format.dropped();
  return format.infinity() | quiet | payload;
}

/// In units of the smallest subnormal, as a whole number.
uint64_t encode_subnormal(uint64_t magnitude, Format format) {
  const double units =
      std::ldexp(std::bit_cast<double>(magnitude), format.mantissa - format.min_exponent());
  return static_cast<uint64_t>(format.ties_away ? std::round(units) : std::nearbyint(units));
}

/// Rounding may carry into the exponent, which is then right, up to infinity.
uint64_t encode_normal(uint64_t magnitude, Format format) {
  const uint64_t bits = magnitude - rebias(format);
  const uint64_t is_odd = bits >> format.dropped() & 1;
  const uint64_t half = uint64_t{1} << (format.dropped() - 1);
  const uint64_t addend = format.ties_away ? half : half - 1 + is_odd;
  return std::min((bits + addend) >> format.dropped(),
                  format.saturates ? format.largest() : format.infinity());
}

uint32_t encode(double value, Format format) {
  const auto bits = std::bit_cast<uint64_t>(value);
  const uint64_t magnitude = bits & ~(uint64_t{1} << 63);
  const uint64_t sign = bits >> 63 << (format.bits - 1);
  const auto smallest_normal = std::bit_cast<uint64_t>(std::ldexp(1.0, format.min_exponent()));
  const bool is_nan = magnitude > double_infinity;
  if (is_nan && format.saturates) return static_cast<uint32_t>(format.greatest_pattern());
  const uint64_t encoded = is_nan                        ? encode_nan(magnitude, format)
                           : magnitude < smallest_normal ? encode_subnormal(magnitude, format)
                                                         : encode_normal(magnitude, format);
  return static_cast<uint32_t>(sign | encoded);
}

double decode(uint16_t bits, Format format) {
  const uint64_t sign = static_cast<uint64_t>(bits >> (format.bits - 1)) << 63;
  const uint64_t magnitude = bits & format.greatest_pattern();
  const uint64_t widened = magnitude << format.dropped();
  if (magnitude > format.largest()) return std::bit_cast<double>(sign | double_infinity | widened);
  if (magnitude >> format.mantissa == 0) {
    const double value =
        std::ldexp(static_cast<double>(magnitude), format.min_exponent() - format.mantissa);
    return sign ? -value : value;
  }
  return std::bit_cast<double>(sign | (widened + rebias(format)));
}

constexpr int bits_of_float = 32;

}  // namespace

uint16_t f16_bits(double value) { return static_cast<uint16_t>(encode(value, f16_format)); }
double f16_value(uint16_t bits) { return decode(bits, f16_format); }
uint16_t bf16_bits(double value) { return static_cast<uint16_t>(encode(value, bf16_format)); }
double bf16_value(uint16_t bits) { return decode(bits, bf16_format); }

float tf32_nearest(double value) {
  return std::bit_cast<float>(encode(value, tf32_format) << (bits_of_float - tf32_format.bits));
}
float tf32_value(float element) {
  constexpr uint32_t counted = ~uint32_t{0} << (bits_of_float - tf32_format.bits);
  return std::bit_cast<float>(std::bit_cast<uint32_t>(element) & counted);
}

uint8_t f8e4m3_bits(double value) { return static_cast<uint8_t>(encode(value, f8e4m3_format)); }
double f8e4m3_value(uint8_t bits) { return decode(bits, f8e4m3_format); }
uint8_t f8e5m2_bits(double value) { return static_cast<uint8_t>(encode(value, f8e5m2_format)); }
double f8e5m2_value(uint8_t bits) { return decode(bits, f8e5m2_format); }

}  // namespace hone

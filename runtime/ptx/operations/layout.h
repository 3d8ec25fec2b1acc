// Floating point as it lies in registers: the bits of its types, and what modifiers do to them.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "runtime/ptx/operations/wrapping.h"
#include "runtime/sim/lanes.h"

namespace hone::ptx {

/// The bits of a value: scalars, so that loops over them become vector code.
enum class F16 : uint16_t {};
enum class Bf16 : uint16_t {};

/// The bits of a floating-point type.
template <class B, int mantissa_bits>
struct LayoutOf {
  using Bits = B;
  static constexpr int size = 8 * sizeof(B), mantissa = mantissa_bits;
  static constexpr auto sign = static_cast<B>(B{1} << (size - 1));
  static constexpr auto magnitude = static_cast<B>(sign - 1);
  static constexpr auto least_normal = static_cast<B>(B{1} << mantissa);
  static constexpr auto infinity = static_cast<B>(magnitude / least_normal * least_normal);
  static constexpr auto one = static_cast<B>(infinity / 2 / least_normal * least_normal);
};

template <class T>
struct Layout;
/// The NaN that operations give: PTX has all ones, except for f64.
template <>
struct Layout<float> : LayoutOf<uint32_t, 23> {
  static constexpr Bits nan = magnitude;
};
template <>
struct Layout<double> : LayoutOf<uint64_t, 52> {
  static constexpr Bits nan = infinity | least_normal >> 1;
};
template <>
struct Layout<F16> : LayoutOf<uint16_t, 10> {
  static constexpr Bits nan = magnitude;
};
template <>
struct Layout<Bf16> : LayoutOf<uint16_t, 7> {
  static constexpr Bits nan = magnitude;
};

template <class T>
using BitsOf = typename Layout<T>::Bits;

template <class T>
inline BitsOf<T> magnitude_of(BitsOf<T> bits) {
  return bits & Layout<T>::magnitude;
}
template <class T>
inline bool is_nan(BitsOf<T> bits) {
  return magnitude_of<T>(bits) > Layout<T>::infinity;
}
/// Subnormal numbers become zeros of their sign.
template <class T>
inline BitsOf<T> flushed(BitsOf<T> bits) {
  const auto zero = static_cast<BitsOf<T>>(bits & Layout<T>::sign);
  return pick(magnitude_of<T>(bits) < Layout<T>::least_normal, zero, bits);
}
/// The nearest from 0 to 1; +0 of NaN.
template <class T>
inline BitsOf<T> saturated(BitsOf<T> bits) {
  const auto most = pick(bits > Layout<T>::one, BitsOf<T>{Layout<T>::one}, bits);
  return pick(bits > Layout<T>::infinity, BitsOf<T>{0}, most);
}
/// 0 of negative numbers.
template <class T>
inline BitsOf<T> without_negatives(BitsOf<T> bits) {
  constexpr auto lowest = static_cast<BitsOf<T>>(Layout<T>::sign | Layout<T>::infinity);
  return pick((bits >= Layout<T>::sign) & (bits <= lowest), BitsOf<T>{0}, bits);
}
template <class T>
inline BitsOf<T> with_plain_nan(BitsOf<T> bits) {
  return pick(is_nan<T>(bits), BitsOf<T>{Layout<T>::nan}, bits);
}

/// The effect of modifiers on operands and results.
struct Finish {
  bool ftz = false, sat = false, relu = false;

  static constexpr Finish of_detail(uint32_t detail) {
    return {(detail & 1) != 0, (detail & 2) != 0, (detail & 4) != 0};
  }
  constexpr uint32_t detail() const { return (ftz ? 1 : 0) | (sat ? 2 : 0) | (relu ? 4 : 0); }
};

template <class T>
inline T operand_of(T value, Finish finish) {
  const auto bits = std::bit_cast<BitsOf<T>>(value);
  return std::bit_cast<T>(pick(finish.ftz, flushed<T>(bits), bits));
}

/// The result of an operation. A NaN of f64 stays what the processor makes it.
template <class T>
inline T finished(T value, Finish finish) {
  auto bits = std::bit_cast<BitsOf<T>>(value);
  if constexpr (!std::is_same_v<T, double>) bits = with_plain_nan<T>(bits);
  bits = pick(finish.ftz, flushed<T>(bits), bits);
  bits = pick(finish.sat, saturated<T>(bits), bits);
  bits = pick(finish.relu, without_negatives<T>(bits), bits);
  return std::bit_cast<T>(bits);
}

// ---- Types of 16 bits ---------------------------------------------------------------------------

/// The nearer of two neighbours of a sum that lies between them is not taken, but that with an odd
/// last bit: so a second rounding, to two bits less, is as if it were the first. `error` is the sum
/// without `nearest`.
template <class T>
inline T odd_neighbour(T nearest, T error) {
  using Bits = BitsOf<T>;
  const auto bits = std::bit_cast<Bits>(nearest), error_bits = std::bit_cast<Bits>(error);
  const auto is_nearer = static_cast<Bits>((bits ^ error_bits) >> (Layout<T>::size - 1));
  // Neither 0 nor NaN.
  const bool is_between = magnitude_of<T>(error_bits) - 1 < Layout<T>::infinity;
  const Bits odd = bits % 2 == 0 ? 1 - 2 * is_nearer : 0;
  return std::bit_cast<T>(static_cast<Bits>(bits + pick(is_between, odd, 0)));
}

inline float wide(F16 value) { return decode<DType::f16>(static_cast<uint16_t>(value)); }
inline float wide(Bf16 value) { return decode<DType::bf16>(static_cast<uint16_t>(value)); }

/// Of a float that is not NaN, to the nearest, ties to even.
inline uint16_t f16_magnitude(uint32_t magnitude) {
  constexpr uint32_t dropped = 13, least_normal = 113u << 23, rebias = 112u << 23;
  constexpr uint32_t beyond = 143u << 23;  // 65536
  // The sum with 1/2, whose last bit is worth the smallest subnormal, rounds there.
  const uint32_t subnormal = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f);
  const uint32_t normal = magnitude - rebias + 0xfff + (magnitude >> dropped & 1);
  const uint32_t finite =
      magnitude < least_normal ? subnormal - std::bit_cast<uint32_t>(0.5f) : normal >> dropped;
  return static_cast<uint16_t>(magnitude >= beyond ? Layout<F16>::infinity : finite);
}
inline uint16_t bf16_magnitude(uint32_t magnitude) {
  return static_cast<uint16_t>((magnitude + 0x7fff + (magnitude >> 16 & 1)) >> 16);
}

/// The nearest, ties to even.
template <class T>
inline T narrow(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t magnitude = magnitude_of<float>(bits);
  const uint16_t rounded =
      std::is_same_v<T, F16> ? f16_magnitude(magnitude) : bf16_magnitude(magnitude);
  const auto sign = static_cast<uint16_t>(bits >> 31 << 15);
  const auto number = static_cast<uint16_t>(sign | rounded);
  return static_cast<T>(pick(is_nan<float>(bits), uint16_t{Layout<T>::nan}, number));
}

/// The same, rounded once.
template <class T>
inline T narrow(double value) {
  const auto nearest = static_cast<float>(value);
  // The sign of the error counts alone: it must not become 0.
  const auto error = static_cast<float>((value - nearest) * 0x1p300);
  return narrow<T>(odd_neighbour(nearest, error));
}

}  // namespace hone::ptx

// Floats of fewer bits than float as C++ types, for data on the host. Arithmetic happens in float.
#pragma once

#include "ir/scalar/narrow_float.h"

namespace hone {

/// IEEE binary16.
struct Half {
  uint16_t bits = 0;

  Half() = default;
  /// Rounds to nearest, ties to even; too large a number becomes infinite.
  explicit Half(float value) : bits(f16_bits(value)) {}
  explicit operator float() const { return static_cast<float>(f16_value(bits)); }

  friend bool operator==(const Half&, const Half&) = default;  ///< of bits
};

/// The upper half of an IEEE binary32.
struct BFloat16 {
  uint16_t bits = 0;

  BFloat16() = default;
  /// Rounds to nearest, ties to even.
  explicit BFloat16(float value) : bits(bf16_bits(value)) {}
  explicit operator float() const { return static_cast<float>(bf16_value(bits)); }

  friend bool operator==(const BFloat16&, const BFloat16&) = default;  ///< of bits
};

/// A float of which tensor cores take the upper 19 bits. Arrays of floats may be passed as they
/// are.
struct TensorFloat32 {
  float element = 0;

  TensorFloat32() = default;
  /// Rounds to nearest, ties away from zero.
  explicit TensorFloat32(float value) : element(tf32_nearest(value)) {}
  explicit operator float() const { return tf32_value(element); }

  friend bool operator==(const TensorFloat32& lhs, const TensorFloat32& rhs) {
    return static_cast<float>(lhs) == static_cast<float>(rhs);
  }
};

/// Four bits of exponent, three of mantissa, and no infinities.
struct Float8E4M3 {
  uint8_t bits = 0;

  Float8E4M3() = default;
  /// Rounds to nearest, ties to even; what is beyond 448 becomes 448.
  explicit Float8E4M3(float value) : bits(f8e4m3_bits(value)) {}
  explicit operator float() const { return static_cast<float>(f8e4m3_value(bits)); }

  friend bool operator==(const Float8E4M3&, const Float8E4M3&) = default;  ///< of bits
};

/// The upper half of an IEEE binary16.
struct Float8E5M2 {
  uint8_t bits = 0;

  Float8E5M2() = default;
  /// Rounds to nearest, ties to even; what is beyond 57344 becomes 57344.
  explicit Float8E5M2(float value) : bits(f8e5m2_bits(value)) {}
  explicit operator float() const { return static_cast<float>(f8e5m2_value(bits)); }

  friend bool operator==(const Float8E5M2&, const Float8E5M2&) = default;  ///< of bits
};

}  // namespace hone

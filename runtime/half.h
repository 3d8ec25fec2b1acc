// The 16-bit floating-point types as C++ types, for data on the host. Arithmetic happens in float.
#pragma once

#include "ir/scalar/half.h"

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

}  // namespace hone

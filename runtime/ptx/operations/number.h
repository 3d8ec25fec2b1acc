// Numbers of any type, exact: what conversions without code of their own go through.
#pragma once

#include <cstdint>

#include "runtime/ptx/text/type.h"

namespace hone::ptx {

enum class Rounding : uint8_t { nearest, zero, down, up, away };

/// An integer or floating-point number: significand * 2^(exponent - 63), with the sign. The first
/// bit of the significand is set, unless the number is 0, which has a sign, too.
struct Number {
  enum class Kind : uint8_t { finite, infinite, nan };

  Kind kind = Kind::finite;
  bool negative = false;
  uint64_t significand = 0;
  int exponent = 0;

  bool is_zero() const { return kind == Kind::finite && significand == 0; }
};

/// The number of a type that the first bits of a register are. Any integer and floating-point type
/// that has one value in a register.
Number number_of(Type type, uint64_t bits);

/// The integer next to it, as a number.
Number integral(Number number, Rounding rounding);

/// From 0 to 1, and 0 for NaN.
Number saturated(Number number);

/// The bits of a floating-point type, rounded once. Beyond the largest number is infinity, or the
/// largest number where `is_finite` or the rounding asks for it; then that is so for infinity, too.
uint64_t real_bits(Number number, Type type, Rounding rounding, bool is_finite = false);

/// The last bits of an integer, wrapped around.
uint64_t wrapped_bits(Number number);

/// The bits of an integer type: the nearest that it has. `from` decides what NaN becomes.
uint64_t clamped_bits(Number number, Type type, Type from);

}  // namespace hone::ptx

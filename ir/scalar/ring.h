// Elements of a finite ring in the place of floats. Sums and products are exact, so a program and
// a schedule that does no more than change the order of its sums have equal results, whatever
// their inputs are: no tolerance is needed to tell such a schedule from a wrong one.
//
// The ring is that of the integers modulo 359 * 179. Both factors are prime, and 359 is
// 2 * 179 + 1: modulo 359 there are powers that repeat after 179, so that exp can turn sums into
// products, as a softmax in one pass over its row needs it. The idea is that of Mirage (Wu et al.,
// OSDI 2025), which verifies kernels so.
#pragma once

#include <cmath>

#include "ir/core/expr.h"

namespace hone {

inline constexpr int64_t ring_size = int64_t{359} * 179;
/// As many elements fit into 8 bits beside infinities and NaN.
inline constexpr int64_t byte_ring_size = 251;

/// The type of a ring's elements that has as many bytes as the float has; in a tuple, for each of
/// its floats. Other types are what they are.
DType ring_of(DType type);

/// The element that a number stands for: n / 2^k is n times the inverse of 2 as many times. So sums
/// and products of numbers lead to those of their elements. Infinities and NaN stay.
double ring_element(double number);
double ring_element(int64_t number);
/// The same of a whole number below 2^40 in magnitude, as sums and products of two elements are.
inline double ring_remainder(double whole) {
  constexpr double size = ring_size;
  const double rest = whole - size * std::floor(whole / size);
  return std::isfinite(whole) ? rest : whole;
}

/// The element of 8 bits that is left of one.
inline double byte_ring_element(double number) {
  const double element = ring_element(number);
  return std::isfinite(element) ? std::fmod(element, byte_ring_size) : element;
}

/// An element in memory: itself, and above all elements infinity, -infinity and NaN.
template <class Bits>
double ring_value(Bits bits) {
  constexpr Bits nan = ~Bits{0}, negative = nan - 1, infinity = nan - 2;
  if (bits < infinity) return bits;
  return bits == infinity ? HUGE_VAL : bits == negative ? -HUGE_VAL : NAN;
}
template <class Bits>
Bits ring_bits(double value) {
  constexpr Bits nan = ~Bits{0};
  if (std::isfinite(value)) return static_cast<Bits>(value);
  return value > 0 ? nan - 2 : value < 0 ? nan - 1 : nan;
}

/// Times the inverse; 0 has the inverse 0, modulo each of the two primes.
double ring_quotient(double lhs, double rhs);

/// A function of one element or of two.
/// - exp(a + b) is exp(a) * exp(b), and exp(-infinity) is 0.
/// - abs is the lower one of x and -x, rsqrt the inverse of sqrt; floor, ceil and round change
///   nothing.
/// - Others lead to elements that look random.
double ring_function(Intrinsic intrinsic, double x, double y = 0);

}  // namespace hone

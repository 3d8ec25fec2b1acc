#include "ir/scalar/ring.h"

#include <algorithm>
#include <cmath>

#include "ir/scalar/functions.h"

namespace hone {
namespace {

int64_t remainder(int64_t number) {
  const int64_t rest = number % ring_size;
  return rest < 0 ? rest + ring_size : rest;
}

int64_t power(int64_t base, int64_t exponent) {
  int64_t result = 1;
  for (; exponent > 0; exponent >>= 1, base = base * base % ring_size)
    if (exponent & 1) result = result * base % ring_size;
  return result;
}

/// Elements that have an inverse become 1 by as many factors: lcm(358, 178).
constexpr int64_t order = 31862;
constexpr int64_t half = (ring_size + 1) / 2;
/// 4 modulo 359, and 1 modulo 179: its powers repeat after 179.
constexpr int64_t base_of_exp = 63188;

int64_t inverse(int64_t element) { return power(element, order - 1); }

/// A step of splitmix64: all bits of the result depend on all of the state.
uint64_t mixed(uint64_t state) {
  state += 0x9e3779b97f4a7c15;
  state = (state ^ state >> 30) * 0xbf58476d1ce4e5b9;
  state = (state ^ state >> 27) * 0x94d049bb133111eb;
  return state ^ state >> 31;
}

int64_t random_element(Intrinsic intrinsic, double x, double y) {
  const auto number = static_cast<uint64_t>(intrinsic);
  const uint64_t state =
      mixed(mixed(mixed(number) + static_cast<uint64_t>(x)) + static_cast<uint64_t>(y));
  return static_cast<int64_t>(state % ring_size);
}

int64_t function_of_elements(Intrinsic intrinsic, double x, double y) {
  const auto element = static_cast<int64_t>(x);
  switch (intrinsic) {
    case Intrinsic::exp:
      return power(base_of_exp, element);
    case Intrinsic::abs:
      return std::min(element, remainder(-element));
    case Intrinsic::floor:
    case Intrinsic::ceil:
    case Intrinsic::round:
      return element;
    case Intrinsic::rsqrt:
      return inverse(random_element(Intrinsic::sqrt, x, y));
    case Intrinsic::tanh_approx:
      return random_element(Intrinsic::tanh, x, y);
    default:
      return random_element(intrinsic, x, y);
  }
}

}  // namespace

DType ring_of(DType type) {
  if (is_tuple(type)) {
    DType components[most_components] = {};
    for (unsigned n = 0; n < component_count(type); ++n)
      components[n] = ring_of(component_type(type, n));
    return tuple_of(components, component_count(type));
  }
  if (!is_float(type)) return type;
  switch (size_of(type)) {
    case 8:
      return DType::ring64;
    case 4:
      return DType::ring32;
    case 2:
      return DType::ring16;
    default:
      return DType::ring8;
  }
}

double ring_element(double number) {
  if (!std::isfinite(number)) return number;
  constexpr int bits = 53;
  int exponent = 0;
  const auto digits = static_cast<int64_t>(std::ldexp(std::frexp(number, &exponent), bits));
  const int64_t scale = exponent < bits ? power(half, bits - exponent) : power(2, exponent - bits);
  return static_cast<double>(remainder(digits) * scale % ring_size);
}

double ring_element(int64_t number) { return static_cast<double>(remainder(number)); }

double ring_quotient(double lhs, double rhs) {
  if (!std::isfinite(lhs) || !std::isfinite(rhs)) return ring_element(lhs / rhs);
  return static_cast<double>(static_cast<int64_t>(lhs) * inverse(static_cast<int64_t>(rhs)) %
                             ring_size);
}

double ring_function(Intrinsic intrinsic, double x, double y) {
  if (!std::isfinite(x) || !std::isfinite(y)) return ring_element(function_of(intrinsic, x, y));
  return static_cast<double>(function_of_elements(intrinsic, x, y));
}

}  // namespace hone

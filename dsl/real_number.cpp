#include "dsl/real_number.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

using Wide = unsigned __int128;

constexpr uint64_t prime = (uint64_t{1} << 61) - 1;

uint64_t sum(uint64_t lhs, uint64_t rhs) { return (lhs + rhs) % prime; }
uint64_t product(uint64_t lhs, uint64_t rhs) {
  return static_cast<uint64_t>(static_cast<Wide>(lhs) * rhs % prime);
}
uint64_t negated(uint64_t residue) { return (prime - residue) % prime; }

uint64_t power(uint64_t base, uint64_t exponent) {
  uint64_t result = 1;
  for (; exponent != 0; exponent /= 2, base = product(base, base))
    if (exponent % 2 != 0) result = product(result, base);
  return result;
}

/// By Fermat; of what is not 0.
uint64_t inverse(uint64_t residue) { return power(residue, prime - 2); }

uint64_t residue_of(int64_t value) {
  const auto magnitude = value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  return value < 0 ? negated(magnitude % prime) : magnitude % prime;
}

/// The largest distance of two approximations of one number, in parts of their magnitude.
constexpr long double error = 1e-12L;

}  // namespace

RealNumber RealNumber::of(int64_t value) {
  return {static_cast<long double>(value), residue_of(value)};
}

RealNumber RealNumber::of(double value) {
  if (!std::isfinite(value)) return approximate(value);
  constexpr int digits = 53;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  const uint64_t mantissa = residue_of(static_cast<int64_t>(std::ldexp(fraction, digits)));
  exponent -= digits;
  const uint64_t scale = power(2, static_cast<uint64_t>(std::abs(exponent)));
  return {value, product(mantissa, exponent < 0 ? inverse(scale) : scale)};
}

RealNumber RealNumber::operator-() const {
  return {-value_, residue_ ? std::optional(negated(*residue_)) : std::nullopt};
}

RealNumber operator+(const RealNumber& lhs, const RealNumber& rhs) {
  const long double value = lhs.value_ + rhs.value_;
  if (!lhs.residue_ || !rhs.residue_) return RealNumber::approximate(value);
  return {value, sum(*lhs.residue_, *rhs.residue_)};
}

RealNumber operator*(const RealNumber& lhs, const RealNumber& rhs) {
  const long double value = lhs.value_ * rhs.value_;
  if (!lhs.residue_ || !rhs.residue_) return RealNumber::approximate(value);
  return {value, product(*lhs.residue_, *rhs.residue_)};
}

RealNumber operator/(const RealNumber& lhs, const RealNumber& rhs) {
  // Terms that cancel in full leave an approximation that is almost 0.
  if (rhs.residue_ == 0) return RealNumber::approximate(lhs.value_ / 0.0L);
  const long double value = lhs.value_ / rhs.value_;
  if (!lhs.residue_ || !rhs.residue_) return RealNumber::approximate(value);
  return {value, product(*lhs.residue_, inverse(*rhs.residue_))};
}

bool RealNumber::is_same(const RealNumber& other, long double magnitude) const {
  if (residue_ && other.residue_) return *residue_ == *other.residue_;
  if (std::isinf(value_) || std::isinf(other.value_)) return value_ == other.value_;
  const long double largest = std::max({magnitude, std::fabs(value_), std::fabs(other.value_)});
  return std::fabs(value_ - other.value_) <= error * largest;
}

}  // namespace hone

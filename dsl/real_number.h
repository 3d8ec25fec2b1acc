// Real numbers, not rounded: whether two results of an operator are the same is no question of
// digits.
#pragma once

#include <cstdint>
#include <optional>

namespace hone {

/// A number is known by its residue modulo a large prime, and ordered by an approximation. Sums,
/// products and quotients of numbers with residues have one too: two such numbers are equal where
/// their residues are, but for a chance of one in 10^18. Results of exp and its like have none, and
/// are as good as their approximation. Infinities and NaN are approximations alone.
class RealNumber {
 public:
  static RealNumber of(double value);
  static RealNumber of(int64_t value);
  static RealNumber approximate(long double value) { return {value, std::nullopt}; }

  long double value() const { return value_; }
  bool is_exact() const { return residue_.has_value(); }

  RealNumber operator-() const;
  friend RealNumber operator+(const RealNumber& lhs, const RealNumber& rhs);
  friend RealNumber operator-(const RealNumber& lhs, const RealNumber& rhs) { return lhs + -rhs; }
  friend RealNumber operator*(const RealNumber& lhs, const RealNumber& rhs);
  friend RealNumber operator/(const RealNumber& lhs, const RealNumber& rhs);

  /// Approximations are the same where they differ by no more than their errors may, in numbers of
  /// that magnitude. NaN is the same as nothing.
  bool is_same(const RealNumber& other, long double magnitude = 0) const;
  bool is_less(const RealNumber& other) const { return value_ < other.value_ && !is_same(other); }

 private:
  RealNumber(long double value, std::optional<uint64_t> residue)
      : value_(value), residue_(residue) {}

  long double value_;
  std::optional<uint64_t> residue_;
};

}  // namespace hone

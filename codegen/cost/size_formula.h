// Counts as formulas of the sizes: K/64, 2*K + 1.
#pragma once

#include <optional>
#include <string>

#include "ir/algebra/polynomial.h"
#include "ir/interpret/buffer.h"

namespace hone {

/// A quotient of polynomials over params. It is right if every size is a multiple of its divisors,
/// numbers or other sizes: then x / c and (x + c - 1) / c are the fraction x/c,
/// and x % c is 0. Constants are exact: 300 / 128 is 2.
class SizeFormula {
 public:
  SizeFormula(int64_t value = 0) : numerator_(value) {}
  static SizeFormula fraction(int64_t numerator, int64_t denominator);
  /// Of an index expression over params.
  static SizeFormula of(const Expr& expr);

  SizeFormula operator+(const SizeFormula& other) const;
  SizeFormula operator-(const SizeFormula& other) const;
  SizeFormula operator*(const SizeFormula& other) const;
  /// `other` is not 0.
  SizeFormula operator/(const SizeFormula& other) const;
  SizeFormula& operator+=(const SizeFormula& other) { return *this = *this + other; }
  SizeFormula& operator*=(const SizeFormula& other) { return *this = *this * other; }
  bool operator==(const SizeFormula&) const = default;

  bool is_zero() const { return numerator_.is_zero(); }
  /// The value where no param is left and it is whole.
  std::optional<int64_t> constant() const;
  /// The value for these sizes. Throws std::invalid_argument where one is missing.
  double at(const Sizes& sizes) const;

  const Polynomial& numerator() const { return numerator_; }
  const Polynomial& denominator() const { return denominator_; }

 private:
  SizeFormula(Polynomial numerator, Polynomial denominator);

  // Without a common factor that is a number or an atom; the denominator's last coefficient is
  // positive.
  Polynomial numerator_, denominator_ = 1;
};

/// "2*K + 1", "5*K/4", "M*N/(K + 1)"; the highest powers first.
std::string to_string(const SizeFormula& formula);

}  // namespace hone

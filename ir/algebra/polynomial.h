// Normal form of index arithmetic, for proofs: an integer polynomial over atoms. Atoms are axes,
// params, thread indices, and whatever is not a sum or a product (x / c, x % c, min, max, select, a
// load). Two expressions with equal polynomials are equal; nothing here is printed to users.
#pragma once

#include <optional>

#include "ir/algebra/factors.h"
#include "ir/algebra/facts.h"
#include "llvm/ADT/SmallVector.h"

namespace hone {

class Polynomial {
 public:
  /// coefficient * atoms[0] * atoms[1]...; the coefficient is not 0, the atoms are sorted.
  struct Term {
    int64_t coefficient = 0;
    Factors atoms;
  };
  struct Linear;

  Polynomial(int64_t constant = 0);
  explicit Polynomial(const Term& term);
  /// The normal form of an index expression.
  static Polynomial of(const Expr& expr);
  static Polynomial atom(const Expr& expr);

  /// If a coefficient would leave 64 bits, the operation itself becomes an atom.
  Polynomial operator+(const Polynomial& other) const;
  Polynomial& operator+=(const Polynomial& other);
  Polynomial operator-(const Polynomial& other) const;
  Polynomial operator*(const Polynomial& other) const;
  bool operator==(const Polynomial& other) const;

  bool is_zero() const { return terms_.empty(); }
  std::optional<int64_t> constant() const;  ///< the value where no atom is left
  /// True if `axis` occurs, also inside an opaque atom.
  bool mentions(const AxisNode* axis) const;

  /// coefficient * axis + rest, neither of which mentions the axis; nothing where it is not linear
  /// in the axis.
  std::optional<Linear> linear_in(const AxisNode* axis) const;

  /// The factors of atom^0, atom^1, ... as far as they occur; other atoms may mention `atom` too.
  llvm::SmallVector<Polynomial, 2> powers_of(const Expr& atom) const;

  /// Sorted by their atoms, the constant first.
  llvm::ArrayRef<Term> terms() const { return terms_; }

  Expr to_expr() const;

 private:
  static Polynomial of_sum(const Binary& binary);
  bool add(Term term);
  template <class Terms>
  bool append(Terms terms, int64_t factor);
  template <class Terms>
  bool append_sum(Terms lhs, Terms rhs, int64_t sign);
  bool append_product(const Polynomial& lhs, const Polynomial& rhs);
  bool collect();
  static Polynomial opaque(BinaryOp op, const Polynomial& lhs, const Polynomial& rhs);

  llvm::SmallVector<Term, 4> terms_;
};

struct Polynomial::Linear {
  Polynomial coefficient, rest;
};

/// powers[0] + powers[1] * value + powers[2] * value * value...; at least one.
Polynomial evaluated(llvm::ArrayRef<Polynomial> powers, const Polynomial& value);

/// True if `axis` occurs in `expr`.
bool mentions(const Expr& expr, const AxisNode* axis);

/// The largest (smallest) value over all values of the axes that `facts` bounds, as a polynomial
/// over params and unbounded axes; nothing where none is found.
std::optional<Polynomial> upper_bound(const Polynomial& value, const Facts& facts);
std::optional<Polynomial> lower_bound(const Polynomial& value, const Facts& facts);

/// True if `value` >= 0 is proved for all axes within their ranges, params >= 0 (and >= 1 where an
/// extent of `facts` says so), and the conditions of `facts`. False means not proved.
bool proves_non_negative(const Polynomial& value, const Facts& facts);

}  // namespace hone

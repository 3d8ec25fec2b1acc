// Index arithmetic as a person writes it: a linear combination of products, in order of first
// appearance, the constant last. Unlike a polynomial, a product with an unknown factor stays
// factored: (i*32 + j)*K.
#pragma once

#include "ir/algebra/factors.h"
#include "ir/algebra/interval.h"

namespace hone {

/// coefficient * factors[0] * factors[1]...; no factor is a constant or a product.
struct Product {
  int64_t coefficient = 1;
  Factors factors = {};
  /// The number of factors before the coefficient: 1 in i*32*K; 0: all.
  unsigned coefficient_at = 0;

  bool is_constant() const { return factors.empty(); }
  bool is_one() const { return is_constant() && coefficient == 1; }
  Expr to_expr() const;
};

/// The same factors, in any order.
bool alike(const Product& lhs, const Product& rhs);

/// Nothing where a coefficient does not fit into 64 bits.
std::optional<Product> multiplied(const Product& lhs, const Product& rhs);

/// `product` with `value` in the place of factor n.
std::optional<Product> replaced(const Product& product, size_t n, const Product& value);

/// dividend / divisor where the factors and the coefficient of the divisor divide it.
std::optional<Product> divided(const Product& dividend, const Product& divisor);

class Sum {
 public:
  Sum(int64_t constant = 0) : constant_(constant) {}
  explicit Sum(Product product);
  /// A single factor: no constant, product or sum.
  static Sum leaf(const Expr& factor);

  /// The sum that a simplified expression spells.
  static Sum of(const Expr& expr);
  /// The product multiplied out where it is a number times a sum; nothing where a coefficient does
  /// not fit into 64 bits.
  static std::optional<Sum> of(const Product& product);

  llvm::ArrayRef<Product> terms() const { return terms_; }
  int64_t constant() const { return constant_; }
  bool is_constant() const { return terms_.empty(); }
  bool is_zero() const { return terms_.empty() && constant_ == 0; }
  /// The only term, where there is one and no constant.
  const Product* single() const;
  /// The sum as one product: a constant, a single term, or itself as a factor.
  Product as_product() const;

  /// Adds scale * other; false, and unchanged, where a coefficient does not fit into 64 bits.
  [[nodiscard]] bool add(const Sum& other, int64_t scale = 1);
  /// Multiplies by a factor that is not 0; false, and unchanged, where a coefficient does not fit
  /// into 64 bits.
  [[nodiscard]] bool scale(int64_t factor);
  /// `value` in the place of the terms n and m, the first of them; nothing where a coefficient
  /// does not fit into 64 bits.
  std::optional<Sum> replaced(size_t n, size_t m, const Sum& value) const;

  Expr to_expr() const;

 private:
  bool add(const Product& product, int64_t scale);

  llvm::SmallVector<Product, 3> terms_;
  int64_t constant_ = 0;
};

/// Reads sums off expressions; anything but a sum or a product is a leaf.
class SumReader {
 public:
  virtual ~SumReader() = default;
  Sum read(const Expr& expr);

 protected:
  virtual Sum leaf(const Expr& expr) { return Sum::leaf(expr); }
  /// Called on a sum that becomes a factor.
  virtual void finish(Sum&) {}

 private:
  Sum read_sum(const Binary& sum);
  Sum read_negation(const Unary& negation);
  Sum read_product(const Expr& lhs, const Expr& rhs);
};

Interval interval_of(const Sum& sum, const Facts& facts);
bool proves_non_negative(const Sum& sum, const Facts& facts);

}  // namespace hone

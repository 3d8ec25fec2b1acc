#include "ir/algebra/sum.h"

#include <limits>

#include "ir/traverse/order.h"

namespace hone {
namespace {

constexpr int64_t least_coefficient = std::numeric_limits<int64_t>::min();

/// Without its sign, unless that does not fit.
Product magnitude(const Product& product) {
  Product result = product;
  if (product.coefficient < 0 && product.coefficient != least_coefficient) result.coefficient *= -1;
  return result;
}

bool prints_minus(int64_t coefficient) {
  return coefficient < 0 && coefficient != least_coefficient;
}

}  // namespace

// ---- Product ------------------------------------------------------------------------------------

Expr Product::to_expr() const {
  if (is_constant()) return Expr(coefficient);
  const size_t place = coefficient_at == 0 ? factors.size() : coefficient_at;
  Expr result;
  for (size_t n = 0; n < factors.size(); ++n) {
    result = result.defined() ? result * factors[n] : factors[n];
    if (n + 1 == place && coefficient != 1) result = result * coefficient;
  }
  return result;
}

bool alike(const Product& lhs, const Product& rhs) {
  if (lhs.factors.size() != rhs.factors.size()) return false;
  if (lhs.factors.size() == 1) return is_same(lhs.factors[0], rhs.factors[0]);
  return divided({1, lhs.factors}, {1, rhs.factors}).has_value();
}

std::optional<Product> multiplied(const Product& lhs, const Product& rhs) {
  Product result;
  if (__builtin_mul_overflow(lhs.coefficient, rhs.coefficient, &result.coefficient))
    return std::nullopt;
  result.factors = lhs.factors;
  result.factors.insert(lhs.factors.size(), rhs.factors);
  const auto place = [](const Product& product) {
    return product.coefficient_at == 0 ? product.factors.size() : product.coefficient_at;
  };
  const bool is_left = lhs.coefficient != 1 && lhs.coefficient != -1;
  const size_t before = is_left ? place(lhs) : lhs.factors.size() + place(rhs);
  result.coefficient_at = before == result.factors.size() ? 0 : static_cast<unsigned>(before);
  return result;
}

std::optional<Product> replaced(const Product& product, size_t n, const Product& value) {
  Product result = product;
  if (__builtin_mul_overflow(product.coefficient, value.coefficient, &result.coefficient))
    return std::nullopt;
  result.factors.erase(result.factors.begin() + n);
  result.factors.insert(n, value.factors);
  result.coefficient_at = 0;
  return result;
}

std::optional<Product> divided(const Product& dividend, const Product& divisor) {
  if (divisor.coefficient <= 0 || dividend.coefficient % divisor.coefficient != 0)
    return std::nullopt;
  Product result = dividend;
  result.coefficient /= divisor.coefficient;
  for (const Expr& factor : divisor.factors) {
    const Expr* found = result.factors.find(factor);
    if (found == result.factors.end()) return std::nullopt;
    result.factors.erase(found);
    result.coefficient_at = 0;
  }
  return result;
}

// ---- Sum ----------------------------------------------------------------------------------------

Sum::Sum(Product product) {
  if (product.is_constant())
    constant_ = product.coefficient;
  else if (product.coefficient != 0)
    terms_.push_back(std::move(product));
}

Sum Sum::leaf(const Expr& factor) {
  Sum result;
  result.terms_.emplace_back().factors = factor;
  return result;
}

Sum Sum::of(const Expr& expr) { return SumReader().read(expr); }

std::optional<Sum> Sum::of(const Product& product) {
  if (product.factors.size() != 1) return Sum(product);
  Sum result;
  if (!result.add(of(product.factors[0]), product.coefficient)) return std::nullopt;
  return result;
}

const Product* Sum::single() const {
  return constant_ == 0 && terms_.size() == 1 ? &terms_.front() : nullptr;
}

Product Sum::as_product() const {
  if (is_constant()) return {constant_};
  if (const Product* product = single()) return *product;
  return {1, {to_expr()}};
}

bool Sum::add(const Sum& other, int64_t scale) {
  if (const Product* product = other.single()) return add(*product, scale);
  int64_t constant = 0;
  if (__builtin_mul_overflow(other.constant_, scale, &constant) ||
      __builtin_add_overflow(constant_, constant, &constant))
    return false;
  if (!other.is_constant()) {
    Sum result = *this;
    for (const Product& term : other.terms_)
      if (!result.add(term, scale)) return false;
    terms_ = std::move(result.terms_);
  }
  constant_ = constant;
  return true;
}

bool Sum::scale(int64_t factor) {
  const auto fits = [&](int64_t value) { return !__builtin_mul_overflow(value, factor, &value); };
  if (!fits(constant_) ||
      !llvm::all_of(terms_, [&](const Product& term) { return fits(term.coefficient); }))
    return false;
  constant_ *= factor;
  for (Product& term : terms_) term.coefficient *= factor;
  return true;
}

bool Sum::add(const Product& product, int64_t scale) {
  int64_t coefficient = 0;
  if (__builtin_mul_overflow(product.coefficient, scale, &coefficient)) return false;
  auto* like = llvm::find_if(terms_, [&](const Product& term) { return alike(term, product); });
  if (like == terms_.end()) {
    if (coefficient == 0) return true;
    terms_.push_back(product);
    terms_.back().coefficient = coefficient;
    return true;
  }
  if (__builtin_add_overflow(like->coefficient, coefficient, &like->coefficient)) return false;
  if (like->coefficient == 0) terms_.erase(like);
  return true;
}

std::optional<Sum> Sum::replaced(size_t n, size_t m, const Sum& value) const {
  Sum result(constant_);
  for (size_t place = 0; place < terms_.size(); ++place) {
    if (place == std::min(n, m) && !result.add(value)) return std::nullopt;
    if (place != n && place != m && !result.add(terms_[place], 1)) return std::nullopt;
  }
  return result;
}

namespace {

/// sum + term, where a null sum is 0.
Expr with_product(const Expr& sum, const Product& term) {
  const Expr value = magnitude(term).to_expr();
  if (!prints_minus(term.coefficient)) return sum.defined() ? sum + value : value;
  if (sum.defined()) return sum - value;
  return term.is_constant() ? Expr(term.coefficient) : -value;
}

}  // namespace

Expr Sum::to_expr() const {
  // x - y reads better than -y + x, and 5 - x than -x + 5.
  const auto* first =
      llvm::find_if(terms_, [](const Product& term) { return !prints_minus(term.coefficient); });
  const bool is_constant_first = first == terms_.end() && constant_ > 0;
  Expr sum;
  if (is_constant_first) sum = with_product(sum, {constant_});
  if (first != terms_.end()) sum = with_product(sum, *first);
  for (const Product& term : terms_)
    if (&term != first) sum = with_product(sum, term);
  if (constant_ != 0 && !is_constant_first) sum = with_product(sum, {constant_});
  return sum.defined() ? sum : Expr(0);
}

// ---- Reading ------------------------------------------------------------------------------------

Sum SumReader::read(const Expr& expr) {
  if (const auto value = as_int(expr)) return *value;
  if (const auto* negation = llvm::dyn_cast<Unary>(expr)) return read_negation(*negation);
  const auto* binary = llvm::dyn_cast<Binary>(expr);
  if (!binary) return leaf(expr);
  if (binary->op == BinaryOp::mul) return read_product(binary->lhs, binary->rhs);
  if (binary->op != BinaryOp::add && binary->op != BinaryOp::sub) return leaf(expr);
  return read_sum(*binary);
}

Sum SumReader::read_sum(const Binary& binary) {
  Sum sum = read(binary.lhs);
  const Sum rhs = read(binary.rhs);
  if (!sum.add(rhs, binary.op == BinaryOp::add ? 1 : -1))
    sum = Sum::leaf(Binary::make(binary.op, sum.to_expr(), rhs.to_expr()));
  return sum;
}

Sum SumReader::read_negation(const Unary& negation) {
  Sum sum;
  if (!sum.add(read(negation.operand), -1))
    sum = Sum::leaf(Unary::make(negation.op, negation.operand));
  return sum;
}

Sum SumReader::read_product(const Expr& lhs, const Expr& rhs) {
  Sum left = read(lhs), right = read(rhs);
  if (left.is_zero() || right.is_zero()) return 0;
  if (right.is_constant() && left.scale(right.constant())) return left;
  if (left.is_constant() && right.scale(left.constant())) return right;
  finish(left);
  finish(right);
  if (!left.is_constant() && !right.is_constant())
    if (auto product = multiplied(left.as_product(), right.as_product())) return Sum(*product);
  return Sum::leaf(left.to_expr() * right.to_expr());
}

// ---- Proofs -------------------------------------------------------------------------------------

Interval interval_of(const Sum& sum, const Facts& facts) {
  Interval result{sum.constant(), sum.constant()};
  for (const Product& term : sum.terms()) {
    Interval product{term.coefficient, term.coefficient};
    for (const Expr& factor : term.factors) product = product * interval_of(factor, facts);
    result = result + product;
  }
  return result;
}

namespace {

Polynomial polynomial_of(const Product& product) {
  Polynomial result = Polynomial::of(product.factors.front());
  for (const Expr& factor : llvm::drop_begin(product.factors))
    result = result * Polynomial::of(factor);
  return product.coefficient == 1 ? std::move(result) : result * product.coefficient;
}

Polynomial polynomial_of(const Sum& sum) {
  Polynomial result(sum.constant());
  for (const Product& term : sum.terms()) result += polynomial_of(term);
  return result;
}

/// True if the sum takes the ends of its interval: each axis has its own term and a constant
/// extent, and no condition cuts iterations off.
bool has_exact_interval(const Sum& sum, const Facts& facts) {
  if (!facts.conditions().empty()) return false;
  return llvm::all_of(sum.terms(), [&](const Product& term) {
    const auto* axis = llvm::dyn_cast<AxisRef>(term.factors[0]);
    const Expr extent = axis && term.factors.size() == 1 ? facts.extent(axis->axis.get()) : Expr();
    return extent.defined() && as_int(extent);
  });
}

}  // namespace

bool proves_non_negative(const Sum& sum, const Facts& facts) {
  const Interval interval = interval_of(sum, facts);
  if (interval.is_non_negative()) return true;
  if (interval.high < 0 || has_exact_interval(sum, facts)) return false;
  return proves_non_negative(polynomial_of(sum), facts);
}

}  // namespace hone

#include "ir/algebra/polynomial.h"

#include <cstdlib>
#include <limits>

#include "ir/traverse/order.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

using Term = Polynomial::Term;

// The least integer has no negation: a coefficient that becomes one does not fit.
constexpr int64_t least = std::numeric_limits<int64_t>::min();

bool mul_overflows(int64_t lhs, int64_t rhs, int64_t& product) {
  return __builtin_mul_overflow(lhs, rhs, &product) || product == least;
}

bool add_overflows(int64_t lhs, int64_t rhs, int64_t& sum) {
  return __builtin_add_overflow(lhs, rhs, &sum) || sum == least;
}

/// Of terms, in one product of polynomials: powers of sums would have too many to be worth it.
constexpr size_t most_products = 1024;

int compare_atoms(llvm::ArrayRef<Expr> lhs, llvm::ArrayRef<Expr> rhs) {
  for (auto [left, right] : llvm::zip(lhs, rhs))
    if (const int order = compare(left, right)) return order;
  return static_cast<int>(lhs.size()) - static_cast<int>(rhs.size());
}

bool is_before(const Term& lhs, const Term& rhs) { return compare_atoms(lhs.atoms, rhs.atoms) < 0; }

/// Nothing where the coefficient does not fit.
std::optional<Term> product(const Term& lhs, const Term& rhs) {
  Term result;
  if (mul_overflows(lhs.coefficient, rhs.coefficient, result.coefficient)) return std::nullopt;
  if (lhs.atoms.empty() || rhs.atoms.empty()) {
    result.atoms = lhs.atoms.empty() ? rhs.atoms : lhs.atoms;
    return result;
  }
  llvm::SmallVector<Expr, 4> atoms(lhs.atoms.size() + rhs.atoms.size());
  std::merge(lhs.atoms.begin(), lhs.atoms.end(), rhs.atoms.begin(), rhs.atoms.end(), atoms.begin(),
             [](const Expr& left, const Expr& right) { return compare(left, right) < 0; });
  result.atoms = Factors(atoms);
  return result;
}

}  // namespace

Polynomial::Polynomial(int64_t constant) {
  if (constant == least)
    *this = atom(Expr(constant));
  else if (constant != 0)
    terms_.push_back({constant, {}});
}

Polynomial::Polynomial(const Term& term) {
  assert(term.coefficient != 0 && "a term that is not there");
  terms_.push_back(term);
}

Polynomial Polynomial::atom(const Expr& expr) {
  Polynomial result;
  Term& term = result.terms_.emplace_back();
  term.coefficient = 1;
  term.atoms = expr;
  return result;
}

Polynomial Polynomial::of(const Expr& expr) {
  assert(expr.type() == DType::index && "only index arithmetic is exact");
  if (const auto value = as_int(expr)) return *value;
  if (const auto* unary = llvm::dyn_cast<Unary>(expr)) return Polynomial() - of(unary->operand);
  const auto* binary = llvm::dyn_cast<Binary>(expr);
  if (!binary) return atom(expr);
  switch (binary->op) {
    case BinaryOp::add:
    case BinaryOp::sub:
      return of_sum(*binary);
    case BinaryOp::mul:
      return of(binary->lhs) * of(binary->rhs);
    default:
      return atom(expr);
  }
}

/// The next term of a long sum goes to its place, and the others stay where they are.
Polynomial Polynomial::of_sum(const Binary& binary) {
  const int64_t sign = binary.op == BinaryOp::add ? 1 : -1;
  Polynomial lhs = of(binary.lhs), rhs = of(binary.rhs), sum;
  if (rhs.terms_.size() == 1) {
    rhs.terms_.front().coefficient *= sign;
    if (lhs.add(std::move(rhs.terms_.front()))) return lhs;
  } else if (sum.append_sum<llvm::MutableArrayRef<Term>>(lhs.terms_, rhs.terms_, sign)) {
    return sum;
  }
  return opaque(binary.op, of(binary.lhs), of(binary.rhs));
}

/// Adds a term; false, and unchanged, where the coefficient does not fit.
bool Polynomial::add(Term term) {
  auto* place = llvm::lower_bound(terms_, term, is_before);
  if (place == terms_.end() || is_before(term, *place)) {
    terms_.insert(place, std::move(term));
    return true;
  }
  if (add_overflows(place->coefficient, term.coefficient, term.coefficient)) return false;
  place->coefficient = term.coefficient;
  if (place->coefficient == 0) terms_.erase(place);
  return true;
}

/// Appends `factor` times the terms, which are moved where they may be; false where a coefficient
/// does not fit.
template <class Terms>
bool Polynomial::append(Terms terms, int64_t factor) {
  for (auto& term : terms) {
    terms_.push_back(std::move(term));
    int64_t& coefficient = terms_.back().coefficient;
    if (mul_overflows(coefficient, factor, coefficient)) return false;
  }
  return true;
}

/// Appends lhs + sign*rhs, where `sign` is 1 or -1, to a polynomial without terms.
template <class Terms>
bool Polynomial::append_sum(Terms lhs, Terms rhs, int64_t sign) {
  while (!lhs.empty() && !rhs.empty()) {
    auto &left = lhs.front(), &right = rhs.front();
    const int order = compare_atoms(left.atoms, right.atoms);
    int64_t scaled = 0, sum = order > 0 ? 0 : left.coefficient;
    if (order >= 0 &&
        (mul_overflows(right.coefficient, sign, scaled) || add_overflows(sum, scaled, sum)))
      return false;
    if (sum != 0) {
      terms_.push_back(std::move(order > 0 ? right : left));
      terms_.back().coefficient = sum;
    }
    if (order <= 0) lhs = lhs.drop_front();
    if (order >= 0) rhs = rhs.drop_front();
  }
  return append(lhs, 1) && append(rhs, sign);
}

/// Adds lhs * rhs to a polynomial without terms; false where a coefficient does not fit, or there
/// would be too many terms.
bool Polynomial::append_product(const Polynomial& lhs, const Polynomial& rhs) {
  if (const auto factor = rhs.constant(); factor && *factor != 0)
    return append(lhs.terms(), *factor);
  if (const auto factor = lhs.constant(); factor && *factor != 0)
    return append(rhs.terms(), *factor);
  if (lhs.terms_.size() * rhs.terms_.size() > most_products) return false;
  for (const Term& left : lhs.terms_)
    for (const Term& right : rhs.terms_) {
      auto term = product(left, right);
      if (!term) return false;
      terms_.push_back(std::move(*term));
    }
  return collect();
}

/// Sorts the terms and joins those of the same atoms; false where a coefficient does not fit.
bool Polynomial::collect() {
  llvm::stable_sort(terms_, is_before);
  auto* last = terms_.begin();
  for (auto* term = terms_.begin(); term != terms_.end(); ++term) {
    const bool joins = last != terms_.begin() && compare_atoms(last[-1].atoms, term->atoms) == 0;
    if (!joins && last != term) *last = std::move(*term);
    if (!joins) ++last;
    int64_t& sum = last[-1].coefficient;
    if (joins && add_overflows(sum, term->coefficient, sum)) return false;
  }
  terms_.erase(last, terms_.end());
  llvm::erase_if(terms_, [](const Term& term) { return term.coefficient == 0; });
  return true;
}

Polynomial Polynomial::opaque(BinaryOp op, const Polynomial& lhs, const Polynomial& rhs) {
  const auto left = lhs.constant(), right = rhs.constant();
  int64_t value = 0;
  const bool fits = left && right && op != BinaryOp::mul &&
                    !(op == BinaryOp::add ? __builtin_add_overflow(*left, *right, &value)
                                          : __builtin_sub_overflow(*left, *right, &value));
  if (fits) return value;
  return atom(Binary::make(op, lhs.to_expr(), rhs.to_expr()));
}

Polynomial Polynomial::operator+(const Polynomial& other) const {
  Polynomial sum;
  if (!sum.append_sum(terms(), other.terms(), 1)) sum = opaque(BinaryOp::add, *this, other);
  return sum;
}

Polynomial& Polynomial::operator+=(const Polynomial& other) {
  if (other.terms_.size() != 1 || !add(other.terms_.front())) *this = *this + other;
  return *this;
}

Polynomial Polynomial::operator-(const Polynomial& other) const {
  Polynomial difference;
  if (!difference.append_sum(terms(), other.terms(), -1))
    difference = opaque(BinaryOp::sub, *this, other);
  return difference;
}

Polynomial Polynomial::operator*(const Polynomial& other) const {
  Polynomial result;
  if (!result.append_product(*this, other)) result = opaque(BinaryOp::mul, *this, other);
  return result;
}

bool Polynomial::operator==(const Polynomial& other) const {
  if (terms_.size() != other.terms_.size()) return false;
  for (auto [left, right] : llvm::zip(terms_, other.terms_))
    if (left.coefficient != right.coefficient || compare_atoms(left.atoms, right.atoms) != 0)
      return false;
  return true;
}

std::optional<int64_t> Polynomial::constant() const {
  if (terms_.empty()) return 0;
  if (terms_.size() > 1 || !terms_.front().atoms.empty()) return std::nullopt;
  return terms_.front().coefficient;
}

bool mentions(const Expr& expr, const AxisNode* axis) {
  return any_of(expr, [&](const Expr& part) {
    const auto* reference = llvm::dyn_cast<AxisRef>(part);
    return reference && reference->axis.get() == axis;
  });
}

bool Polynomial::mentions(const AxisNode* axis) const {
  return llvm::any_of(terms_, [&](const Term& term) {
    return llvm::any_of(term.atoms, [&](const Expr& atom) { return hone::mentions(atom, axis); });
  });
}

std::optional<Polynomial::Linear> Polynomial::linear_in(const AxisNode* axis) const {
  Linear linear;
  for (const Term& term : terms_) {
    const auto occurs = [&](const Expr& atom) { return hone::mentions(atom, axis); };
    const auto* found = llvm::find_if(term.atoms, occurs);
    if (found == term.atoms.end()) {
      linear.rest.terms_.push_back(term);
      continue;
    }
    if (!llvm::isa<AxisRef>(*found)) return std::nullopt;
    Term factor = term;
    factor.atoms.erase(factor.atoms.begin() + (found - term.atoms.begin()));
    if (llvm::any_of(factor.atoms, occurs)) return std::nullopt;
    if (!linear.coefficient.add(std::move(factor))) return std::nullopt;
  }
  return linear;
}

llvm::SmallVector<Polynomial, 2> Polynomial::powers_of(const Expr& atom) const {
  llvm::SmallVector<Polynomial, 2> powers(1);
  for (const Term& term : terms_) {
    Term factor = term;
    size_t power = 0;
    for (const Expr* found = nullptr; (found = factor.atoms.find(atom)) != factor.atoms.end();
         ++power)
      factor.atoms.erase(found);
    if (powers.size() <= power) powers.resize(power + 1);
    [[maybe_unused]] const bool fits = powers[power].add(std::move(factor));
    assert(fits && "terms of one power differ in their other atoms");
  }
  return powers;
}

Polynomial evaluated(llvm::ArrayRef<Polynomial> powers, const Polynomial& value) {
  Polynomial result = powers.back();
  for (const Polynomial& power : llvm::reverse(powers.drop_back())) result = result * value + power;
  return result;
}

namespace {

/// The term without its sign.
Expr magnitude(const Term& term) {
  Expr result;
  for (const bool is_number : {false, true})  // an atom that is a number stands last
    for (const Expr& atom : term.atoms)
      if (llvm::isa<IntConst>(atom) == is_number) result = result.defined() ? result * atom : atom;
  const int64_t coefficient = std::abs(term.coefficient);
  if (!result.defined()) return Expr(coefficient);
  return coefficient == 1 ? result : result * coefficient;
}

Expr appended(const Expr& sum, const Term& term) {
  if (term.coefficient > 0) return sum.defined() ? sum + magnitude(term) : magnitude(term);
  if (sum.defined()) return sum - magnitude(term);
  return term.atoms.empty() ? Expr(term.coefficient) : -magnitude(term);
}

}  // namespace

/// Larger coefficients stand first, whatever the names: in sums of digits, the outer ones.
Expr Polynomial::to_expr() const {
  llvm::SmallVector<Term, 4> terms(terms_);
  llvm::stable_sort(terms, [](const Term& lhs, const Term& rhs) {
    return std::abs(lhs.coefficient) > std::abs(rhs.coefficient);
  });
  Expr sum;
  for (const bool positive : {true, false})
    for (const Term& term : terms)
      if (!term.atoms.empty() && (term.coefficient > 0) == positive) sum = appended(sum, term);
  if (!terms_.empty() && terms_.front().atoms.empty()) sum = appended(sum, terms_.front());
  return sum.defined() ? sum : Expr(0);
}

}  // namespace hone

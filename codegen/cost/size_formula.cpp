#include "codegen/cost/size_formula.h"

#include <numeric>

#include "ir/interpret/interpreter.h"
#include "ir/text/operators.h"
#include "ir/text/printer.h"
#include "ir/traverse/equal.h"

namespace hone {
namespace {

using FormulaTerm = Polynomial::Term;

/// The largest divisor of all coefficients, negative where the last one is. Not of 0.
int64_t signed_divisor(const Polynomial& polynomial) {
  int64_t divisor = 0;
  for (const FormulaTerm& term : polynomial.terms()) divisor = std::gcd(divisor, term.coefficient);
  return polynomial.terms().back().coefficient < 0 ? -divisor : divisor;
}

/// Every term without `atom`, where all have it, and its coefficient without `divisor`.
Polynomial divided(const Polynomial& polynomial, int64_t divisor, const Expr& atom = {}) {
  Polynomial result;
  for (FormulaTerm term : polynomial.terms()) {
    term.coefficient /= divisor;
    if (atom.defined()) term.atoms.erase(term.atoms.find(atom));
    result = result + Polynomial(term);
  }
  return result;
}

bool has_in_all_terms(const Polynomial& polynomial, const Expr& atom) {
  return llvm::all_of(polynomial.terms(), [&](const FormulaTerm& term) {
    return llvm::any_of(term.atoms, [&](const Expr& other) { return equal(other, atom); });
  });
}

/// An atom that both are multiples of; undefined where there is none.
Expr common_atom(const Polynomial& lhs, const Polynomial& rhs) {
  for (const Expr& atom : lhs.terms().front().atoms)
    if (has_in_all_terms(lhs, atom) && has_in_all_terms(rhs, atom)) return atom;
  return {};
}

/// The summand without a size: 7/2 of (2*n + 7*W)/(2*W).
struct Constant {
  int64_t numerator = 0, denominator = 1;
};

Constant constant_part(const SizeFormula& formula) {
  if (formula.denominator().terms().size() != 1) return {};
  const FormulaTerm& below = formula.denominator().terms().front();
  for (const FormulaTerm& term : formula.numerator().terms())
    if (all_equal(term.atoms, below.atoms)) return {term.coefficient, below.coefficient};
  return {};
}

int64_t floor_divide(int64_t dividend, int64_t divisor) {
  return dividend / divisor - (dividend % divisor < 0 ? 1 : 0);
}

/// The quotient or the remainder by a constant: that of the constant part, and the rest divides.
SizeFormula divide_by_constant(const Binary& binary, int64_t divisor) {
  const SizeFormula dividend = SizeFormula::of(binary.lhs);
  const auto [numerator, denominator] = constant_part(dividend);
  const int64_t whole = floor_divide(numerator, denominator * divisor);
  const SizeFormula part = SizeFormula::fraction(numerator, denominator);
  if (binary.op == BinaryOp::mod) return part - SizeFormula(whole * divisor);
  return (dividend - part) / divisor + whole;
}

/// By a size: x / y, x % y, and (x + y - 1) / y. Nothing for any other constant in the dividend.
std::optional<SizeFormula> divide_by_size(const Binary& binary) {
  const SizeFormula dividend = SizeFormula::of(binary.lhs), divisor = SizeFormula::of(binary.rhs);
  if (divisor.is_zero()) return std::nullopt;
  const auto [numerator, denominator] = constant_part(dividend);
  if (numerator == 0) return binary.op == BinaryOp::mod ? SizeFormula(0) : dividend / divisor;
  const bool is_rounded_up = binary.op == BinaryOp::div && numerator == -denominator &&
                             constant_part(divisor).numerator == 0;
  if (!is_rounded_up) return std::nullopt;
  return (dividend - divisor + 1) / divisor;
}

std::optional<SizeFormula> divide(const Binary& binary) {
  if (binary.op != BinaryOp::div && binary.op != BinaryOp::mod) return std::nullopt;
  const auto divisor = as_int(binary.rhs);
  if (!divisor) return divide_by_size(binary);
  if (*divisor <= 0) return std::nullopt;
  return divide_by_constant(binary, *divisor);
}

double value_of(const Polynomial& polynomial, const Sizes& sizes) {
  double sum = 0;
  for (const FormulaTerm& term : polynomial.terms()) {
    double product = static_cast<double>(term.coefficient);
    for (const Expr& atom : term.atoms) product *= static_cast<double>(evaluate(atom, sizes));
    sum += product;
  }
  return sum;
}

std::string atom_text(const Expr& atom) {
  const auto* binary = llvm::dyn_cast<Binary>(atom);
  const bool is_infix = binary && find_infix(binary->op);
  return is_infix ? fmt::format("({})", atom) : to_string(atom);
}

/// The term over a positive number, without its sign: "K", "3*K/4", "1/2".
std::string term_text(const FormulaTerm& term, int64_t denominator) {
  const int64_t divisor = std::gcd(term.coefficient, denominator);
  const int64_t coefficient = std::abs(term.coefficient) / divisor;
  std::string text;
  if (coefficient != 1 || term.atoms.empty()) text = std::to_string(coefficient);
  for (const Expr& atom : term.atoms) text += (text.empty() ? "" : "*") + atom_text(atom);
  if (denominator != divisor) text += fmt::format("/{}", denominator / divisor);
  return text;
}

std::string sum_text(const Polynomial& polynomial, int64_t denominator) {
  llvm::SmallVector<FormulaTerm, 4> terms(polynomial.terms().begin(), polynomial.terms().end());
  llvm::stable_sort(terms, [](const FormulaTerm& lhs, const FormulaTerm& rhs) {
    return lhs.atoms.size() > rhs.atoms.size();
  });
  std::string text;
  for (const FormulaTerm& term : terms) {
    const bool negative = term.coefficient < 0;
    text += text.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    text += term_text(term, denominator);
  }
  return text.empty() ? "0" : text;
}

std::string in_parentheses(const std::string& text, bool wanted) {
  return wanted ? "(" + text + ")" : text;
}

}  // namespace

SizeFormula::SizeFormula(Polynomial numerator, Polynomial denominator) {
  assert(!denominator.is_zero() && "a division by zero");
  if (numerator.is_zero()) return;
  for (Expr atom; (atom = common_atom(numerator, denominator)).defined();) {
    numerator = divided(numerator, 1, atom);
    denominator = divided(denominator, 1, atom);
  }
  int64_t above = signed_divisor(numerator), below = signed_divisor(denominator);
  const int64_t common = std::gcd(above, below) * (below < 0 ? -1 : 1);
  numerator = divided(numerator, above);
  denominator = divided(denominator, below);
  if (numerator == denominator) numerator = denominator = 1;
  numerator_ = numerator * Polynomial(above / common);
  denominator_ = denominator * Polynomial(below / common);
}

SizeFormula SizeFormula::fraction(int64_t numerator, int64_t denominator) {
  return {Polynomial(numerator), Polynomial(denominator)};
}

SizeFormula SizeFormula::of(const Expr& expr) {
  if (const auto value = as_int(expr)) return *value;
  if (const auto* unary = llvm::dyn_cast<Unary>(expr)) return SizeFormula() - of(unary->operand);
  if (const auto* binary = llvm::dyn_cast<Binary>(expr)) {
    if (binary->op == BinaryOp::add) return of(binary->lhs) + of(binary->rhs);
    if (binary->op == BinaryOp::sub) return of(binary->lhs) - of(binary->rhs);
    if (binary->op == BinaryOp::mul) return of(binary->lhs) * of(binary->rhs);
    if (const auto result = divide(*binary)) return *result;
  }
  return {Polynomial::atom(expr), 1};
}

SizeFormula SizeFormula::operator+(const SizeFormula& other) const {
  if (denominator_ == other.denominator_) return {numerator_ + other.numerator_, denominator_};
  // Numbers that both are multiples of would grow with each term.
  const int64_t common = std::gcd(signed_divisor(denominator_), signed_divisor(other.denominator_));
  const Polynomial mine = divided(denominator_, common),
                   others = divided(other.denominator_, common);
  return {numerator_ * others + other.numerator_ * mine, denominator_ * others};
}

SizeFormula SizeFormula::operator-(const SizeFormula& other) const {
  return *this + SizeFormula(Polynomial() - other.numerator_, other.denominator_);
}

SizeFormula SizeFormula::operator*(const SizeFormula& other) const {
  return {numerator_ * other.numerator_, denominator_ * other.denominator_};
}

SizeFormula SizeFormula::operator/(const SizeFormula& other) const {
  return {numerator_ * other.denominator_, denominator_ * other.numerator_};
}

std::optional<int64_t> SizeFormula::constant() const {
  return denominator_ == Polynomial(1) ? numerator_.constant() : std::nullopt;
}

double SizeFormula::at(const Sizes& sizes) const {
  return value_of(numerator_, sizes) / value_of(denominator_, sizes);
}

std::string to_string(const SizeFormula& formula) {
  const Polynomial &numerator = formula.numerator(), &denominator = formula.denominator();
  if (const auto constant = denominator.constant()) return sum_text(numerator, *constant);
  const FormulaTerm& first = denominator.terms().front();
  const bool is_atom =
      denominator.terms().size() == 1 && first.coefficient == 1 && first.atoms.size() == 1;
  return in_parentheses(sum_text(numerator, 1), numerator.terms().size() > 1) + "/" +
         in_parentheses(sum_text(denominator, 1), !is_atom);
}

}  // namespace hone

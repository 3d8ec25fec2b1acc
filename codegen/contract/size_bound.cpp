#include "codegen/contract/size_bound.h"

#include <algorithm>
#include <cmath>

#include "codegen/contract/index_width.h"
#include "ir/core/layout.h"
#include "ir/traverse/visit.h"

namespace hone {

using Term = SizeBound::Term;

Term Term::times(const Term& other, int exponent) const {
  Term product{factor * std::pow(other.factor, exponent), powers};
  for (const auto& [param, power] : other.powers) {
    auto* known = llvm::lower_bound(
        product.powers, param, [](const auto& entry, auto name) { return entry.first < name; });
    if (known == product.powers.end() || known->first != param)
      known = product.powers.insert(known, {param, 0});
    known->second += power * exponent;
    if (known->second == 0) product.powers.erase(known);
  }
  return product;
}

int Term::power_of(llvm::StringRef param) const {
  const auto* known = llvm::find_if(powers, [&](const auto& p) { return p.first == param; });
  return known == powers.end() ? 0 : known->second;
}

bool Term::is_within(const Term& other) const {
  return llvm::all_of(powers, [&](const auto& p) { return p.second <= other.power_of(p.first); }) &&
         llvm::all_of(other.powers, [&](const auto& p) { return power_of(p.first) <= p.second; });
}

SizeBound::SizeBound(double constant) {
  if (constant != 0) terms_.push_back({constant});
}

SizeBound SizeBound::of(const ParamNode& param) {
  SizeBound bound;
  bound.terms_.push_back({1, {{param.name, 1}}});
  return bound;
}

SizeBound SizeBound::none() {
  SizeBound bound;
  bound.exists_ = false;
  return bound;
}

void SizeBound::add(const Term& term) {
  for (Term& known : terms_)
    if (known.powers == term.powers) {
      known.factor += term.factor;
      return;
    }
  terms_.push_back(term);
}

SizeBound SizeBound::operator+(const SizeBound& other) const {
  if (!exists_ || !other.exists_) return none();
  SizeBound sum = *this;
  for (const Term& term : other.terms_) sum.add(term);
  return sum;
}

SizeBound SizeBound::operator*(const SizeBound& other) const {
  if (!exists_ || !other.exists_) return none();
  SizeBound product;
  for (const Term& left : terms_)
    for (const Term& right : other.terms_) product.add(left.times(right));
  return product;
}

SizeBound SizeBound::operator/(const Term& divisor) const {
  SizeBound quotient;
  quotient.exists_ = exists_;
  for (const Term& term : terms_) quotient.add(term.times(divisor, -1));
  return quotient;
}

SizeBound max(const SizeBound& lhs, const SizeBound& rhs) {
  if (!lhs.exists_ || !rhs.exists_) return SizeBound::none();
  SizeBound larger = lhs;
  for (const Term& term : rhs.terms_) {
    Term* known =
        llvm::find_if(larger.terms_, [&](const Term& t) { return t.powers == term.powers; });
    if (known == larger.terms_.end())
      larger.terms_.push_back(term);
    else
      known->factor = std::max(known->factor, term.factor);
  }
  return larger;
}

// ---- Of a kernel's expressions ------------------------------------------------------------------

namespace {

/// A lower bound of a divisor, where sizes make it large; it is 1 or more.
Term lower_bound(const Expr& divisor) {
  if (const auto value = as_int(divisor))
    return {static_cast<double>(std::max<int64_t>(*value, 1))};
  if (const auto* param = llvm::dyn_cast<ParamRef>(divisor)) return {1, {{param->param->name, 1}}};
  const auto* binary = llvm::dyn_cast<Binary>(divisor);
  if (!binary) return {1};
  const Term left = lower_bound(binary->lhs), right = lower_bound(binary->rhs);
  if (binary->op == BinaryOp::max || binary->op == BinaryOp::add)
    return left.powers.empty() ? right : left;
  if (binary->op == BinaryOp::mul) return left.times(right);
  // x / 32 is at least x / 64 where it is not 0.
  if (const auto step = as_int(binary->rhs); binary->op == BinaryOp::div && step && *step > 0)
    return {left.factor / (2.0 * static_cast<double>(*step)), left.powers};
  return {1};
}

bool is_made_of_constants(const SizeBound& bound) {
  return bound.exists() &&
         llvm::all_of(bound.terms(), [](const Term& term) { return term.powers.empty(); });
}

}  // namespace

SizeBounds::SizeBounds(const KernelFunction& kernel) : kernel_(kernel) {
  llvm::SmallVector<Expr, 8> extents;
  walk(kernel.body, [&](const Stmt& stmt) {
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) {
      definitions_[loop->axis.get()].push_back(loop->extent);
      extents.push_back(loop->extent);
    }
    if (const auto* let = llvm::dyn_cast<Let>(stmt))
      definitions_[let->axis.get()].push_back(let->value);
  });
  for (const ParamPtr& param : kernel.params) sizes_.push_back(SizeBound::of(*param));
  for (const TensorPtr& tensor : kernel.arguments) add_size(storage_size(*tensor));
  for (unsigned dim = 0; dim < 3; ++dim) add_size(kernel.grid[dim] * kernel.block[dim]);
  for (const Expr& extent : extents) add_size(extent);
}

void SizeBounds::add_size(const Expr& size) {
  const SizeBound bound = of(size);
  if (bound.exists()) sizes_.push_back(bound);
}

SizeBound SizeBounds::of(const Expr& index) {
  return visit(
      index, [](const IntConst& n) { return SizeBound(std::abs(static_cast<double>(n.value))); },
      [](const ParamRef& n) { return SizeBound::of(*n.param); },
      [&](const ThreadIndex& n) {
        return of((n.space == IndexSpace::block ? kernel_.grid : kernel_.block)[n.dim]);
      },
      [&](const AxisRef& n) { return of_axis(n.axis.get()); },
      [&](const Unary& n) { return of(n.operand); }, [&](const Binary& n) { return of(n); },
      [&](const Select& n) { return max(of(n.if_true), of(n.if_false)); },
      [](const auto&) { return SizeBound::none(); });
}

SizeBound SizeBounds::of_axis(const AxisNode* axis) {
  if (const auto known = axes_.find(axis); known != axes_.end()) return known->second;
  const auto definitions = definitions_.find(axis);
  if (definitions == definitions_.end()) return SizeBound::none();
  SizeBound bound;
  for (const Expr& value : definitions->second) bound = max(bound, of(value));
  axes_[axis] = bound;
  return bound;
}

SizeBound SizeBounds::of(const Binary& binary) {
  const SizeBound lhs = of(binary.lhs), rhs = of(binary.rhs);
  switch (binary.op) {
    case BinaryOp::add:
    case BinaryOp::sub:
      return lhs + rhs;
    case BinaryOp::mul:
      return lhs * rhs;
    case BinaryOp::div:
      return lhs / lower_bound(binary.rhs);
    case BinaryOp::mod:
    case BinaryOp::bit_and:
      return smaller(lhs, rhs);
    case BinaryOp::min:
    case BinaryOp::max:
      return max(lhs, rhs);
    case BinaryOp::bit_or:
    case BinaryOp::bit_xor:
      return max(lhs, rhs) * SizeBound(2);
    case BinaryOp::shr:
      return lhs;
    case BinaryOp::shl:
      if (const auto bits = as_int(binary.rhs)) return lhs * SizeBound(std::exp2(*bits));
      return SizeBound::none();
    default:
      return SizeBound::none();
  }
}

/// Both are bounds: the one that grows less.
SizeBound SizeBounds::smaller(const SizeBound& lhs, const SizeBound& rhs) const {
  if (!lhs.exists() || !rhs.exists()) return lhs.exists() ? lhs : rhs;
  return is_made_of_constants(lhs) ? lhs : rhs;
}

/// Launches check exactly; with a larger factor they would refuse sizes that are far
/// from the largest ones.
bool SizeBounds::is_like_a_size(const Term& term) const {
  constexpr double most_constant = 1 << 30, most_factor = 64, most_of_a_part = 1 << 16;
  if (term.powers.empty()) return term.factor <= most_constant;
  return llvm::any_of(sizes_, [&](const SizeBound& size) {
    return llvm::any_of(size.terms(), [&](const Term& other) {
      const double most = term.powers == other.powers ? most_factor : most_of_a_part;
      return term.is_within(other) && term.factor <= most * std::max(other.factor, 1.0);
    });
  });
}

bool SizeBounds::is_like_sizes(const SizeBound& bound) const {
  return bound.exists() &&
         llvm::all_of(bound.terms(), [&](const Term& term) { return is_like_a_size(term); });
}

bool SizeBounds::grows_like_sizes(const Expr& index) { return is_like_sizes(of(index)); }

bool SizeBounds::variables_grow_like_sizes() {
  return llvm::all_of(definitions_, [&](const auto& definition) {
    return is_like_sizes(of_axis(definition.first));
  });
}

}  // namespace hone

#include "ir/algebra/facts.h"

#include "ir/algebra/facts_rewriter.h"
#include "ir/traverse/named_values.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/Hashing.h"

namespace hone {

void Facts::add(const AxisPtr& axis, const Expr& extent, const Expr& value) {
  axes_.push_back({axis, extent, value, conditions_.size()});
  fingerprint_ += llvm::hash_combine(axis.get(), extent.get(), value.get());
}

void Facts::define(const AxisPtr& axis, const Expr& value) {
  add(axis, {}, reads_tensor(value) ? Expr() : value);
}

/// x < n / d, where d is a positive number, as x*d + d <= n; null for any other condition, and for
/// a sum that is divided: a quotient that is rounded up says less than the guards it stands around.
static Expr without_quotient(const Expr& condition) {
  const auto* less = llvm::dyn_cast<Binary>(condition);
  if (!less || less->op != BinaryOp::lt) return {};
  const auto* quotient = llvm::dyn_cast<Binary>(less->rhs);
  if (!quotient || quotient->op != BinaryOp::div || quotient->type != DType::index) return {};
  const auto divisor = as_int(quotient->rhs);
  const auto* sum = llvm::dyn_cast<Binary>(quotient->lhs);
  if (divisor.value_or(0) <= 0 || (sum && sum->op == BinaryOp::add)) return {};
  return less->lhs * *divisor + *divisor <= quotient->lhs;
}

void Facts::assume(const Expr& condition) {
  fingerprint_ += llvm::hash_value(condition.get());  // of no opposite, which is made here
  for_each_conjunct(without_names(condition), [&](const Expr& part) { assume_one(part); });
}

void Facts::assume_one(const Expr& condition) {
  if (reads_tensor(condition)) return;
  if (const auto* negation = llvm::dyn_cast<Unary>(condition)) {
    const Expr opposite = negated(negation->operand);
    if (opposite.defined())
      return for_each_conjunct(opposite, [&](const Expr& part) { assume_one(part); });
  }
  for (const Expr& known : {condition, without_quotient(condition)}) {
    if (!known.defined()) continue;
    conditions_.push_back(known);
    notes_.emplace_back();
  }
}

const Facts::Known* Facts::find(const AxisNode* axis) const {
  for (const Known& known : llvm::reverse(axes_))
    if (known.axis.get() == axis) return &known;
  return nullptr;
}

Expr Facts::extent(const AxisNode* axis) const {
  const Known* known = find(axis);
  return known ? known->extent : Expr();
}

std::pair<Expr, Expr> Facts::extent_and_value(const AxisNode* axis) const {
  const Known* known = find(axis);
  return known ? std::pair(known->extent, known->value) : std::pair<Expr, Expr>();
}

Expr Facts::value(const AxisNode* axis) const {
  const Known* known = find(axis);
  return known ? known->value : Expr();
}

llvm::SmallVector<Expr, 8> Facts::extents() const {
  llvm::SmallVector<Expr, 8> extents;
  for (const Known& known : axes_)
    if (known.extent.defined()) extents.push_back(known.extent);
  return extents;
}

bool Facts::all_extents(llvm::function_ref<bool(const Expr&)> holds) const {
  return llvm::all_of(axes_, [&](const Known& known) {
    if (!known.holds) known.holds = !known.extent.defined() || holds(known.extent);
    return *known.holds;
  });
}

size_t Facts::conditions_around(const AxisNode* axis) const {
  const Known* known = find(axis);
  return known ? known->conditions : conditions_.size();
}

void Facts::rewind(Mark mark) {
  axes_.resize(mark.axes);
  conditions_.resize(mark.conditions);
  notes_.resize(mark.conditions);
  fingerprint_ = mark.fingerprint;
}

void walk_with_facts(const Stmt& stmt, Facts& facts,
                     llvm::function_ref<void(const Stmt&, const Facts&)> use) {
  use(stmt, facts);
  const FactsScope inside(facts, stmt);
  for_each_operand(
      stmt, [](const Expr&) {}, [&](const Stmt& nested) { walk_with_facts(nested, facts, use); });
}

Facts facts_of(llvm::ArrayRef<Expr> assumptions) {
  Facts facts;
  for (const Expr& assumption : assumptions) facts.assume(assumption);
  return facts;
}

BinaryOp opposite(BinaryOp op) {
  switch (op) {
    case BinaryOp::eq:
      return BinaryOp::ne;
    case BinaryOp::ne:
      return BinaryOp::eq;
    case BinaryOp::lt:
      return BinaryOp::ge;
    case BinaryOp::le:
      return BinaryOp::gt;
    case BinaryOp::gt:
      return BinaryOp::le;
    case BinaryOp::ge:
      return BinaryOp::lt;
    default:
      llvm_unreachable("not a comparison");
  }
}

namespace {

/// !(x && y) is !x || !y, and the other way round; both sides must have an opposite themselves.
Expr negated_sides(const Binary& logical) {
  const Expr lhs = negated(logical.lhs), rhs = negated(logical.rhs);
  if (!lhs.defined() || !rhs.defined()) return {};
  return logical.op == BinaryOp::logical_and ? lhs || rhs : lhs && rhs;
}

}  // namespace

Expr negated(const Expr& condition) {
  if (const auto* named = llvm::dyn_cast<Named>(condition)) return negated(named->value);
  if (const auto* unary = llvm::dyn_cast<Unary>(condition)) return unary->operand;
  if (const auto value = as_int(condition)) return Expr(*value == 0);
  const auto* binary = llvm::dyn_cast<Binary>(condition);
  if (!binary) return {};
  if (!is_comparison(binary->op)) return negated_sides(*binary);
  // An ordering of floats and its opposite are both false of a NaN.
  if (is_float(binary->lhs.type())) return {};
  return Binary::make(opposite(binary->op), binary->lhs, binary->rhs);
}

bool reads_tensor(const Expr& expr) { return expr.get()->size.has_load; }

}  // namespace hone

#include "codegen/index_scope.h"

#include "codegen/index_width.h"
#include "ir/equal.h"
#include "ir/rewriter.h"
#include "ir/visit.h"

namespace hone {
namespace {

constexpr int64_t no_low = Interval::no_low, no_high = Interval::no_high;

constexpr Interval one{1, 1};

/// Everything up to the end of `range`, and everything from its start on.
Interval up_to(const Interval& range) { return {no_low, range.high}; }
Interval from(const Interval& range) { return {range.low, no_high}; }

int64_t floor_of(int64_t value, int64_t divisor) {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

/// x with x * factor in `range`.
Interval quotient(const Interval& range, int64_t factor) {
  return {range.low == no_low ? no_low : -floor_of(-range.low, factor),
          range.high == no_high ? no_high : floor_of(range.high, factor)};
}

/// The same index however wide its operands are.
Expr without_widths(const Expr& index) { return transform(index, before_widening); }

}  // namespace

IndexBounds::IndexBounds(const KernelFunction& kernel, const Sizes* sizes) {
  for (const ParamPtr& param : kernel.params) {
    Interval& range = params_[param->name];
    range = {0, no_high};
    if (!sizes) continue;
    const auto size = sizes->find(param->name);
    if (size != sizes->end()) range.low = range.high = size->second;
  }
  for (const Expr& assumption : kernel.assumptions) assume(assumption);
  for (unsigned dim = 0; dim < 3; ++dim) {
    grid_[dim] = {0, (range(kernel.grid[dim]) - one).high};
    block_[dim] = {0, (range(kernel.block[dim]) - one).high};
  }
}

Interval IndexBounds::of_param(const ParamNode& param) const {
  const auto known = params_.find(param.name);
  return known == params_.end() ? Interval{0, no_high} : known->second;
}

Interval IndexBounds::range(const Expr& index) const {
  const Interval range = visit(
      index,
      [](const IntConst& n) {
        return Interval{n.value, n.value};
      },
      [&](const ParamRef& n) { return of_param(*n.param); },
      [&](const AxisRef& n) {
        const auto known = axes_.find(n.axis.get());
        return known == axes_.end() ? Interval() : known->second.range;
      },
      [&](const ThreadIndex& n) { return (n.space == IndexSpace::block ? grid_ : block_)[n.dim]; },
      [&](const Unary& n) {
        return Interval{0, 0} - this->range(n.operand);
      },
      [&](const Binary& n) { return combined(n.op, this->range(n.lhs), this->range(n.rhs)); },
      [&](const Select& n) { return hull(this->range(n.if_true), this->range(n.if_false)); },
      [&](const Cast& n) {
        const Expr narrow = before_widening(Expr(&n));
        return narrow.defined() ? this->range(narrow) : Interval();
      },
      [](const auto&) { return Interval(); });
  return narrowed(index, range);
}

Interval IndexBounds::narrowed(const Expr& index, Interval range) const {
  if (known_.empty() || llvm::isa<IntConst>(index)) return range;
  const Expr plain = without_widths(index);
  for (const Known& known : known_)
    if (equal(known.expr, plain)) range = intersection(range, known.range);
  return range;
}

void IndexBounds::with_axis(const AxisNode* axis, const Interval& range,
                            llvm::function_ref<void()> body, int64_t step) {
  if (range.is_empty()) return;
  const auto known = axes_.find(axis);
  const std::optional<Steps> outer =
      known == axes_.end() ? std::nullopt : std::optional(known->second);
  axes_[axis] = {range, step};
  body();
  if (outer)
    axes_[axis] = *outer;
  else
    axes_.erase(axis);
}

void IndexBounds::where(const Expr& condition, llvm::function_ref<void()> body) {
  const size_t outer = known_.size();
  if (assume(condition)) body();
  known_.truncate(outer);
}

bool IndexBounds::assume(const Expr& condition) {
  bool is_possible = true;
  for_each_conjunct(condition, [&](const Expr& part) {
    if (!is_possible || reads_tensor(part)) return;
    if (const auto* negation = llvm::dyn_cast<Unary>(part)) {
      const Expr opposite = negated(negation->operand);
      if (opposite.defined()) is_possible = assume(opposite);
    } else if (const auto* comparison = llvm::dyn_cast<Binary>(part)) {
      if (comparison->lhs.type() == DType::index && is_comparison(comparison->op))
        is_possible = assume_comparison(*comparison);
    }
  });
  return is_possible;
}

bool IndexBounds::assume_comparison(const Binary& comparison) {
  const auto& [lhs, rhs] = std::pair(comparison.lhs, comparison.rhs);
  const Interval left = range(lhs), right = range(rhs);
  switch (comparison.op) {
    case BinaryOp::lt:
      return narrow(lhs, up_to(right) - one) && narrow(rhs, from(left) + one);
    case BinaryOp::le:
      return narrow(lhs, up_to(right)) && narrow(rhs, from(left));
    case BinaryOp::gt:
      return narrow(lhs, from(right) + one) && narrow(rhs, up_to(left) - one);
    case BinaryOp::ge:
      return narrow(lhs, from(right)) && narrow(rhs, up_to(left));
    case BinaryOp::eq:
      return narrow(lhs, right) && narrow(rhs, left);
    default:
      return true;
  }
}

bool IndexBounds::narrow(const Expr& index, const Interval& to) {
  const Interval before = range(index);
  const Interval after = on_steps(index, intersection(before, to));
  if (after.is_empty()) return false;
  const bool is_same = after.low == before.low && after.high == before.high;
  if (is_same || llvm::isa<IntConst>(index)) return true;
  known_.push_back({without_widths(index), after});
  const auto* binary = llvm::dyn_cast<Binary>(index);
  return !binary || narrow_operands(*binary, after);
}

/// The part of `range` from and to values that the index has, where that is an axis with steps.
Interval IndexBounds::on_steps(const Expr& index, Interval range) const {
  const auto* axis = llvm::dyn_cast<AxisRef>(index);
  const auto known = axis ? axes_.find(axis->axis.get()) : axes_.end();
  if (known == axes_.end() || known->second.step == 1 || range.is_empty()) return range;
  const auto& [all, step] = known->second;
  if (range.has_high()) range.high -= (range.high - all.low) % step;
  range.low += (step - (range.low - all.low) % step) % step;
  return range;
}

/// What each operand may be so that the value is within `to`.
bool IndexBounds::narrow_operands(const Binary& binary, const Interval& to) {
  const auto& [lhs, rhs] = std::pair(binary.lhs, binary.rhs);
  const auto factor = as_int(rhs);
  switch (binary.op) {
    case BinaryOp::add:
      return narrow(lhs, to - range(rhs)) && narrow(rhs, to - range(lhs));
    case BinaryOp::sub:
      return narrow(lhs, to + range(rhs)) && narrow(rhs, range(lhs) - to);
    case BinaryOp::mul:
      return !factor || *factor <= 0 || narrow(lhs, quotient(to, *factor));
    default:
      return true;
  }
}

}  // namespace hone

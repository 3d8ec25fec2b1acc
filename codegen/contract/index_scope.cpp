#include "codegen/contract/index_scope.h"

#include "codegen/contract/index_width.h"
#include "ir/rewriter.h"
#include "ir/visit.h"

namespace hone {
namespace {

constexpr Interval one{1, 1}, zero{0, 0};

/// The same index however wide its operands are.
Expr without_widths(const Expr& index) { return transform(index, before_widening); }

}  // namespace

size_t IndexNumbers::of(const Expr& index) {
  const auto node = of_nodes_.find(index.get());
  if (node != of_nodes_.end()) return node->second.second;
  const size_t number = numbers_.try_emplace(without_widths(index), numbers_.size()).first->second;
  of_nodes_[index.get()] = {index, number};
  return number;
}

IndexBounds::IndexBounds(const KernelFunction& kernel, ParamValues params, RangeRecorder& recorder)
    : recorder_(recorder), params_are_(params) {
  for (const ParamPtr& param : kernel.params)
    params_[param->name] = params == ParamValues::known ? recorder.size(param->name)
                                                        : recorder.constant({0, Interval::no_high});
  for (const Expr& assumption : kernel.assumptions) assume(assumption);
  possible_.clear();  // a launch has checked them
  for (unsigned dim = 0; dim < 3; ++dim) {
    grid_[dim] = recorder.add({RangeOp::below, range(kernel.grid[dim])});
    block_[dim] = recorder.add({RangeOp::below, range(kernel.block[dim])});
  }
}

RangeId IndexBounds::of_param(const ParamNode& param) {
  const auto known = params_.find(param.name);
  return known == params_.end() ? recorder_.constant({0, Interval::no_high}) : known->second;
}

RangeId IndexBounds::range(const Expr& index) {
  const auto anything = [&] { return recorder_.constant({}); };
  const RangeId range = visit(
      index,
      [&](const IntConst& n) {
        return recorder_.constant({n.value, n.value});
      },
      [&](const ParamRef& n) { return of_param(*n.param); },
      [&](const AxisRef& n) {
        const auto known = axes_.find(n.axis.get());
        return known == axes_.end() ? anything() : known->second.range;
      },
      [&](const ThreadIndex& n) { return (n.space == IndexSpace::block ? grid_ : block_)[n.dim]; },
      [&](const Unary& n) {
        return recorder_.combined(BinaryOp::sub, recorder_.constant(zero), this->range(n.operand));
      },
      [&](const Binary& n) {
        const RangeId lhs = this->range(n.lhs);
        return recorder_.combined(n.op, lhs, this->range(n.rhs));
      },
      [&](const Select& n) {
        const RangeId if_true = this->range(n.if_true);
        return recorder_.hull(if_true, this->range(n.if_false));
      },
      [&](const Cast& n) {
        const Expr narrow = before_widening(Expr(&n));
        return narrow.defined() ? this->range(narrow) : anything();
      },
      [&](const auto&) { return anything(); });
  return narrowed(index, range);
}

/// The range that guards leave an index; -1 where they say nothing.
RangeId& IndexBounds::latest(const Expr& index) {
  const size_t number = numbers_.of(index);
  if (number >= latest_.size()) latest_.resize(number + 1, -1);
  return latest_[number];
}

RangeId IndexBounds::narrowed(const Expr& index, RangeId range) {
  if (known_.empty() || llvm::isa<IntConst>(index)) return range;
  const RangeId known = latest(index);
  return known < 0 ? range : recorder_.both(range, known);
}

void IndexBounds::with_axis(const AxisNode* axis, RangeId range, llvm::function_ref<void()> body,
                            int64_t first, int64_t step) {
  const auto known = axes_.find(axis);
  const std::optional<Steps> outer =
      known == axes_.end() ? std::nullopt : std::optional(known->second);
  axes_[axis] = {range, first, step};
  recorder_.where(range, body);
  if (outer)
    axes_[axis] = *outer;
  else
    axes_.erase(axis);
}

void IndexBounds::where(const Expr& condition, llvm::function_ref<void()> body) {
  const size_t outer = known_.size();
  possible_.clear();
  assume(condition);
  const auto possible = possible_;
  recorder_.where(possible, body);
  for (; known_.size() > outer; known_.pop_back())
    latest_[known_.back().index] = known_.back().before;
}

void IndexBounds::assume(const Expr& condition) {
  for_each_conjunct(condition, [&](const Expr& part) {
    if (reads_tensor(part)) return;
    if (const auto* negation = llvm::dyn_cast<Unary>(part)) {
      const Expr opposite = negated(negation->operand);
      if (opposite.defined()) assume(opposite);
    } else if (const auto* comparison = llvm::dyn_cast<Binary>(part)) {
      if (comparison->lhs.type() == DType::index && is_comparison(comparison->op))
        assume_comparison(*comparison);
    }
  });
}

RangeId IndexBounds::less(RangeId range, const Interval& by) {
  return recorder_.combined(BinaryOp::sub, range, recorder_.constant(by));
}
RangeId IndexBounds::more(RangeId range, const Interval& by) {
  return recorder_.combined(BinaryOp::add, range, recorder_.constant(by));
}

void IndexBounds::assume_comparison(const Binary& comparison) {
  const Expr &lhs = comparison.lhs, &rhs = comparison.rhs;
  const RangeId left = range(lhs), right = range(rhs);
  const auto up_to = [&](RangeId end) { return recorder_.add({RangeOp::up_to, end}); };
  const auto from = [&](RangeId start) { return recorder_.add({RangeOp::from, start}); };
  const auto narrow_both = [&](RangeId of_left, RangeId of_right) {
    narrow(lhs, of_left);
    narrow(rhs, of_right);
  };
  switch (comparison.op) {
    case BinaryOp::lt:
      return narrow_both(less(up_to(right), one), more(from(left), one));
    case BinaryOp::le:
      return narrow_both(up_to(right), from(left));
    case BinaryOp::gt:
      return narrow_both(more(from(right), one), less(up_to(left), one));
    case BinaryOp::ge:
      return narrow_both(from(right), up_to(left));
    case BinaryOp::eq:
      return narrow_both(right, left);
    default:
      return;
  }
}

void IndexBounds::narrow(const Expr& index, RangeId to) {
  const RangeId after = on_steps(index, recorder_.both(range(index), to));
  possible_.push_back(after);
  const bool is_one_value = llvm::isa<IntConst>(index) ||
                            (llvm::isa<ParamRef>(index) && params_are_ == ParamValues::known);
  if (is_one_value) return;
  known_.push_back({numbers_.of(index), std::exchange(latest(index), after)});
  if (const auto* binary = llvm::dyn_cast<Binary>(index)) narrow_operands(*binary, after);
}

/// The part of `range` from and to values that the index has, where that is an axis with steps.
RangeId IndexBounds::on_steps(const Expr& index, RangeId range) {
  const auto* axis = llvm::dyn_cast<AxisRef>(index);
  const auto known = axis ? axes_.find(axis->axis.get()) : axes_.end();
  if (known == axes_.end() || known->second.step == 1) return range;
  const Steps& steps = known->second;
  return recorder_.add({RangeOp::on_steps, range, -1, BinaryOp::add, steps.first, steps.step});
}

/// Narrows each operand to the range for which the value is within `to`.
void IndexBounds::narrow_operands(const Binary& binary, RangeId to) {
  const auto& [lhs, rhs] = std::pair(binary.lhs, binary.rhs);
  const auto factor = as_int(rhs);
  const auto combined = [&](BinaryOp op, RangeId left, RangeId right) {
    return recorder_.combined(op, left, right);
  };
  switch (binary.op) {
    case BinaryOp::add:
      narrow(lhs, combined(BinaryOp::sub, to, range(rhs)));
      return narrow(rhs, combined(BinaryOp::sub, to, range(lhs)));
    case BinaryOp::sub:
      narrow(lhs, combined(BinaryOp::add, to, range(rhs)));
      return narrow(rhs, combined(BinaryOp::sub, range(lhs), to));
    case BinaryOp::mul:
      if (factor && *factor > 0)
        narrow(lhs, recorder_.add({RangeOp::factors, to, -1, BinaryOp::add, 0, *factor}));
      return;
    default:
      return;
  }
}

}  // namespace hone

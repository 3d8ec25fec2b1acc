#include "codegen/contract/index_scope.h"

#include "codegen/contract/index_width.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

const SizeRange range_from_zero{{0, Interval::no_high}}, unit_range{{1, 1}}, zero_range{{0, 0}};

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

IndexBounds::IndexBounds(const KernelFunction& kernel, const ParamRanges& params,
                         SizeRanges& ranges)
    : ranges_(ranges), params_are_known_(params.are_known) {
  for (const ParamPtr& param : kernel.params) params_[param->name] = params.range(param);
  for (const Expr& assumption : kernel.assumptions) assume(assumption);
  possible_.clear();  // a launch has checked them
  for (unsigned dim = 0; dim < 3; ++dim) {
    grid_[dim] = ranges.counted(zero_range, range(kernel.grid[dim]));
    block_[dim] = ranges.counted(zero_range, range(kernel.block[dim]));
  }
}

SizeRange IndexBounds::of_param(const ParamNode& param) const {
  const auto known = params_.find(param.name);
  return known == params_.end() ? range_from_zero : known->second;
}

SizeRange IndexBounds::range(const Expr& index) {
  const SizeRange range = visit(
      index,
      [](const IntConst& n) {
        return SizeRange{{n.value, n.value}};
      },
      [&](const ParamRef& n) { return of_param(*n.param); },
      [&](const AxisRef& n) {
        const auto known = axes_.find(n.axis.get());
        return known == axes_.end() ? SizeRange() : known->second.range;
      },
      [&](const ThreadIndex& n) { return (n.space == IndexSpace::block ? grid_ : block_)[n.dim]; },
      [&](const Unary& n) {
        return ranges_.combined(BinaryOp::sub, zero_range, this->range(n.operand));
      },
      [&](const Binary& n) {
        const SizeRange lhs = this->range(n.lhs);
        return ranges_.combined(n.op, lhs, this->range(n.rhs));
      },
      [&](const Select& n) {
        const SizeRange if_true = this->range(n.if_true);
        return ranges_.hull(if_true, this->range(n.if_false));
      },
      [&](const Cast& n) {
        const Expr narrow = before_widening(Expr(&n));
        return narrow.defined() ? this->range(narrow) : SizeRange();
      },
      [](const auto&) { return SizeRange(); });
  return narrowed(index, range);
}

/// The range that guards leave an index, where they say something.
std::optional<SizeRange>& IndexBounds::latest(const Expr& index) {
  const size_t number = numbers_.of(index);
  if (number >= latest_.size()) latest_.resize(number + 1);
  return latest_[number];
}

SizeRange IndexBounds::narrowed(const Expr& index, const SizeRange& range) {
  if (known_.empty() || llvm::isa<IntConst>(index)) return range;
  const auto& known = latest(index);
  return known ? ranges_.both(range, *known) : range;
}

void IndexBounds::with_axis(const AxisNode* axis, const SizeRange& range,
                            llvm::function_ref<void()> body, int64_t first, int64_t step) {
  const auto known = axes_.find(axis);
  const std::optional<Steps> outer =
      known == axes_.end() ? std::nullopt : std::optional(known->second);
  axes_[axis] = {range, first, step};
  ranges_.where(range, body);
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
  ranges_.where(possible, body);
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

void IndexBounds::assume_comparison(const Binary& comparison) {
  const Expr &lhs = comparison.lhs, &rhs = comparison.rhs;
  const SizeRange left = range(lhs), right = range(rhs);
  const auto up_to = [&](const SizeRange& end) { return ranges_.ends({}, end); };
  const auto from = [&](const SizeRange& start) { return ranges_.ends(start, {}); };
  const auto less = [&](const SizeRange& range) {
    return ranges_.combined(BinaryOp::sub, range, unit_range);
  };
  const auto more = [&](const SizeRange& range) {
    return ranges_.combined(BinaryOp::add, range, unit_range);
  };
  const auto narrow_both = [&](const SizeRange& of_left, const SizeRange& of_right) {
    narrow(lhs, of_left);
    narrow(rhs, of_right);
  };
  switch (comparison.op) {
    case BinaryOp::lt:
      return narrow_both(less(up_to(right)), more(from(left)));
    case BinaryOp::le:
      return narrow_both(up_to(right), from(left));
    case BinaryOp::gt:
      return narrow_both(more(from(right)), less(up_to(left)));
    case BinaryOp::ge:
      return narrow_both(from(right), up_to(left));
    case BinaryOp::eq:
      return narrow_both(right, left);
    default:
      return;
  }
}

void IndexBounds::narrow(const Expr& index, const SizeRange& to) {
  const SizeRange after = on_steps(index, ranges_.both(range(index), to));
  possible_.push_back(after);
  const bool is_one_value =
      llvm::isa<IntConst>(index) || (llvm::isa<ParamRef>(index) && params_are_known_);
  if (is_one_value) return;
  known_.push_back({numbers_.of(index), std::exchange(latest(index), after)});
  if (const auto* binary = llvm::dyn_cast<Binary>(index)) narrow_operands(*binary, after);
}

/// The part of `range` from and to values that the index has, where that is an axis with steps.
SizeRange IndexBounds::on_steps(const Expr& index, const SizeRange& range) {
  const auto* axis = llvm::dyn_cast<AxisRef>(index);
  const auto known = axis ? axes_.find(axis->axis.get()) : axes_.end();
  if (known == axes_.end() || known->second.step == 1) return range;
  const Steps& steps = known->second;
  return ranges_.on_steps(range, steps.first, steps.step);
}

/// Narrows each operand to the range for which the value is within `to`.
void IndexBounds::narrow_operands(const Binary& binary, const SizeRange& to) {
  const auto& [lhs, rhs] = std::pair(binary.lhs, binary.rhs);
  const auto factor = as_int(rhs);
  const auto combined = [&](BinaryOp op, const SizeRange& left, const SizeRange& right) {
    return ranges_.combined(op, left, right);
  };
  switch (binary.op) {
    case BinaryOp::add:
      narrow(lhs, combined(BinaryOp::sub, to, range(rhs)));
      return narrow(rhs, combined(BinaryOp::sub, to, range(lhs)));
    case BinaryOp::sub:
      narrow(lhs, combined(BinaryOp::add, to, range(rhs)));
      return narrow(rhs, combined(BinaryOp::sub, range(lhs), to));
    case BinaryOp::mul:
      if (factor && *factor > 0) narrow(lhs, ranges_.factors(to, *factor));
      return;
    default:
      return;
  }
}

}  // namespace hone

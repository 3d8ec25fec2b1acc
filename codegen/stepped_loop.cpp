#include "codegen/stepped_loop.h"

#include <numeric>

#include "ir/analysis/divisibility.h"
#include "ir/equal.h"
#include "ir/polynomial.h"
#include "ir/rewriter.h"
#include "ir/simplify.h"
#include "ir/visit.h"

namespace hone {
namespace {

/// The factor of axis*factor; nothing for any other expression.
std::optional<int64_t> factor_of(const Expr& expr, const AxisNode* axis) {
  const auto* product = llvm::dyn_cast<Binary>(expr);
  if (!product || product->op != BinaryOp::mul) return std::nullopt;
  const auto* reference = llvm::dyn_cast<AxisRef>(product->lhs);
  if (!reference || reference->axis.get() != axis) return std::nullopt;
  return as_int(product->rhs);
}

/// The greatest common divisor of the factors that the axis occurs with; 1 where it stands alone.
class FactorFinder : public Rewriter {
 public:
  explicit FactorFinder(const AxisNode* axis) : axis_(axis) {}
  using Rewriter::rewrite;

  Expr rewrite(const Expr& expr) override {
    if (const auto factor = factor_of(expr, axis_)) {
      divisor = std::gcd(divisor, *factor);
      return expr;
    }
    const auto* reference = llvm::dyn_cast<AxisRef>(expr);
    if (reference && reference->axis.get() == axis_) divisor = 1;
    return rewrite_operands(expr);
  }

  int64_t divisor = 0;

 private:
  const AxisNode* axis_;
};

/// axis*factor, where the axis counts in steps.
class StepRewriter : public Rewriter {
 public:
  StepRewriter(const AxisNode* axis, int64_t step) : axis_(axis), step_(step) {}
  using Rewriter::rewrite;

  Expr rewrite(const Expr& expr) override {
    const auto factor = factor_of(expr, axis_);
    if (!factor) return rewrite_operands(expr);
    const Expr& axis = llvm::cast<Binary>(expr)->lhs;
    return *factor == step_ ? axis : axis * (*factor / step_);
  }

 private:
  const AxisNode* axis_;
  int64_t step_;
};

/// `n` of (n + step - 1) / step, and of n / step where that leaves no rest.
Expr divided(const Expr& extent, int64_t step, const Facts& facts) {
  const auto* quotient = llvm::dyn_cast<Binary>(extent);
  if (!quotient || quotient->op != BinaryOp::div || !is_int(quotient->rhs, step)) return {};
  if (divides(step, quotient->lhs, facts)) return quotient->lhs;
  const auto* sum = llvm::dyn_cast<Binary>(quotient->lhs);
  return sum && sum->op == BinaryOp::add && is_int(sum->rhs, step - 1) ? sum->lhs : Expr();
}

/// The one shift of a constant by the axis that a loop uses it for.
class ShiftFinder : public Rewriter {
 public:
  explicit ShiftFinder(const AxisNode* axis) : axis_(axis) {}
  using Rewriter::rewrite;

  Expr rewrite(const Expr& expr) override {
    if (const Binary* shift = as_shift(expr)) {
      is_only_shifted_ &= !shift_.defined() || equal(shift_, expr);
      shift_ = expr;
      return AxisRef::make(llvm::cast<AxisRef>(shift->rhs)->axis);
    }
    const auto* reference = llvm::dyn_cast<AxisRef>(expr);
    if (reference && reference->axis.get() == axis_) is_only_shifted_ = false;
    return rewrite_operands(expr);
  }

  /// Null where there is none, or the axis has other uses.
  const Binary* shift() const {
    return is_only_shifted_ ? llvm::dyn_cast_or_null<Binary>(shift_.get()) : nullptr;
  }

 private:
  const Binary* as_shift(const Expr& expr) const {
    const auto* shift = llvm::dyn_cast<Binary>(expr);
    if (!shift || (shift->op != BinaryOp::shl && shift->op != BinaryOp::shr)) return nullptr;
    const auto* by = llvm::dyn_cast<AxisRef>(shift->rhs);
    return as_int(shift->lhs) && by && by->axis.get() == axis_ ? shift : nullptr;
  }

  const AxisNode* axis_;
  Expr shift_;
  bool is_only_shifted_ = true;
};

std::optional<SteppedLoop> shifted(const For& loop) {
  ShiftFinder finder(loop.axis.get());
  const Stmt body = finder.rewrite(loop.body);
  const auto count = as_int(loop.extent);
  const Binary* shift = finder.shift();
  if (!shift || !count || *count > 30) return std::nullopt;
  const int64_t first = *as_int(shift->lhs);
  const bool doubles = shift->op == BinaryOp::shl;
  if (!doubles && first >> (*count - 1) == 0) return std::nullopt;
  SteppedLoop result{doubles ? first << *count : first >> *count, 0, body};
  result.kind = doubles ? SteppedLoop::Kind::doubling : SteppedLoop::Kind::halving;
  result.first = first;
  return result;
}

/// The limit of `axis` that a condition sets; undefined where it sets none.
Expr limit_of(const Expr& condition, const AxisPtr& axis) {
  const auto* less = llvm::dyn_cast<Binary>(condition);
  if (!less || less->op != BinaryOp::lt || less->lhs.type() != DType::index) return {};
  if (reads_tensor(condition) || mentions(less->rhs, axis.get())) return {};
  const auto linear = Polynomial::of(less->lhs).linear_in(axis.get());
  if (!linear || linear->coefficient.constant() != 1) return {};
  return less->rhs - linear->rest.to_expr();
}

/// The guard of the whole body as the limit, where that is no larger. Loops of constant extents
/// stay as they are: compilers unroll them.
SteppedLoop with_guard_as_limit(SteppedLoop result, const For& loop, const Facts& facts) {
  const auto* guard = llvm::dyn_cast<If>(result.body);
  const Binding& binding = loop.binding;
  const bool is_unrolled = binding.kind == Binding::Kind::unroll && binding.count != 0;
  if (!guard || as_int(loop.extent) || !(binding.is_serial() || is_unrolled)) return result;
  const Expr limit = limit_of(guard->condition, loop.axis);
  if (!limit.defined() || !proves(limit <= result.limit, facts)) return result;
  result.limit = simplify(limit, facts);
  result.is_guard = true;
  return result;
}

}  // namespace

SteppedLoop stepped(const For& loop, const Facts& facts) {
  if (const auto result = shifted(loop)) return *result;
  FactorFinder finder(loop.axis.get());
  finder.rewrite(loop.body);
  const int64_t step = finder.divisor;
  if (step <= 1) return with_guard_as_limit({loop.extent, 1, loop.body}, loop, facts);
  Expr limit = divided(loop.extent, step, facts);
  if (!limit.defined()) limit = simplify(loop.extent * step, facts);
  const Stmt body = StepRewriter(loop.axis.get(), step).rewrite(loop.body);
  return with_guard_as_limit({limit, step, body}, loop, facts);
}

}  // namespace hone

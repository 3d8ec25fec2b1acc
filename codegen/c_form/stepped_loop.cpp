#include "codegen/c_form/stepped_loop.h"

#include <numeric>

#include "ir/algebra/polynomial.h"
#include "ir/algebra/simplify.h"
#include "ir/algebra/sum.h"
#include "ir/analysis/divisibility.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// The factor of axis*factor; nothing for any other expression, and for the least integer, which
/// divides nothing.
std::optional<int64_t> factor_of(const Expr& expr, const AxisNode* axis) {
  const auto* product = llvm::dyn_cast<Binary>(expr);
  if (!product || product->op != BinaryOp::mul) return std::nullopt;
  const auto* reference = llvm::dyn_cast<AxisRef>(product->lhs);
  if (!reference || reference->axis.get() != axis) return std::nullopt;
  const auto factor = as_int(product->rhs);
  return factor == INT64_MIN ? std::nullopt : factor;
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
  // The counter and the value that it ends with are ints.
  if (first > INT32_MAX >> (doubles ? *count : 0)) return std::nullopt;
  if (!doubles && first >> (*count - 1) == 0) return std::nullopt;
  const Expr limit = doubles ? first << *count : first >> *count;
  const auto kind = doubles ? LoopCount::Kind::doubling : LoopCount::Kind::halving;
  return SteppedLoop{{limit, 0, kind, first}, body};
}

/// A condition axis + offset < limit.
struct Bound {
  Sum offset;  ///< without a constant
  Expr limit;

  Expr last() const { return limit - offset.to_expr(); }
};

/// The bound that a condition sets to `axis`; nothing where it sets no limit.
std::optional<Bound> bound_of(const Expr& condition, const AxisPtr& axis) {
  const auto* less = llvm::dyn_cast<Binary>(condition);
  if (!less || less->op != BinaryOp::lt || less->lhs.type() != DType::index) return std::nullopt;
  if (reads_tensor(condition) || mentions(less->rhs, axis.get())) return std::nullopt;
  const auto linear = Polynomial::of(less->lhs).linear_in(axis.get());
  if (!linear || linear->coefficient.constant() != 1) return std::nullopt;
  Sum offset = Sum::of(linear->rest.to_expr());
  const int64_t constant = offset.constant();
  if (!offset.add(Sum(constant), -1)) return std::nullopt;
  return Bound{offset, less->rhs - constant};
}

/// axis + offset, where the axis counts from the offset. Fails where the axis occurs without it.
class StartRewriter : public Rewriter {
 public:
  StartRewriter(const AxisNode* axis, const Sum& offset) : axis_(axis), offset_(offset) {}
  using Rewriter::rewrite;

  bool failed() const { return failed_; }

  Expr rewrite(const Expr& expr) override {
    if (failed_ || !mentions(expr, axis_)) return expr;
    failed_ = llvm::isa<AxisRef>(expr);
    const auto* binary = llvm::dyn_cast<Binary>(expr);
    const bool adds = binary && (binary->op == BinaryOp::add || binary->op == BinaryOp::sub);
    if (!adds || binary->type != DType::index) return rewrite_operands(expr);
    const Sum sum = Sum::of(expr);
    const auto* term =
        llvm::find_if(sum.terms(), [&](const Product& part) { return is_axis(part); });
    return term == sum.terms().end() ? rewrite_operands(expr) : without_offset(sum, *term);
  }

 private:
  bool is_axis(const Product& product) const {
    const auto* reference = llvm::dyn_cast<AxisRef>(product.factors.front());
    return product.factors.size() == 1 && reference && reference->axis.get() == axis_;
  }

  Expr without_offset(const Sum& sum, const Product& axis) {
    Sum rest = sum;
    failed_ = !rest.add(offset_, -axis.coefficient) ||
              rest.terms().size() + offset_.terms().size() != sum.terms().size() ||
              llvm::any_of(rest.terms(), [&](const Product& term) {
                return !is_axis(term) && mentions(term.to_expr(), axis_);
              });
    return rest.to_expr();
  }

  const AxisNode* axis_;
  const Sum& offset_;
  bool failed_ = false;
};

/// The guard of the whole body as the limit, where that is no larger. Loops of constant extents
/// stay as they are: compilers unroll them.
SteppedLoop with_guard_as_limit(SteppedLoop result, const For& loop, const Facts& facts) {
  const auto* guard = llvm::dyn_cast<If>(result.body);
  const Binding& binding = loop.binding;
  const bool is_unrolled = binding.kind == Binding::Kind::unroll && binding.count != 0;
  if (!guard || as_int(loop.extent) || !(binding.is_serial() || is_unrolled)) return result;
  const auto bound = bound_of(guard->condition, loop.axis);
  if (!bound || !proves(bound->last() <= result.count.limit, facts)) return result;
  result.count.is_guard = true;
  result.count.limit = simplify(bound->last(), facts);
  StartRewriter from_start(loop.axis.get(), bound->offset);
  const Stmt body = bound->offset.is_zero() ? result.body : from_start.rewrite(result.body);
  if (bound->offset.is_zero() || from_start.failed()) return result;
  result.count.first = bound->offset.to_expr();
  result.count.limit = simplify(bound->limit, facts);
  result.body = body;
  return result;
}

}  // namespace

bool LoopCount::is_of_trips() const {
  return kind == Kind::adding && step == 1 && is_int(first, 0);
}

Expr iterations_below(const Expr& condition, const AxisPtr& axis) {
  const auto bound = bound_of(condition, axis);
  return bound ? bound->last() : Expr();
}

SteppedLoop stepped(const For& loop, const Facts& facts) {
  if (const auto result = shifted(loop)) return *result;
  FactorFinder finder(loop.axis.get());
  finder.rewrite(loop.body);
  const int64_t step = finder.divisor;
  if (step <= 1) return with_guard_as_limit({{loop.extent}, loop.body}, loop, facts);
  Expr limit = divided(loop.extent, step, facts);
  if (!limit.defined()) limit = simplify(loop.extent * step, facts);
  const Stmt body = StepRewriter(loop.axis.get(), step).rewrite(loop.body);
  return with_guard_as_limit({{limit, step}, body}, loop, facts);
}

}  // namespace hone

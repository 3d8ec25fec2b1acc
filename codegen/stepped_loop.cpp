#include "codegen/stepped_loop.h"

#include <numeric>

#include "ir/analysis/divisibility.h"
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

}  // namespace

SteppedLoop stepped(const For& loop, const Facts& facts) {
  FactorFinder finder(loop.axis.get());
  finder.rewrite(loop.body);
  const int64_t step = finder.divisor;
  if (step <= 1) return {loop.extent, 1, loop.body};
  Expr limit = divided(loop.extent, step, facts);
  if (!limit.defined()) limit = simplify(loop.extent * step, facts);
  return {limit, step, StepRewriter(loop.axis.get(), step).rewrite(loop.body)};
}

}  // namespace hone

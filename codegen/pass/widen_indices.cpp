// w[i*j % n]      =>   w[index(i64(i))*j % n]            where i*j outgrows every size
// 1 << j          =>   index(1i64) << j
// min(i*j, 8)     =>   min(index(i64(i))*j, index(8i64))
//
// An operator computes in as many bits as the wider operand has, so that one operand of the first
// operator that needs more than an int is enough. A value that grows no faster than the sizes do
// stays narrow: launches refuse sizes for which it would not fit.
#include "codegen/contract/index_ranges.h"
#include "codegen/contract/index_width.h"
#include "codegen/contract/size_bound.h"
#include "codegen/pass/passes.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/DenseSet.h"

namespace hone {
namespace {

using Nodes = llvm::DenseSet<const ExprNode*>;

/// True if an int holds all index arithmetic for the sizes of a launch: no ranges are needed.
bool operators_grow_like_sizes(const KernelFunction& kernel, SizeBounds& bounds) {
  return kernel.index_bits == 32 && !any_expr_of(kernel.body, [&](const Expr& expr) {
           return expr.type() == DType::index && llvm::isa<Unary, Binary>(expr) &&
                  !bounds.grows_like_sizes(expr);
         });
}

/// The operators that need more bits than they have.
Nodes too_narrow(const KernelFunction& kernel) {
  Nodes nodes;
  SizeBounds bounds(kernel);
  if (operators_grow_like_sizes(kernel, bounds)) return nodes;
  for_each_index_step(kernel, nullptr, LoopForm::plain, [&](const IndexStep& step) {
    if (step.fits() || step.bits == 64 || step.is_variable()) return;
    const bool is_bounded = step.has_elements || bounds.grows_like_sizes(step.expr);
    if (kernel.index_bits == 64 || !is_bounded) nodes.insert(step.expr.get());
  });
  return nodes;
}

class Widener : public Rewriter {
 public:
  Widener(const Nodes& narrow, int index_bits) : narrow_(narrow), index_bits_(index_bits) {}
  using Rewriter::rewrite;

  Expr rewrite(const Expr& expr) override {
    const Expr rebuilt = rewrite_operands(expr);
    if (const auto* unary = llvm::dyn_cast<Unary>(rebuilt); unary && is_narrow(expr, rebuilt))
      return Unary::make(unary->op, widened(unary->operand));
    const auto* binary = llvm::dyn_cast<Binary>(rebuilt);
    if (!binary || binary->lhs.type() != DType::index) return rebuilt;
    if (is_narrow(expr, rebuilt))
      return Binary::make(binary->op, with_first_wide(binary->lhs), binary->rhs);
    return is_mixed_call(*binary) ? of_one_width(*binary) : rebuilt;
  }

 private:
  int bits(const Expr& expr) const { return width_of(expr, index_bits_); }

  bool is_narrow(const Expr& expr, const Expr& rebuilt) const {
    return narrow_.contains(expr.get()) && bits(rebuilt) < 64;
  }

  /// The first operand of a sum or a product, which makes all that it is an operand of wide.
  static Expr with_first_wide(const Expr& expr) {
    const auto* binary = llvm::dyn_cast<Binary>(expr);
    if (!binary || binary->op > BinaryOp::mul) return widened(expr);
    return Binary::make(binary->op, with_first_wide(binary->lhs), binary->rhs);
  }

  /// There are functions for two operands of one type alone; among variables of 64 bits, literals
  /// are written as such anyway.
  bool is_mixed_call(const Binary& binary) const {
    if (binary.op != BinaryOp::min && binary.op != BinaryOp::max) return false;
    const bool has_literal = as_int(binary.lhs) || as_int(binary.rhs);
    return bits(binary.lhs) != bits(binary.rhs) && (index_bits_ == 32 || !has_literal);
  }

  Expr of_one_width(const Binary& call) const {
    const auto wide = [&](const Expr& side) { return bits(side) == 64 ? side : widened(side); };
    return Binary::make(call.op, wide(call.lhs), wide(call.rhs));
  }

  const Nodes& narrow_;
  int index_bits_;
};

}  // namespace

void widen_indices(KernelFunction& kernel) {
  const Nodes narrow = too_narrow(kernel);
  kernel.body = Widener(narrow, kernel.index_bits).rewrite(kernel.body);
}

}  // namespace hone

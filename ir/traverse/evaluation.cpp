#include "ir/traverse/evaluation.h"

#include "ir/traverse/visit.h"

namespace hone {

void walk_evaluated(
    const Expr& expr, llvm::function_ref<void(const Expr&)> use,
    llvm::function_ref<void(const Expr& condition, llvm::function_ref<void()> rest)> under) {
  const auto side = [&](const Expr& condition, const Expr& part) {
    under(condition, [&] { walk_evaluated(part, use, under); });
  };
  if (const auto* choice = llvm::dyn_cast<Select>(expr)) {
    walk_evaluated(choice->condition, use, under);
    side(choice->condition, choice->if_true);
    return side(!choice->condition, choice->if_false);
  }
  if (const auto* binary = llvm::dyn_cast<Binary>(expr); binary && is_logical(binary->op)) {
    walk_evaluated(binary->lhs, use, under);
    const bool is_and = binary->op == BinaryOp::logical_and;
    return side(is_and ? binary->lhs : !binary->lhs, binary->rhs);
  }
  for_each_operand(expr, [&](const Expr& operand) { walk_evaluated(operand, use, under); });
  use(expr);
}

}  // namespace hone

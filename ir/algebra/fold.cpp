#include "ir/algebra/fold.h"

#include "ir/scalar/scalar.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// True of a choice between two equal constants, whatever the condition is.
bool has_one_value(const Select& choice) {
  return as_scalar(choice.if_true) && equal(choice.if_true, choice.if_false) &&
         !may_divide_by_zero(choice.condition);
}

/// One operation on constants.
Expr fold(const Expr& expr) {
  if (const auto* choice = llvm::dyn_cast<Select>(expr); choice && has_one_value(*choice))
    return choice->if_true;
  llvm::SmallVector<Scalar, 3> operands;
  bool known = true;
  for_each_operand(expr, [&](const Expr& operand) {
    const auto value = as_scalar(operand);
    known &= value.has_value();
    if (value) operands.push_back(*value);
  });
  if (!known) return {};
  if (const auto* unary = llvm::dyn_cast<Unary>(expr))
    return constant_of(apply(unary->op, operands[0]));
  if (const auto* binary = llvm::dyn_cast<Binary>(expr))
    return constant_of(apply(binary->op, operands[0], operands[1]));
  if (llvm::isa<Named>(expr)) return constant_of(operands[0]);
  if (llvm::isa<Cast>(expr)) return constant_of(convert(expr.type(), operands[0]));
  if (const auto* call = llvm::dyn_cast<Call>(expr))
    return constant_of(apply(call->intrinsic, operands));
  if (const auto* component = llvm::dyn_cast<Component>(expr))
    return constant_of(operands[0].component(component->position));
  if (llvm::isa<Select>(expr)) return constant_of(operands[operands[0].integer != 0 ? 1 : 2]);
  return {};
}

}  // namespace

Expr folded(const Expr& expr) {
  return transform(expr, [](const Expr& part) -> Expr {
    try {
      return fold(part);
    } catch (const ArithmeticError&) {
      return {};  // it fails when the program runs, if it does
    }
  });
}

bool may_divide_by_zero(const Expr& expr) {
  return any_of(expr, [&](const Expr& part) {
    const auto* binary = llvm::dyn_cast<Binary>(part);
    const bool divides = binary && (binary->op == BinaryOp::div || binary->op == BinaryOp::mod);
    return divides && !is_float(part.type()) && as_int(binary->rhs).value_or(0) <= 0;
  });
}

}  // namespace hone

#include "runtime/sim/flops.h"

#include <algorithm>

#include "ir/visit.h"

namespace hone {
namespace {

int64_t operations_of(Intrinsic intrinsic, DType type) {
  if (!is_float(type) || intrinsic == Intrinsic::abs) return 0;
  return intrinsic == Intrinsic::fma ? 2 : 1;
}

int64_t float_operations(const Expr& expr) {
  if (const auto* select = llvm::dyn_cast<Select>(expr))
    return float_operations(select->condition) +
           std::max(float_operations(select->if_true), float_operations(select->if_false));
  int64_t operations = 0;
  for_each_operand(expr, [&](const Expr& operand) { operations += float_operations(operand); });
  if (const auto* binary = llvm::dyn_cast<Binary>(expr))
    return operations + (is_float(binary->lhs.type()) ? 1 : 0);
  if (const auto* call = llvm::dyn_cast<Call>(expr))
    return operations + operations_of(call->intrinsic, call->type);
  return operations;
}

}  // namespace

int64_t float_operations(const Stmt& stmt) {
  const auto* store = llvm::dyn_cast<Store>(stmt);
  if (!store) return 0;
  const bool combines = store->update != Update::set && is_float(store->tensor->type);
  const int64_t combining = store->op ? float_operations(store->op->combined) : combines;
  return float_operations(store->value) + combining;
}

}  // namespace hone

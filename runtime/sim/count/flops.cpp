#include "runtime/sim/count/flops.h"

#include <algorithm>

#include "ir/traverse/visit.h"

namespace hone {
namespace {

using IsCounted = bool (*)(DType);

int64_t operations_of(Intrinsic intrinsic, DType type, IsCounted is_counted) {
  if (!is_counted(type) || intrinsic == Intrinsic::abs) return 0;
  return intrinsic == Intrinsic::fma ? 2 : 1;
}

int64_t operations_of(const Expr& expr, IsCounted is_counted) {
  const auto of = [&](const Expr& one) { return operations_of(one, is_counted); };
  if (const auto* select = llvm::dyn_cast<Select>(expr))
    return of(select->condition) + std::max(of(select->if_true), of(select->if_false));
  int64_t operations = 0;
  for_each_operand(expr, [&](const Expr& operand) { operations += of(operand); });
  if (const auto* binary = llvm::dyn_cast<Binary>(expr))
    return operations + (is_counted(binary->lhs.type()) ? 1 : 0);
  if (const auto* call = llvm::dyn_cast<Call>(expr))
    return operations + operations_of(call->intrinsic, call->type, is_counted);
  return operations;
}

int64_t operations_of(const Stmt& stmt, IsCounted is_counted) {
  const auto* store = llvm::dyn_cast<Store>(stmt);
  if (!store) return 0;
  const bool combines = store->update != Update::set && is_counted(store->tensor->type);
  const int64_t combining =
      store->op ? operations_of(store->op->combined, is_counted) : int64_t{combines};
  return operations_of(store->value, is_counted) + combining;
}

}  // namespace

int64_t float_operations(const Stmt& stmt) { return operations_of(stmt, is_float); }

int64_t double_operations(const Stmt& stmt) {
  return operations_of(stmt, [](DType type) { return type == f64; });
}

}  // namespace hone

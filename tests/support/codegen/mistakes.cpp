#include "tests/support/codegen/mistakes.h"

namespace hone {

KernelFunction with_mistake(const KernelFunction& kernel, int n,
                            llvm::function_ref<Change> change) {
  KernelFunction result = kernel;
  int number = 0;
  result.body = transform_stmts(kernel.body, [&](const Stmt& stmt) -> Stmt {
    const Stmt changed = change(stmt);
    return changed.defined() && number++ == n ? changed : Stmt();
  });
  return result;
}

Stmt with_other_parity(const Stmt& stmt) {
  const auto* wait = llvm::dyn_cast<WaitMbarrier>(stmt);
  return wait ? WaitMbarrier::make(wait->mbarriers, wait->slot, 1 - wait->parity) : Stmt();
}

}  // namespace hone

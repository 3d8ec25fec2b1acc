#include "tests/support/codegen/mistakes.h"

#include "ir/opcodes/opcodes.h"

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
  const Instr* wait = as(stmt, op::wait_mbarrier);
  return wait ? wait->with(wait->places, 1 - wait->values[0]) : Stmt();
}

}  // namespace hone

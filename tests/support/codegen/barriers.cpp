#include "tests/support/codegen/barriers.h"

#include "ir/opcodes/opcodes.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {

int count_barriers(const KernelFunction& kernel) {
  int count = 0;
  walk(kernel.body, [&](const Stmt& stmt) { count += is_barrier(stmt); });
  return count;
}

KernelFunction without_barrier(const KernelFunction& kernel, int n) {
  KernelFunction result = kernel;
  int number = 0;
  result.body = transform_stmts(kernel.body, [&](const Stmt& stmt) {
    return is_barrier(stmt) && number++ == n ? Seq::make({}) : Stmt();
  });
  return result;
}

}  // namespace hone

#include "codegen/contract/index_ranges.h"
#include "codegen/contract/index_width.h"
#include "codegen/contract/size_bound.h"
#include "codegen/pass/passes.h"
#include "ir/traverse/visit.h"

namespace hone {

namespace {

/// Constant sizes beyond 32 bits; sizes known at launch are checked there.
bool exceeds(llvm::ArrayRef<Expr> extents, int64_t most) {
  int64_t product = 1;
  for (const Expr& extent : extents)
    if (__builtin_mul_overflow(product, as_int(extent).value_or(1), &product)) return true;
  return product > most;
}

/// True if a variable outgrows the sizes. The operators that it consists of cannot do so alone.
bool has_large_variable(const KernelFunction& kernel) {
  SizeBounds bounds(kernel);
  if (bounds.variables_grow_like_sizes()) return false;
  bool found = false;
  for_each_index_step(kernel, nullptr, LoopForm::stepped, [&](const IndexStep& step) {
    found |= step.is_variable() && !step.fits() && !bounds.grows_like_sizes(step.expr);
  });
  return found;
}

}  // namespace

void choose_index_width(KernelFunction& kernel) {
  if (kernel.index_bits != 0) return;
  kernel.index_bits = 32;
  const int64_t most = max_size_32(kernel);
  bool wide = has_large_variable(kernel);
  for (const TensorPtr& tensor : kernel.arguments) wide |= exceeds(tensor->shape, most);
  walk(kernel.body, [&](const Stmt& stmt) {
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) wide |= exceeds(loop->extent, most);
  });
  for (int dim = 0; dim < 3; ++dim) wide |= exceeds({kernel.grid[dim], kernel.block[dim]}, most);
  if (wide) kernel.index_bits = 64;
}

}  // namespace hone

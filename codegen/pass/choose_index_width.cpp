#include "codegen/index_width.h"
#include "codegen/pass/passes.h"
#include "ir/visit.h"

namespace hone {

namespace {

/// Constant sizes beyond 32 bits; sizes known at launch are checked there.
bool exceeds(llvm::ArrayRef<Expr> extents, int64_t most) {
  int64_t product = 1;
  for (const Expr& extent : extents)
    if (__builtin_mul_overflow(product, as_int(extent).value_or(1), &product)) return true;
  return product > most;
}

}  // namespace

void choose_index_width(KernelFunction& kernel) {
  if (kernel.index_bits != 0) return;
  const int64_t most = max_size_32(kernel);
  bool wide = false;
  for (const TensorPtr& tensor : kernel.arguments) wide |= exceeds(tensor->shape, most);
  walk(kernel.body, [&](const Stmt& stmt) {
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) wide |= exceeds(loop->extent, most);
  });
  for (int dim = 0; dim < 3; ++dim) wide |= exceeds({kernel.grid[dim], kernel.block[dim]}, most);
  kernel.index_bits = wide ? 64 : 32;
}

}  // namespace hone

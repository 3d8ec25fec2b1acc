#include "codegen/pass/passes.h"
#include "ir/visit.h"

namespace hone {
namespace {

/// Constant sizes beyond 32 bits; sizes known at launch are checked there.
bool needs_64_bits(llvm::ArrayRef<Expr> extents) {
  int64_t product = 1;
  for (const Expr& extent : extents)
    if (__builtin_mul_overflow(product, as_int(extent).value_or(1), &product)) return true;
  return product > max_size_32;
}

}  // namespace

void choose_index_width(KernelFunction& kernel) {
  if (kernel.index_bits != 0) return;
  bool wide = false;
  for (const TensorPtr& tensor : kernel.arguments) wide |= needs_64_bits(tensor->shape);
  walk(kernel.body, [&](const Stmt& stmt) {
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) wide |= needs_64_bits(loop->extent);
  });
  for (int dim = 0; dim < 3; ++dim) wide |= needs_64_bits({kernel.grid[dim], kernel.block[dim]});
  kernel.index_bits = wide ? 64 : 32;
}

}  // namespace hone

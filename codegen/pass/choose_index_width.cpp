#include <algorithm>

#include "codegen/pass/passes.h"
#include "ir/visit.h"

namespace hone {

int64_t max_size_32(const KernelFunction& kernel) {
  int64_t room = int64_t{1} << 20;
  walk_exprs(kernel.body, [&](const Expr& expr) {
    const auto* product = llvm::dyn_cast<Binary>(expr);
    if (!product || product->op != BinaryOp::mul || product->type != DType::index) return;
    const int64_t step = std::abs(as_int(product->rhs).value_or(0));
    room = std::max(room, 2 * std::min(step, int64_t{1} << 30));
  });
  return (int64_t{1} << 31) - room;
}

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

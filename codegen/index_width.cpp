#include "codegen/index_width.h"

#include <algorithm>

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

}  // namespace hone

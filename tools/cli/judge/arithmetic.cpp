#include "tools/cli/judge/arithmetic.h"

#include "ir/analysis/products.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/STLExtras.h"

namespace hone {
namespace {

bool adds_products_of_16_bits(const Stmt& stmt) {
  const auto* store = llvm::dyn_cast<Store>(stmt);
  const auto type = store ? product_type(*store) : std::nullopt;
  return type == f16 || type == bf16;
}

}  // namespace

Arithmetic arithmetic_of(const Function& program) {
  const bool is_double =
      llvm::any_of(program.arguments, [](const TensorPtr& tensor) { return tensor->type == f64; });
  if (is_double) return Arithmetic::fp64;
  return any_of(program.body, adds_products_of_16_bits) ? Arithmetic::tensor : Arithmetic::fp32;
}

}  // namespace hone

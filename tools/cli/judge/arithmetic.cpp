#include "tools/cli/judge/arithmetic.h"

#include "ir/analysis/products.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/STLExtras.h"

namespace hone {
namespace {

bool adds_products_of(const Function& program, std::initializer_list<DType> types) {
  return any_of(program.body, [&](const Stmt& stmt) {
    const auto* store = llvm::dyn_cast<Store>(stmt);
    const auto type = store ? product_type(*store) : std::nullopt;
    return type && llvm::is_contained(types, *type);
  });
}

}  // namespace

Arithmetic arithmetic_of(const Function& program) {
  const bool is_double =
      llvm::any_of(program.arguments, [](const TensorPtr& tensor) { return tensor->type == f64; });
  if (is_double) return Arithmetic::fp64;
  if (adds_products_of(program, {f16, bf16})) return Arithmetic::tensor;
  if (adds_products_of(program, {tf32})) return Arithmetic::tf32;
  if (adds_products_of(program, {f8e4m3, f8e5m2})) return Arithmetic::fp8;
  return adds_products_of(program, {i8}) ? Arithmetic::int8 : Arithmetic::fp32;
}

}  // namespace hone

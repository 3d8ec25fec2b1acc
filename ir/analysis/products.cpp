#include "ir/analysis/products.h"

namespace hone {
namespace {

/// The element that the value is, converted or not, wherever it is not zero instead; null for any
/// other value.
const Load* converted_element(Expr value) {
  while (true) {
    const auto* cast = llvm::dyn_cast<Cast>(value);
    const auto* choice = llvm::dyn_cast<Select>(value);
    if (cast)
      value = cast->operand;
    else if (choice && is_zero(choice->if_false))
      value = choice->if_true;
    else
      return llvm::dyn_cast<Load>(value.get());
  }
}

}  // namespace

std::optional<DType> product_type(const Store& store) {
  const auto* product = llvm::dyn_cast<Binary>(store.value);
  if (store.update != Update::add || !product || product->op != BinaryOp::mul) return std::nullopt;
  const Load *lhs = converted_element(product->lhs), *rhs = converted_element(product->rhs);
  if (!lhs || !rhs || lhs->tensor->type != rhs->tensor->type) return std::nullopt;
  return lhs->tensor->type;
}

}  // namespace hone

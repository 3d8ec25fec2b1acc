#include "ir/analysis/products.h"

#include "ir/traverse/named_values.h"
#include "llvm/ADT/STLExtras.h"

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

void append_factors(const Expr& value, llvm::SmallVectorImpl<Expr>& factors) {
  const auto* product = llvm::dyn_cast<Binary>(value);
  if (!product || product->op != BinaryOp::mul) return factors.push_back(value);
  append_factors(product->lhs, factors);
  append_factors(product->rhs, factors);
}

}  // namespace

llvm::SmallVector<Expr, 4> factors_of(const Expr& value) {
  llvm::SmallVector<Expr, 4> factors;
  append_factors(without_names(value), factors);
  return factors;
}

std::optional<DType> product_type(const Store& store) {
  if (store.update != Update::add) return std::nullopt;
  auto factors = factors_of(store.value);
  if (factors.size() > 2)
    llvm::erase_if(factors, [](const Expr& factor) { return !llvm::isa<Cast>(factor); });
  if (factors.size() != 2) return std::nullopt;
  const Load *lhs = converted_element(factors[0]), *rhs = converted_element(factors[1]);
  if (!lhs || !rhs || lhs->tensor->type != rhs->tensor->type) return std::nullopt;
  return lhs->tensor->type;
}

}  // namespace hone

#include "ir/core/tensor.h"

#include "llvm/Support/ErrorHandling.h"

namespace hone {

llvm::StringRef name(Scope scope) {
  switch (scope) {
    case Scope::global:
      return "global";
    case Scope::shared:
      return "shared";
    case Scope::registers:
      return "registers";
  }
  llvm_unreachable("unknown scope");
}

TensorPtr make_tensor(llvm::StringRef name, DType type, llvm::ArrayRef<Expr> shape, Scope scope,
                      Layout layout, int64_t address) {
  auto* tensor = new TensorNode;
  tensor->name = name.str();
  tensor->type = type;
  tensor->shape.assign(shape.begin(), shape.end());
  tensor->scope = scope;
  tensor->layout = std::move(layout);
  tensor->address = address;
  return tensor;
}

TensorPtr make_twin(const TensorNode& tensor, llvm::StringRef name) {
  auto* twin = new TensorNode(tensor);
  twin->id = next_id();
  twin->name = name.str();
  return twin;
}

TensorPtr with_alignment(const TensorNode& tensor, int64_t alignment) {
  auto* aligned = new TensorNode(tensor);
  aligned->alignment = alignment;
  return aligned;
}

TensorPtr retyped(const TensorNode& tensor, DType type) {
  auto* typed = new TensorNode(tensor);
  typed->type = type;
  return typed;
}

TensorPtr in_parts(const TensorNode& tensor) {
  auto* parts = new TensorNode(tensor);
  parts->is_in_parts = true;
  return parts;
}

TensorPtr make_value(llvm::StringRef name, DType type) {
  auto* value = new TensorNode(*make_tensor(name, type, {}, Scope::registers));
  value->is_value = true;
  return value;
}

llvm::ArrayRef<Expr> within_block(const TensorNode& tensor, llvm::ArrayRef<Expr> dims) {
  return dims.drop_front(tensor.is_in_parts && !dims.empty() ? 1 : 0);
}

TensorPtr make_form(const TensorNode& tensor, llvm::ArrayRef<Expr> shape, Scope scope,
                    Layout layout, int64_t address) {
  auto* form = new TensorNode(tensor);
  form->shape.assign(shape.begin(), shape.end());
  form->scope = scope;
  form->layout = std::move(layout);
  form->address = address;
  return form;
}

}  // namespace hone

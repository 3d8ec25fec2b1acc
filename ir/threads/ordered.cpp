#include "ir/threads/ordered.h"

#include "ir/traverse/visit.h"

namespace hone {
namespace {

bool is_in_registers(const TensorNode& tensor) {
  return tensor.scope == Scope::registers &&
         (tensor.type == DType::f32 || tensor.type == DType::f64);
}

/// The shared memory of the thread's block, for certain.
bool is_in_own_block(const TensorNode& tensor) {
  return tensor.scope == Scope::shared && !tensor.is_in_parts;
}

bool is_ordered(const Stmt& stmt) {
  if (const auto* copy = llvm::dyn_cast<Copy>(stmt)) return is_shared_load(*copy);
  const auto* store = llvm::dyn_cast<Store>(stmt);
  return store && (is_sum_of_products(*store) || is_shared_load(*store));
}

}  // namespace

bool is_sum_of_products(const Store& store) {
  const auto* product = llvm::dyn_cast<Binary>(store.value);
  return is_in_registers(*store.tensor) && store.update == Update::add && product &&
         product->op == BinaryOp::mul;
}

bool is_shared_load(const Store& store) {
  const auto* load = llvm::dyn_cast<Load>(store.value);
  return is_in_registers(*store.tensor) && store.update == Update::set && load &&
         is_in_own_block(*load->tensor);
}

bool is_shared_load(const Copy& copy) {
  return is_in_registers(*copy.destination.tensor) && is_in_own_block(*copy.source.tensor);
}

bool has_ordered_statements(const Stmt& body) { return any_of(body, is_ordered); }

bool keeps_order(const Stmt& body) {
  return any_of(body, [](const Stmt& stmt) {
    const auto* loop = llvm::dyn_cast<For>(stmt);
    return loop && loop->binding.has(attr::ordered) && has_ordered_statements(loop->body);
  });
}

}  // namespace hone

#include "codegen/c_form/declaration.h"

#include "ir/traverse/equal.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

using Axes = llvm::SmallVector<const AxisNode*, 4>;

/// The body of loops over whole dimensions of the tensor, whose axes go to `axes`; null where a
/// loop is another one.
Stmt body_of_loops(const Stmt& stmt, const TensorNode& tensor, Axes& axes) {
  const auto* loop = llvm::dyn_cast<For>(stmt);
  if (!loop) return stmt;
  if (axes.size() == tensor.rank() || !equal(loop->extent, tensor.shape[axes.size()])) return {};
  axes.push_back(loop->axis.get());
  return body_of_loops(loop->body, tensor, axes);
}

bool is_at(llvm::ArrayRef<Expr> indices, llvm::ArrayRef<const AxisNode*> axes) {
  return llvm::all_of(llvm::zip(indices, axes), [](const auto& dim) {
    const auto* index = llvm::dyn_cast<AxisRef>(std::get<0>(dim));
    return index && index->axis.get() == std::get<1>(dim);
  });
}

/// The store that gives a scalar its value, or all elements of an array 0; null for any other
/// statement.
const Store* initial_store(const TensorNode& tensor, const Stmt& first) {
  Axes axes;
  const Stmt body = body_of_loops(first, tensor, axes);
  const auto* store = llvm::dyn_cast_or_null<Store>(body.get());
  if (!store || store->tensor.get() != &tensor || store->update != Update::set) return nullptr;
  if (tensor.rank() == 0) return store;
  const bool is_whole = axes.size() == tensor.rank() && is_at(store->indices, axes);
  return is_whole && is_zero(store->value) ? store : nullptr;
}

bool reads(const Expr& expr, const TensorNode& tensor) {
  return any_of(expr, [&](const Expr& part) {
    const auto* load = llvm::dyn_cast<Load>(part);
    return load && load->tensor.get() == &tensor;
  });
}

/// Loads all of the registers as one vector, under a condition that does not ask for the zeros
/// before it.
bool loads_vector(const TensorNode& registers, const Stmt& stmt) {
  const auto* branch = llvm::dyn_cast<If>(stmt);
  if (!branch) return false;
  const auto [condition, body] = joined(*branch);
  const auto* copy = llvm::dyn_cast<Copy>(body);
  return copy && copy->destination.tensor.get() == &registers &&
         is_int(registers.shape[0], copy->vector) && !reads(condition, registers);
}

}  // namespace

JoinedIf joined(const If& branch) {
  JoinedIf result{branch.condition, branch.body};
  while (const auto* nested = llvm::dyn_cast<If>(result.body)) {
    result.condition = result.condition && nested->condition;
    result.body = nested->body;
  }
  return result;
}

Declaration declaration_of(const Alloc& alloc) {
  const TensorNode& tensor = *alloc.tensor;
  const auto* seq = llvm::dyn_cast<Seq>(alloc.body);
  auto stmts = seq ? llvm::ArrayRef<Stmt>(seq->stmts) : llvm::ArrayRef<Stmt>(alloc.body);
  const bool may_have_value = tensor.scope == Scope::registers && !stmts.empty();
  const Store* store = may_have_value ? initial_store(tensor, stmts.front()) : nullptr;
  Declaration result;
  if (!store) {
    result.rest = alloc.body;
    return result;
  }
  result.first = stmts.front();
  result.value = store->value;
  stmts = stmts.drop_front();
  if (tensor.rank() == 1 && !stmts.empty() && loads_vector(tensor, stmts.front())) {
    result.load = stmts.front();
    stmts = stmts.drop_front();
  }
  result.rest = Seq::make(stmts);
  return result;
}

}  // namespace hone

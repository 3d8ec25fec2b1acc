// alloc A.shared: f32[32, 32] @shared      =>   alloc A.shared: f32[32, 32] @shared(0)
//                                               for i in 0..M @block.x { ... }
//
// There is one of each shared tensor in a block, wherever its alloc stands: the allocs go to the
// top. Tensors have bytes in common where no dependence keeps the value of one while the other one
// is written (ir/memory/liveness.h). The accesses of two such tensors are edges like others
// (edges.h): the second tensor is written behind the waits for all that is done with the first one.

#include "codegen/pass/passes.h"
#include "ir/core/layout.h"
#include "ir/memory/shared_plan.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/tensors.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

Stmt without_shared_allocs(const Stmt& stmt) {
  return transform_stmts(stmt, [](const Stmt& nested) {
    const auto* alloc = llvm::dyn_cast<Alloc>(nested);
    const bool goes = alloc && alloc->tensor->scope == Scope::shared;
    return goes ? without_shared_allocs(alloc->body) : Stmt();
  });
}

}  // namespace

void plan_shared_memory(KernelFunction& kernel) {
  llvm::SmallVector<TensorPtr, 4> planned;
  llvm::DenseMap<const TensorNode*, TensorPtr> placed;
  for (const SharedPlace& place : plan_shared(kernel.body, facts_in(kernel))) {
    const TensorNode& tensor = *place.tensor;
    planned.push_back(make_form(tensor, tensor.shape, tensor.scope, tensor.layout, place.address));
    placed[&tensor] = planned.back();
  }
  kernel.body = replace_tensors(without_shared_allocs(kernel.body), [&](const TensorPtr& tensor) {
    return placed.lookup(tensor.get());
  });
  for (const TensorPtr& tensor : llvm::reverse(planned))
    kernel.body = Alloc::make(tensor, kernel.body);
}

}  // namespace hone

#include "codegen/kernel.h"

#include "ir/visit.h"

namespace hone {

Function as_function(const KernelFunction& kernel) {
  Function function;
  function.name = kernel.name;
  function.params = kernel.params;
  function.arguments = kernel.arguments;
  function.assumptions = kernel.assumptions;
  function.body = kernel.body;
  return function;
}

bool is_written(const KernelFunction& kernel, const TensorPtr& tensor) {
  return any_of(kernel.body, [&](const Stmt& stmt) {
    const auto* store = llvm::dyn_cast<Store>(stmt);
    const auto* copy = llvm::dyn_cast<Copy>(stmt);
    const auto* arrive = llvm::dyn_cast<Arrive>(stmt);
    const TensorPtr target = store    ? store->tensor
                             : copy   ? copy->destination.tensor
                             : arrive ? arrive->counter
                                      : nullptr;
    return target && target->scope == Scope::global && target->id == tensor->id;
  });
}

Facts facts_in(const KernelFunction& kernel) {
  Facts facts = facts_of(kernel.assumptions);
  for (unsigned dim = 0; dim < 3; ++dim)
    for (const auto& [space, extent] : {std::pair(IndexSpace::block, kernel.grid[dim]),
                                        std::pair(IndexSpace::thread, kernel.block[dim])})
      if (extent.defined()) facts.assume(ThreadIndex::make(space, dim) < extent);
  return facts;
}

}  // namespace hone

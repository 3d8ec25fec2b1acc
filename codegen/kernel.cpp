#include "codegen/kernel.h"

#include "ir/traverse/tensors.h"
#include "ir/traverse/visit.h"

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
    bool found = false;
    for_each_tensor(stmt, [&](const TensorPtr& named, TensorUse how) {
      found |= how == TensorUse::writes && named->id == tensor->id;
    });
    return found;
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

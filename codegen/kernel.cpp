#include "codegen/kernel.h"

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

Facts facts_in(const KernelFunction& kernel) {
  Facts facts = facts_of(kernel.assumptions);
  for (unsigned dim = 0; dim < 3; ++dim)
    for (const auto& [space, extent] : {std::pair(IndexSpace::block, kernel.grid[dim]),
                                        std::pair(IndexSpace::thread, kernel.block[dim])})
      if (extent.defined()) facts.assume(ThreadIndex::make(space, dim) < extent);
  return facts;
}

}  // namespace hone

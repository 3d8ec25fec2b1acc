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

}  // namespace hone

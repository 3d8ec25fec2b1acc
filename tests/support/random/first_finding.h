// Check mode over kernels with random arguments.
#pragma once

#include <string>

#include "codegen/kernel.h"
#include "tests/support/ir/run.h"

namespace hone {

/// The first finding about a kernel of the function, or nothing. `order`: of the warps, as
/// CheckOptions has it.
std::string first_finding(const KernelFunction& kernel, const Function& function,
                          const Sizes& sizes, uint64_t order = 0);

}  // namespace hone

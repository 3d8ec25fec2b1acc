// Functions that GPUs approximate by an instruction.
#pragma once

#include <string>

#include "codegen/kernel.h"

namespace hone {

/// Definitions of those that the kernel calls.
std::string cuda_approximate_helpers(const KernelFunction& kernel);

}  // namespace hone

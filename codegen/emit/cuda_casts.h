// The CUDA text of conversions between numbers: they round once, and a float becomes the nearest
// integer that the type holds, as in ir/scalar/scalar.h.
#pragma once

#include "codegen/kernel.h"

namespace hone {

std::string cuda_cast(DType to, DType from, llvm::StringRef operand, int index_bits);

/// The functions that the kernel calls for that.
std::string cuda_cast_helpers(const KernelFunction& kernel);

}  // namespace hone

// The CUDA text of conversions between numbers: they round once, and a float becomes the nearest
// integer that the type holds, as in ir/scalar/scalar.h.
#pragma once

#include "codegen/kernel.h"

namespace hone {

/// f16 or bf16.
bool is_half(DType type);
/// A half as a float, and a float as a half.
std::string cuda_to_float(DType from, const std::string& operand);
std::string cuda_from_float(DType to, const std::string& operand);

std::string cuda_cast(DType to, DType from, llvm::StringRef operand, int index_bits);

/// The functions that the kernel calls for that.
std::string cuda_cast_helpers(const KernelFunction& kernel);

}  // namespace hone

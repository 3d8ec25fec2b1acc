// The operators of users as functions in C and CUDA.
#pragma once

#include "codegen/emit/c_text.h"

namespace hone {

/// True if updates with the operator call a function. It makes them evaluate each operand once,
/// even one that the operator might not use: a shuffle that only some lanes evaluate has no value.
/// Simple operators are written in place.
bool has_function(const OperatorNode& op);

/// The functions that the kernel's updates call, by the `names` of the kernel. `qualifier` is as in
/// "__device__".
///
///   __device__ f32_i32 combine_argmax(f32_i32 lhs, f32_i32 rhs) {
///     return rhs.first > lhs.first ? rhs : lhs;
///   }
std::string operator_functions(const KernelFunction& kernel, const Identifiers& names,
                               const Dialect& dialect, llvm::StringRef qualifier);

}  // namespace hone

// The text of a kernel in C and CUDA beside its statements: its head, and its tuple types.
#pragma once

#include "codegen/kernel.h"

namespace hone {

class Dialect;

/// True if the kernel has a tensor or a value of the type.
bool uses_type(const KernelFunction& kernel, DType type);

/// The declarations of the tuple types that the kernel has.
std::string tuple_structs(const KernelFunction& kernel, const Dialect& dialect);
/// "f32_i32"
std::string tuple_name(DType type);
/// The members of its struct, each on a line.
std::string tuple_members(DType type, const Dialect& dialect);

/// "// " and each line of the head of a kernel: definitions, schedule, launch.
std::string header_comment(const KernelFunction& kernel, bool with_launch);

}  // namespace hone

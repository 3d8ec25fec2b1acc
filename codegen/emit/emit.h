// Text from kernel IR: deterministic to the byte, and meant to be read.
#pragma once

#include "codegen/kernel.h"

namespace hone {

/// CUDA C++ for NVRTC: one `extern "C" __global__` function, the kernel's `cuda_symbol`, headed by
/// its definitions, the schedule that made it and the launch shape. Parameters are the arguments'
/// pointers, then the params. The texts of several kernels may stand in one file.
std::string emit_cuda(const KernelFunction& kernel);
/// The same, and on which of its lines the statements of the body stand: a loop where its `for`
/// does, a store that became part of a declaration where that does.
LinedText emit_cuda_with_lines(const KernelFunction& kernel);

/// C99 with OpenMP pragmas: one function with the same parameters, the kernel's `host_symbol`. The
/// texts of several may stand in one file. Throws DefinitionError for floats narrower than f32,
/// which C99 does not have.
std::string emit_c(const KernelFunction& kernel);

}  // namespace hone

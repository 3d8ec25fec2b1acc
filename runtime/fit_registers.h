// Kernels whose blocks fit the registers of a multiprocessor.
#pragma once

#include <memory>

#include "codegen/kernel.h"
#include "runtime/nvrtc/nvrtc.h"

namespace hone {

/// The registers that a thread may have so that `threads` of them fit.
int64_t registers_that_fit(int64_t threads);

/// Threads of a block; 0 where the launch says.
int64_t threads_of(const KernelFunction& kernel);

/// True where there are enough registers for a block of the kernel, one of those that were
/// compiled, and where the launch says how many threads it has.
bool fits_registers(const Compiled& compiled, const KernelFunction& kernel);

/// As compile_cached; compiled once more, with a limit, where a block of `kernel` takes more
/// registers than there are, and could not be launched.
std::shared_ptr<const Compiled> compile_to_fit(CompileJob job, const KernelFunction& kernel);

}  // namespace hone

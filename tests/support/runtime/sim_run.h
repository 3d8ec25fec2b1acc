// Running kernels on the simulated device.
#pragma once

#include "codegen/kernel.h"
#include "ir/interpret/buffer.h"
#include "runtime/sim/device.h"
#include "tests/support/ir/run.h"

namespace hone {

/// Runs `kernel` with the buffers of its arguments' names.
void run_on_sim(const KernelFunction& kernel, const Sizes& sizes, Buffers& buffers,
                const SimOptions& options = {});

/// Runs the kernel `text` and returns what is in `C`.
Values sim_values(llvm::StringRef text, const Sizes& sizes, Buffers buffers,
                  const SimOptions& options = {});

/// The message of the RuntimeError that the kernel `text` ends with, or "no error".
std::string sim_error(llvm::StringRef text, const Sizes& sizes, Buffers buffers,
                      const SimOptions& options = {});

/// The same program as loop IR: blocks and threads are loops, so one thread runs after the other.
/// The kernel must have no barrier and no shared tensor.
Function as_loops(const KernelFunction& kernel);

}  // namespace hone

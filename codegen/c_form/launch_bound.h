// The size of a block that a kernel announces to its compiler.
#pragma once

#include <optional>

#include "codegen/kernel.h"

namespace hone {

/// The threads that a block of the kernel has at most, where its compiler is to know: where
/// registers are what the schedule is about, and where a launch decides. The other kernels need few
/// registers, and ptxas schedules loops over small tiles 5 % slower where it is told of 256
/// threads, or of 1024.
std::optional<int64_t> launch_bound(const KernelFunction& kernel);

/// The blocks that a multiprocessor holds at least, where the compiler is to know: as the schedule
/// says, or one of a kernel whose roles have registers of their own. ptxas has to know how many
/// registers its threads start with: all that a multiprocessor has. 0 where it may choose.
int64_t blocks_bound(const KernelFunction& kernel);

}  // namespace hone

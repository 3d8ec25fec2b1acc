// The kernels of a program on the simulated device, handed one by one to a function that runs and
// watches them.
#pragma once

#include "codegen/kernel.h"
#include "runtime/sim/device.h"
#include "tools/cli/judge/problem.h"
#include "tools/cli/output.h"

namespace hone {

/// Runs a kernel of a module, the one of that number.
using RunKernel = llvm::function_ref<void(size_t number, const Sizes& sizes,
                                          llvm::ArrayRef<SimArgument> arguments)>;

/// Calls `run` for each kernel of the module that has blocks, in order, on copies of the problem's
/// arrays. No element of an output, or of a temporary, holds a value until a kernel has written it.
/// Returns the arrays of the module's arguments, as the kernels leave them. Throws RuntimeError
/// where problem and program do not fit, and where no GPU has such a launch.
std::vector<AnyArray> run_kernels(const Module& module, const Problem& problem, RunKernel run);

/// The sizes of `given`, and for the others those that the simulated device takes a fraction of a
/// second for.
Sizes simulated_sizes(const Ladder& ladder, const Sizes& given);

/// Trips through loops, of all threads together, that the simulated device makes in a second.
inline constexpr double simulated_speed = 2e8, checking_speed = 1.5e7;

/// Says on standard error how long a run of so many trips takes, where that is long.
void announce_long_run(const std::string& name, int64_t trips, double speed, Output& out);

/// Throws UsageError where the rung's kernels are not a GPU's.
void check_runs_on_gpu(const RungRef& rung);

}  // namespace hone

// The requests of a kernel of somebody's file to memory: a table by line, and counters.
#pragma once

#include "llvm/Support/JSON.h"
#include "runtime/sim/count/count.h"
#include "tools/cli/cuda/kernel_run.h"
#include "tools/cli/measured_launch.h"

namespace hone {

/// The accesses of one line to one array, of one class and width, together; by line.
std::vector<ptx::AccessCounts> accesses_by_line(const ptx::LaunchCounts& counts);

/// The accesses by line, the counters that are not 0, registers and occupancy; with a line that
/// says whether the accesses are those of machine code, and the time on the GPU, if there is one.
/// Launches that were measured stand beside it, with their counters. Throws what launch_of() and
/// measured_counters() throw.
std::string counts_text(const KernelRun& run, const Gpu* gpu,
                        llvm::ArrayRef<MeasuredLaunch> launches = {});
llvm::json::Object counts_json(const KernelRun& run, const Gpu* gpu,
                               llvm::ArrayRef<MeasuredLaunch> launches = {});

}  // namespace hone

// Hand-written kernels as PTX on the simulated device, which checks or counts what they do.
#pragma once

#include "bench/gpu/contender.h"
#include "bench/gpu/contest.h"
#include "runtime/ptx/device.h"

namespace hone {

/// A contender for data on the host, each of whose launches appends to `reports`, which must
/// outlive it. Throws Skipped where the sizes are not for the kernel; a launch throws PtxError and
/// RuntimeError as ptx::launch() does.
Contender ptx_contender(const HandwrittenKernel& kernel, const Contest& contest, const Sizes& sizes,
                        const ptx::LaunchOptions& options, std::vector<ptx::Report>& reports);

}  // namespace hone

// Facts about a counted launch, with the seconds of a GPU that they are about: what it does in
// vain, and what it does more or less of than another one.
#pragma once

#include "tools/cli/cuda/kernel_run.h"

namespace hone {

struct LaunchFact {
  double seconds = 0;  ///< that it takes, or adds; what it saves is negative
  std::string text;    ///< a line
};

/// Time that a launch with an estimate takes in vain, the costliest first:
///
///   transpose.cu:6: a request of the global store to out takes 32 sectors, and 4 would hold its
///   bytes
std::vector<LaunchFact> wastes(const KernelRun& run, const Gpu& gpu);

/// Amounts that rise or fall from one launch with an estimate to another, the largest change of the
/// time of a resource first:
///
///   passes of shared loads fall 32x, 1048576 -> 32768: 92.1 us less for shared memory and L1
std::vector<LaunchFact> changes(const KernelRun& before, const KernelRun& after, const Gpu& gpu);

}  // namespace hone

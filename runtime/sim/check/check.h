// Check mode: runs a kernel on the simulated device and reports mistakes of the run by the
// rules of a GPU, not by how the simulation happens to go about it. The threads of a block are
// concurrent but for barriers, blocks always are. Races are found to the byte, in shared and in
// global memory; so are reads of elements that nothing has written, accesses out of bounds or
// misaligned, barriers that not all threads of a block reach, index arithmetic that leaves the bits
// that C has for it, and loops that run away.
#pragma once

#include <vector>

#include "runtime/sim/device.h"
#include "runtime/sim/finding.h"

namespace hone {

struct CheckOptions {
  int threads = 0;  ///< of the host; 0: one per core
  int64_t step_budget = SimOptions().step_budget;
  /// The seed of a random order in which the warps of a block run: any of them may wait while
  /// others go on, wherever no barrier orders them. 0: warps run together where they can, which is
  /// faster.
  uint64_t order = 0;
  /// Runs some blocks again with one barrier less, for each barrier; where that finds nothing more,
  /// nothing needs it.
  bool find_unneeded_barriers = false;
  /// Follows all index arithmetic, not only what is not proved to fit: several times slower.
  bool every_index = false;
};

struct CheckReport {
  std::vector<Finding> findings;  ///< the same for any number of host threads
  int64_t blocks = 0;             ///< that ran; one that is out of bounds ends there

  /// No finding, or hints alone.
  bool clean() const;
};

/// Runs the whole grid in check mode, which leaves the arguments as a run does. Throws
/// RuntimeError where sizes, arguments and launch shape are not what the kernel or a GPU takes.
CheckReport check(const KernelFunction& kernel, const Sizes& sizes,
                  llvm::ArrayRef<SimArgument> arguments, const CheckOptions& options = {});

}  // namespace hone

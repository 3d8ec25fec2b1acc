// The lines of a kernel by their parts of what its launch takes.
#pragma once

#include "tools/cli/cuda/kernel_run.h"

namespace hone {

/// Parts of the whole launch, 0 to 1.
struct LineCost {
  ptx::Site site;
  double issue = 0;       ///< of the issue slots; 0 where no time is known, like `pipe` and `waits`
  double pipe = 0;        ///< of the instructions of LineCosts::pipe
  double load_store = 0;  ///< of the clocks of shared memory and L1
  double l2 = 0;          ///< of the bytes of L2
  double waits = 0;       ///< of a warp's clocks
  /// Of the time of the launch: the resource that needs this line longest, or else of all of these.
  double most = 0;
};

struct LineCosts {
  std::vector<LineCost> lines;  ///< those that ran, the costliest first
  /// The busiest pipe for arithmetic, if it is busy for half of the time.
  std::optional<LaunchResource> pipe{};
  bool have_time = false;
};

LineCosts line_costs(const KernelRun& run);

/// A table of the first eight lines, those that take a twentieth at least; with a heading.
std::string costs_text(const LineCosts& costs);
llvm::json::Array costs_json(const LineCosts& costs);

}  // namespace hone

// The time of a launch on a GPU, from a run of its PTX on the simulated device.
#pragma once

#include <optional>

#include "llvm/Support/JSON.h"
#include "runtime/model/occupancy.h"
#include "tools/cli/estimate/demand.h"

namespace hone {

/// A kernel that is loaded, with its parameters.
struct LoadedLaunch {
  const ptx::LoadedModule& module;
  const ptx::KernelInfo& kernel;
  ptx::LaunchShape shape;
  llvm::ArrayRef<std::byte> params;

  int64_t blocks() const { return shape.grid[0] * shape.grid[1] * shape.grid[2]; }
  bool are_clustered() const { return shape.cluster != std::array<int64_t, 3>{1, 1, 1}; }
  int64_t threads() const { return shape.block[0] * shape.block[1] * shape.block[2]; }
};

/// Of one launch, or of several in a row.
struct EstimatedTime {
  LaunchTime time;
  double warp_instructions = 0;  ///< of machine code, of all blocks
  bool leaves_out_waits =
      false;  ///< warps wait for the copy engine or for signals, which takes no time here

  /// The launch behind it.
  EstimatedTime& operator+=(const EstimatedTime& other);
};

/// The time of one launch, and what it was made from.
struct LaunchEstimate {
  LaunchDemand demand;
  ptx::BlockPace pace;
  EstimatedTime time;
};

/// Clocks of shared memory and L1, of all blocks, as passes_of() has them.
double all_passes(const LaunchEstimate& estimate);

class LaunchEstimator {
 public:
  /// Throws RuntimeError where no block fits on a multiprocessor.
  LaunchEstimator(const Gpu& gpu, const BlockResources& block, const LoadedLaunch& launch);

  /// Of the L1 cache, as the blocks of a multiprocessor leave it to each of them.
  int64_t l1_bytes() const;
  /// `counts` are those of the launch with such a cache. Nothing where a block cannot run by
  /// itself, as it waits for others.
  std::optional<LaunchEstimate> estimate(const ptx::LaunchCounts& counts) const;

 private:
  const Gpu& gpu_;
  BlockResources block_;
  LoadedLaunch launch_;
  int64_t fitting_ = 1;  ///< blocks on a multiprocessor
};

/// "about 15.2 ms, bound by shared memory and L1"; below it the shares of the resources, and what
/// would move the bound, each on a line that begins with `indent`. No newline at the end.
std::string to_string(const EstimatedTime& estimate, const std::string& indent);
llvm::json::Value to_json(const Gpu& gpu, const EstimatedTime& estimate);

}  // namespace hone

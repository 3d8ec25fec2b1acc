// The time of one block that has a multiprocessor to itself, and what its instructions are: what a
// model of the whole launch is made of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/ptx/device.h"
#include "runtime/ptx/pace/pipe.h"

namespace hone::ptx {

/// The part of a line of the text in a block.
struct LinePace {
  std::string file;
  int line = 0;
  double instructions = 0;              ///< of the machine, of all warps
  std::array<double, pipes> by_pipe{};  ///< of these
  double clocks = 0;  ///< of BlockPace::clocks: until what the line waits for is there
};

struct BlockPace {
  /// From the first instruction to the last, of the warp that has most of them, on Hopper.
  double clocks = 0;
  double instructions = 0;              ///< of the machine, of all warps
  std::array<double, pipes> by_pipe{};  ///< of these
  double products = 0;  ///< of tensor cores, in those of floats of 16 bits at the full rate
  bool leaves_out_waits = false;  ///< which takes no time here
  std::vector<LinePace> lines;    ///< those that run, by file and line
};

/// Runs a block with most instructions twice, on memory as the launch has left it. `counts` are
/// those of the launch, and name the block; `dram_share` of the sectors that its loads miss in L1
/// are not in L2 either, 0 to 1. Nothing where the block does not come to its end by itself. Throws
/// what launch() throws.
std::optional<BlockPace> pace_of_block(const LoadedModule& module, const KernelInfo& kernel,
                                       const LaunchShape& shape, llvm::ArrayRef<std::byte> params,
                                       const LaunchCounts& counts, double dram_share);

}  // namespace hone::ptx

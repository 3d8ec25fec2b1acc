// From the counts of a launch to its needs on a GPU.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "runtime/model/launch_time.h"
#include "runtime/ptx/pace/pace.h"

namespace hone {

/// The bytes of an array of global memory, by its name; 0 where they are not known.
using BytesOfArray = llvm::function_ref<int64_t(llvm::StringRef)>;

/// Blocks of a launch, and those of them that a multiprocessor has at a time.
struct LaunchBlocks {
  int64_t all = 0;
  int64_t resident = 1;  ///< that fit
  bool are_clustered = false;
};

/// Clocks of the pipe of shared memory and L1.
double passes_of(AccessClass access_class, const MemoryCounts& counts);
/// A sector that is stored costs L2 as much as two that are loaded, one that is stored in part as
/// much as four; an atomic update of a lane is one of these.
double l2_bytes_of(AccessClass access_class, const MemoryCounts& counts,
                   const ptx::CacheCounts& cache);

/// Of the sectors that loads miss in L1, the share that is not in L2 either, if the bytes of each
/// array come from DRAM once: 0 to 1.
double dram_share(const ptx::LaunchCounts& counts, BytesOfArray bytes_of_array);

/// The needs of a launch that was counted. A block that reads bytes again finds them in L2 as far
/// as those of all blocks at work fit into half of it: the halves of L2 have copies of one
/// another's lines.
LaunchDemand demand_of(const Gpu& gpu, const LaunchBlocks& blocks, const ptx::LaunchCounts& counts,
                       const ptx::BlockPace& pace, BytesOfArray bytes_of_array);

}  // namespace hone

// The time that a launch takes on a GPU, from what its blocks need: a prediction, where the
// roofline is a bound.
//
// Blocks that share a multiprocessor are customers of its pipes, of L2 and of DRAM, and wait there
// for each other: mean value analysis of a closed network of queues (Reiser and Lavenberg, 1980),
// with the time that a block takes alone as what it needs without any waiting. Waits at different
// resources overlap, so they count as the root of the sum of their squares.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "llvm/ADT/StringRef.h"
#include "runtime/model/gpus.h"

namespace hone {

/// The resources that a launch may be bound by.
enum class LaunchResource : uint8_t {
  issue,       ///< the schedulers, which issue instructions of warps
  integer,     ///< the pipe of integers, logic and comparisons
  fp32,        ///< that of floats, and of products of integers
  fp64,        ///< that of doubles
  special,     ///< reciprocals, roots, exponentials
  tensor,      ///< tensor cores
  load_store,  ///< shared memory and L1, which have one pipe
  l2,
  dram,
  updates,   ///< atomic ones of one word, which wait for each other in L2
  clusters,  ///< blocks of clusters start one after the other
  latency,   ///< blocks wait for results, and there are too few of them to fill the gaps
};
inline constexpr size_t launch_resources = 12;
/// "issue slots", "integer pipe", ..., "L2", "DRAM", "atomic updates", "starts of clusters",
/// "latency"
llvm::StringRef name(LaunchResource resource);

/// True of what all multiprocessors share: L2, DRAM, words of memory, and starts of clusters.
bool is_shared_by_all(LaunchResource resource);

/// The needs of a block, and the blocks.
struct LaunchDemand {
  int64_t blocks = 0;
  int blocks_per_sm = 1;  ///< that fit on a multiprocessor
  /// Clocks of a multiprocessor's own pipes, by resource.
  std::array<double, launch_resources> clocks{};
  /// Clocks of a block that has a multiprocessor to itself, without those of its start.
  double clocks_alone = 0;
  double l2_bytes = 0;    ///< between L1 and L2; a sector that is stored in part counts twice
  double dram_bytes = 0;  ///< of DRAM
  double updates = 0;     ///< atomic ones, of the word that has most
  bool are_clustered = false;

  double& operator[](LaunchResource resource) { return clocks[static_cast<size_t>(resource)]; }
};

struct LaunchTime {
  double seconds = 0;
  /// Seconds that each resource is busy; of latency, those without any waiting for others.
  std::array<double, launch_resources> busy{};
  double seconds_without_blocks = 0;  ///< of these: between launches
  /// The busiest resource, if all together take four fifths of the time of blocks; or else latency.
  LaunchResource bound() const;
  double operator[](LaunchResource resource) const { return busy[static_cast<size_t>(resource)]; }
  /// The seconds in which blocks are at work.
  double of_blocks() const { return seconds - seconds_without_blocks; }
  /// The part of these that a resource is busy, 1 at most.
  double share(LaunchResource resource) const {
    return of_blocks() > 0 ? std::min((*this)[resource] / of_blocks(), 1.0) : 0;
  }
};

/// The time of one launch; the GPU is at its highest clock. Throws RuntimeError where a need is
/// negative or not a number.
LaunchTime launch_time(const Gpu& gpu, const LaunchDemand& demand);

/// The advice that follows from a bound: "fewer instructions: ..."
llvm::StringRef remedy(LaunchResource bound);

/// "about 15.2 ms, bound by shared memory and L1"
std::string to_string(const LaunchTime& time);

}  // namespace hone

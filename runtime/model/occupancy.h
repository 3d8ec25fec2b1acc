// Theoretical occupancy: the number of blocks of a launch that a multiprocessor holds at a time,
// and the resources that keep it from more, from the resources of a block alone.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace hone {

/// Resources of a block. Registers are those that the assembler reports (PtxasInfo); shared bytes
/// are static and dynamic ones together.
struct BlockResources {
  int64_t threads = 0;
  int64_t registers_per_thread = 0;
  int64_t shared_bytes = 0;
};

enum class OccupancyLimit : uint8_t { warps, blocks, registers, shared_memory };
/// "warps", "blocks", "registers", "shared memory"
llvm::StringRef name(OccupancyLimit limit);

/// SM: a multiprocessor. In brackets what Nsight Compute calls it.
struct Occupancy {
  /// The blocks that a resource allows which no block takes.
  static constexpr int unlimited = std::numeric_limits<int>::max();

  int blocks_per_sm = 0;  ///< at least 1
  int warps_per_sm = 0;
  double fraction = 0;  ///< of all warps [sm__maximum_warps_per_active_cycle_pct, as 0 to 1]
  // Blocks that each resource alone allows.
  int warps_limit = 0;      ///< [launch__occupancy_limit_warps]
  int blocks_limit = 0;     ///< [launch__occupancy_limit_blocks]
  int registers_limit = 0;  ///< [launch__occupancy_limit_registers]
  int shared_limit = 0;     ///< [launch__occupancy_limit_shared_mem]
  /// The resources that allow no more than that, in the order of the enumeration.
  llvm::SmallVector<OccupancyLimit, 4> limiters;
};

/// Throws RuntimeError where `arch` ("sm_90", "sm_90a") is not known, with those that are; and
/// where not even one block fits, with what would.
Occupancy occupancy(llvm::StringRef arch, const BlockResources& block);

/// The number of blocks that a resource allows, step by step.
struct OccupancyTerm {
  OccupancyLimit limit = OccupancyLimit::warps;
  int blocks = 0;  ///< Occupancy::unlimited where no block takes any of it
  /// "128 registers * 32 threads = 4096 for a warp; 4 files of 16384 hold 4 warps each, 16 in all;
  /// 16 / 8 = 2"
  std::string arithmetic;
};

/// The arithmetic behind occupancy(), in the order of the limits. Throws as that does.
std::vector<OccupancyTerm> occupancy_terms(llvm::StringRef arch, const BlockResources& block);

/// "8 blocks, 64 of 64 warps (100 %), limited by warps and registers"
std::string to_string(const Occupancy& occupancy, llvm::StringRef arch);

}  // namespace hone

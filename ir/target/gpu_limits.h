// The one table of what NVIDIA's GPUs take: facts of the architecture, not of a product, known
// without a GPU.
#pragma once

#include <array>
#include <cstdint>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace hone {

/// Threads that exchange values without shared memory.
inline constexpr int64_t warp_size = 32;

/// Threads that give registers back, or take more, together.
inline constexpr int64_t warpgroup_size = 4 * warp_size;

/// The registers of a thread, in steps, that setmaxnreg may ask for.
inline constexpr int64_t least_set_registers = 24, most_set_registers = 256, set_registers_step = 8;

/// Bytes are of shared memory; registers are of 32 bits. SM: a multiprocessor.
struct ArchitectureLimits {
  int capability;                ///< 90 for sm_90
  int warps_per_sm;              ///< that reside at a time
  int blocks_per_sm;             ///< that reside at a time
  int shared_bytes_per_sm;       ///< with the smallest L1 cache
  int shared_bytes_per_block;    ///< with opt-in
  int reserved_bytes_per_block;  ///< that the system takes for itself
  int shared_unit;               ///< bytes; what a block gets is a multiple
  int blocks_per_cluster;        ///< on every GPU of the architecture; 1: there are no clusters
  // The same in all that the table has.
  int static_shared_bytes_per_block = 48 << 10;  ///< without opt-in
  int l1_bytes_per_sm = 28 << 10;  ///< that shared memory never takes; it leaves its own
  int registers_per_sm = 65536;
  int registers_per_block = 65536;
  int register_unit = 256;  ///< a warp gets a multiple of it
  int register_files = 4;   ///< each takes the registers of every fourth warp
  int max_registers = 255;  ///< of a thread
  int max_threads = 1024;   ///< of a block
  int threads_per_warp = warp_size;
  std::array<int64_t, 3> max_block = {1024, 1024, 64};           ///< threads in x, y, z
  std::array<int64_t, 3> max_grid = {2147483647, 65535, 65535};  ///< blocks in x, y, z
};

/// By ascending capability.
llvm::ArrayRef<ArchitectureLimits> known_architectures();

/// Of "sm_90", "sm_90a" or "compute_90"; null where the table has no such architecture.
const ArchitectureLimits* find_architecture(llvm::StringRef arch);

/// The most generous architecture, and the one that the simulated device is of: more than it takes,
/// no GPU does.
const ArchitectureLimits& widest_architecture();

}  // namespace hone

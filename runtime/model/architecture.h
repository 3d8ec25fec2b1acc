// Capacities of the multiprocessors of NVIDIA's architectures. Facts of the architecture, not of a
// product: known without a GPU.
#pragma once

#include <string>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace hone {

/// Bytes are of shared memory; registers are of 32 bits. SM: a multiprocessor.
struct ArchitectureLimits {
  int capability;                ///< 90 for sm_90
  int warps_per_sm;              ///< that reside at a time
  int blocks_per_sm;             ///< that reside at a time
  int shared_bytes_per_sm;       ///< with the smallest L1 cache
  int shared_bytes_per_block;    ///< with opt-in
  int reserved_bytes_per_block;  ///< that the system takes for itself
  int shared_unit;               ///< bytes; what a block gets is a multiple
  // The same in all that the table has.
  int registers_per_sm = 65536;
  int registers_per_block = 65536;
  int register_unit = 256;  ///< what a warp gets is a multiple
  int register_files = 4;   ///< each takes the registers of every fourth warp
  int max_registers = 255;  ///< of a thread
  int max_threads = 1024;   ///< of a block
  int threads_per_warp = 32;
};

/// By ascending capability.
llvm::ArrayRef<ArchitectureLimits> known_architectures();

/// Of "sm_90", "sm_90a" or "compute_90"; null where the table has no such architecture.
const ArchitectureLimits* find_architecture(llvm::StringRef arch);

/// The same; throws RuntimeError that lists the known ones.
const ArchitectureLimits& architecture_limits(llvm::StringRef arch);

}  // namespace hone

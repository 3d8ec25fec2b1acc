// Observers of a launch: check mode and count mode.
#pragma once

#include "runtime/ptx/device.h"
#include "runtime/ptx/machine/engine.h"

namespace hone::ptx {

/// One access to memory by the lanes of a warp.
struct MemoryAccess {
  Warp& warp;
  const MemoryDetail& detail;
  uint32_t number;                          ///< of the detail
  Space space;                              ///< shared, global or local, never generic
  LaneMask lanes;                           ///< of one space
  const std::array<uint64_t, 32>& address;  ///< in that space; of global memory, the host's
  const std::array<std::byte*, 32>& data;
  Allocation* allocation;  ///< that has all of it; null where that is none, or several
  bool is_uniform;         ///< all lanes have one place
};

/// Watches a block.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Before it happens.
  virtual void access(const MemoryAccess&) {}
  /// The warps, with all of their lanes that have come, wait for each other at a barrier.
  virtual void synchronise(Block&, llvm::ArrayRef<LaneMask> /*lanes_by_warp*/) {}
  /// The blocks of a cluster do; the lanes of this one that have come.
  virtual void synchronise_cluster(llvm::ArrayRef<LaneMask> /*lanes_by_warp*/) {}
  /// Lanes of a warp wait for each other.
  virtual void synchronise(Warp&, LaneMask) {}
  /// The writes of the active lanes so far are there for other blocks that see what they write
  /// next.
  virtual void fence(Warp&) {}
  /// A value is used: as the condition of a branch, or where it leaves the thread.
  virtual void use(Warp&, Ref, LaneMask, const char* /*how*/) {}
  /// The same for an address.
  virtual void use_address(Warp&, Ref) {}
  virtual void end_block(Block&) {}

  /// A warp reads so many bytes of shared memory for its part of a product.
  virtual void multiply(const WarpgroupDetail&, int64_t /*bytes*/) {}

  // Asynchronous operations, and mbarriers:

  /// A lane starts an operation.
  virtual void start(Warp&, int, AsyncOperation&) {}
  /// It has read; it has written.
  virtual void end_reads(const AsyncOperation&) {}
  virtual void end_writes(const AsyncOperation&) {}
  /// The block is over, and it has not ended.
  virtual void leave(const AsyncOperation&) {}
  /// The lane has waited for it, or for its reads alone.
  virtual void await(const AsyncOperation&, bool) {}
  /// A lane arrives at an mbarrier, or an operation ends, which counts there.
  virtual void arrive(Warp&, int, const Found&) {}
  virtual void arrive(const AsyncOperation&) {}
  /// The phase of an mbarrier ends; a lane has seen that one has.
  virtual void end_phase(const Found&) {}
  virtual void pass(Warp&, int, const Found&) {}
  /// True if all of the bytes of shared or global memory hold values.
  virtual bool are_set(const Found&, int64_t) { return true; }
  /// They hold values from now on, or none.
  virtual void mark_set(const Found&, int64_t, bool) {}
  /// The active lanes order the accesses of threads and of engines.
  virtual void fence_engines(Warp&) {}
};

/// Watches a launch.
class LaunchObserver {
 public:
  virtual ~LaunchObserver() = default;
  /// Gives a block its observer.
  virtual void watch(Block& block) = 0;
  /// Adds what was seen.
  virtual void finish(Report& /*report*/) {}
};

}  // namespace hone::ptx

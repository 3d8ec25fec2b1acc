// Observers of a launch: check mode and count mode.
#pragma once

#include "runtime/ptx/device.h"
#include "runtime/ptx/machine/warp.h"

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
  const Allocation* allocation;  ///< that has all of it; null where that is none, or several
  bool is_uniform;               ///< all lanes have one place
};

class Observer {
 public:
  virtual ~Observer() = default;
  /// Before it happens.
  virtual void access(const MemoryAccess& access) = 0;
  /// The warps, with all of their lanes that have come, wait for each other at a barrier.
  virtual void synchronise(Block& block, llvm::ArrayRef<LaneMask> lanes_by_warp) = 0;
  /// Lanes of a warp wait for each other.
  virtual void synchronise(Warp& warp, LaneMask lanes) = 0;
  /// What the active lanes wrote is there for other blocks that see what they write next.
  virtual void fence(Warp& warp) = 0;
  /// The condition of a branch, an address, a value that leaves the thread: `ref` is used.
  virtual void use(Warp& warp, Ref ref, LaneMask lanes, const char* how) = 0;
  /// The same for an address.
  virtual void use_address(Warp& warp, Ref ref) = 0;
  virtual void report(Report::Finding finding, Place first, Place second) = 0;
  virtual void end_block(Block& block) = 0;
};

}  // namespace hone::ptx

// The memory of the spaces that an access may be of, with their bounds.
#pragma once

#include <algorithm>

#include "runtime/ptx/machine/access.h"
#include "runtime/ptx/machine/block.h"

namespace hone::ptx {

/// The lanes of an access that are in one space.
struct Group {
  Warp& warp;
  const MemoryDetail& detail;
  Space space;
  LaneMask mask;
  int64_t bytes;
};

/// Of the addresses of a group: the least, the greatest, and all bits that are in any of them.
struct Extent {
  uint64_t least = ~uint64_t{0}, greatest = 0, bits = 0;

  /// Behind all bytes of an access; addresses may lie at the end of all memory.
  uint64_t end(int64_t bytes) const {
    return greatest + static_cast<uint64_t>(bytes) < greatest ? ~uint64_t{0} : greatest + bytes;
  }
  void add(uint64_t address) {
    least = std::min(least, address);
    greatest = std::max(greatest, address);
    bits |= address;
  }
};

/// The memory that the lanes of a group have come to.
struct Landing {
  Allocation* allocation = nullptr;  ///< that all of them are in, if it is one
  LaneMask strays = 0;               ///< those that are outside of their memory
};

template <class Use>
inline void for_lanes_of(LaneMask mask, const Use& use) {
  if (mask != all_lanes) return for_each_lane(mask, use);
  for (int lane = 0; lane < lanes; ++lane) use(lane);
}

/// Finds the host's memory of the lanes. Throws Fault where a GPU would end the launch.
Landing find_in_space(const Group& group, const Extent& extent, Targets& targets);
/// Throws Fault about the first lane whose address is no multiple of Group::bytes.
[[noreturn]] void fail_alignment(const Group& group, const Targets& targets);

}  // namespace hone::ptx

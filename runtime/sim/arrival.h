// How a block's accesses are ordered with those of others: by counting itself in. Accesses of a
// block before that are ordered before those of the last one behind it.
#pragma once

#include <limits>

#include "runtime/sim/shadow.h"

namespace hone {

enum class BlockOrder : uint8_t {
  none,
  released,  ///< before the block arrives, for the last one to see
  acquired,  ///< by the last one, behind its arrival
};
inline constexpr int block_orders = 3;

/// One thread counts its block in. A barrier orders what other threads did before, and what they do
/// behind it.
struct Arrival {
  int64_t counter = -1;   ///< the number of its cell
  uint64_t floor = 0;     ///< the interval that the last barrier before it began
  uint64_t interval = 0;  ///< the last one before it
  int lane = 0;
  bool is_last = false;
  uint64_t next_floor = std::numeric_limits<uint64_t>::max();  ///< of the first barrier behind it

  bool exists() const { return counter >= 0; }

  BlockOrder order_of(Stamp stamp) const {
    if (!exists()) return BlockOrder::none;
    const bool is_own = stamp.lane() == lane;
    if (stamp.interval() <= interval)
      return is_own || stamp.interval() < floor ? BlockOrder::released : BlockOrder::none;
    const bool is_behind = is_own || stamp.interval() >= next_floor;
    return is_last && is_behind ? BlockOrder::acquired : BlockOrder::none;
  }
};

}  // namespace hone

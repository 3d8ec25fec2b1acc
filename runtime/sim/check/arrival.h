// The order of a block's accesses and those of others, made by arrivals: accesses of a block before
// its arrival come before those of the last block behind its own.
#pragma once

#include <algorithm>
#include <limits>

#include "llvm/ADT/SmallVector.h"
#include "runtime/sim/check/clocks.h"

namespace hone {

enum class BlockOrder : uint8_t {
  none,
  released,  ///< before the block arrives, for the last one to see
  acquired,  ///< by the last one, behind its arrival
};
inline constexpr int block_orders = 3;

/// One thread counts its block in. A wait orders the accesses of other threads before, and those
/// behind it.
struct Arrival {
  int64_t counter = -1;  ///< the number of its cell
  int thread = 0;
  uint64_t time = 0;  ///< of its agent, the last one before it
  bool is_last = false;
  int shift = 0;                               ///< from the number of a thread to that of its agent
  llvm::SmallVector<uint64_t, 1> floors;       ///< by agent: times below are before it
  llvm::SmallVector<uint64_t, 1> next_floors;  ///< by agent: times from here on are behind it

  Arrival() = default;
  Arrival(const Clocks& clocks, int thread, int64_t counter, bool is_last)
      : counter(counter),
        thread(thread),
        time(clocks.time(clocks.agent_of(thread))),
        is_last(is_last),
        shift(clocks.shift()) {
    for (int other = 0; other < clocks.agents(); ++other)
      floors.push_back(clocks.floor(clocks.agent_of(thread), other));
    next_floors.assign(clocks.agents(), std::numeric_limits<uint64_t>::max());
  }

  bool exists() const { return counter >= 0; }

  BlockOrder order_of(Stamp stamp) const {
    if (!exists()) return BlockOrder::none;
    const bool is_own = stamp.lane() == thread;
    const int agent = stamp.lane() >> shift;
    const uint64_t then = stamp.interval();
    if (is_own ? then <= time : then < floors[agent]) return BlockOrder::released;
    return is_last && (is_own || then >= next_floors[agent]) ? BlockOrder::acquired
                                                             : BlockOrder::none;
  }

  /// Agents have waited for others: some of them know of the arrival now.
  void update(const Clocks& clocks) {
    if (!exists()) return;
    for (int agent = 0; agent < clocks.agents(); ++agent)
      if (clocks.floor(agent, clocks.agent_of(thread)) > time)
        next_floors[agent] = std::min(next_floors[agent], clocks.time(agent));
  }
};

}  // namespace hone

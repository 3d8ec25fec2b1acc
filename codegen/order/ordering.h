// The order that waits and fences bring.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ir/opcodes/opcodes.h"

namespace hone {

/// The threads that an edge leads between, or that wait for each other, from the fewest: those of a
/// warp, of a warpgroup...
enum class Reach : uint8_t { none, thread, warp, warpgroup, block, cluster };

/// The waits and fences between the accesses on either side of a segment.
struct Ordering {
  Reach who = Reach::none;     ///< every thread has waited for these; `thread`: for its own groups
  Reach fenced = Reach::none;  ///< and for fences of these: the engine sees what they have written

  Ordering with(const Ordering& more) const {
    return {std::max(who, more.who), std::max(fenced, more.fenced)};
  }
};

/// The barrier at which these threads wait for each other; nothing for `thread`.
Stmt barrier_of(Reach who);
/// The threads that wait for each other at the barrier.
Reach reach_of(const BarrierScope& barrier);

}  // namespace hone

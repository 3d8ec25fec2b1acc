// The part of a loop with roles that consumers run, by the mbarriers of its rings.
#pragma once

#include "ir/core/stmt.h"
#include "ir/traverse/rename.h"

namespace hone {

/// The mbarriers of a loop's rings, one of each kind for a slot.
struct RingPhases {
  TensorPtr full, empty;
  int64_t slots = 0;
  Expr before = 0;     ///< the number of iterations that earlier turns of the loop have
  int64_t blocks = 1;  ///< of a cluster, which fill the rings for each other
  Expr block = {};     ///< the number of this one there

  /// The number of an iteration among those of all turns.
  Expr number(const Expr& iteration) const {
    return is_int(before, 0) ? iteration : before + iteration;
  }
  Expr slot(const Expr& iteration) const { return number(iteration) % slots; }
  /// The parity of the phase that the ring's round ends.
  Expr parity(const Expr& iteration) const { return number(iteration) / slots % 2; }
  /// The parity of the phase before that.
  Expr parity_before(const Expr& iteration) const { return (number(iteration) / slots + 1) % 2; }
};

/// The threads for which one of them releases a slot: those of a warp where instructions read the
/// rings that warps run together, and each for itself else.
int64_t threads_of_release(const For& loop);

/// The loop as consumers run it: behind waits for full slots, and each slot is released behind its
/// last use. With a prefetch, they fill registers for the next iteration during this one.
Stmt consume(const For& loop, const RingPhases& mbarriers, Names& names);

}  // namespace hone

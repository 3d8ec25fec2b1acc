// Loops with roles: producer warps make the copies at the start of the body, and fill rings ahead
// of the other warps, the consumers, which do the rest.
#pragma once

#include "ir/analysis/last_use.h"
#include "ir/analysis/site.h"

namespace hone {

inline bool has_roles(const For& loop) { return loop.binding.kind == Binding::Kind::roles; }

/// The first loop with roles of a nest; null where it has none.
const For* loop_with_roles(const Stmt& nest);

/// The copies that producers make of the loop's body, which it begins with.
llvm::SmallVector<const Copy*, 2> copies_of_producers(const For& loop);
/// True if the copy engine makes all of these.
bool copies_are_all_boxes(const For& loop);
/// The body without these copies.
Stmt body_of_consumers(const For& loop);

/// The registers that consumers fill at the start of the body from the loop's rings, and from
/// nothing else that the loop writes; takes them off `body`, which is body_of_consumers.
llvm::SmallVector<TileFill, 2> take_fills_of_consumers(const For& loop, Stmt& body);

/// The slots of the rings that the copies fill; 0 where these are no rings of a constant size.
int64_t slots_of(const For& loop);
/// The slot that an iteration uses.
Expr slot_of(const For& loop);

/// The loops around that run the loop again and again, outermost first: no loops of blocks or
/// threads. Rings count through the iterations of all their turns.
llvm::SmallVector<const For*, 2> loops_that_repeat(const Site& site);
/// The number of iterations that the turns of the loop before this one have.
Expr iterations_before(const Site& site);

/// The loop over block.x around a place; null where there is none.
const For* loop_over_block_x(const Site& site);

/// Bytes of shared memory that the mbarriers of the loops with roles in `body` take.
int64_t ring_phase_bytes(const Stmt& body);

}  // namespace hone

// Registers have no addresses: limits on their number, and on the indices into them.
#pragma once

#include "ir/schedule/staging/region.h"

namespace hone {

/// Refuses a part of `tensor` for which a thread has not enough registers.
void check_register_count(const Preconditions& check, const Site& site, const TensorPtr& tensor,
                          llvm::ArrayRef<int64_t> extents);

/// The elements of `tile` that a thread has, where `body` touches it in loops of threads.
llvm::SmallVector<int64_t, 4> extents_per_thread(const TensorPtr& tile, const Stmt& body,
                                                 const Facts& facts);

/// A tensor, and the tile in registers that holds a box of it.
struct RegisterTile {
  TensorPtr tensor, tile;
  const Box& box;
};

using AxisSet = llvm::SmallVector<AxisPtr, 4>;

/// The axes inside the loop at `site` that index the tile. Refuses those whose loops cannot be
/// unrolled in full, and indices that depend on anything else.
AxisSet indexing_axes(const Preconditions& check, const Site& site,
                      llvm::ArrayRef<MemoryAccess> accesses, const RegisterTile& registers);

/// `stmt` with the serial loops of the axes unrolled in full.
Stmt unrolled_in_full(const Stmt& stmt, llvm::ArrayRef<AxisPtr> axes);

/// Refuses a rewrite to `after` in which the loops of the axes, unrolled now, are too many
/// statements.
void check_unrolled(const Preconditions& check, const Function& after,
                    llvm::ArrayRef<AxisPtr> axes);

}  // namespace hone

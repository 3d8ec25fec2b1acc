// Rings: tiles that a loop fills anew in each iteration get a slot for each of several iterations.
#pragma once

#include "ir/schedule/legality/preconditions.h"

namespace hone {

/// A tile that is filled anew in each iteration, and the ring that takes its place.
struct RingStage {
  TensorPtr tile, ring;
  Stmt fill;
};

/// The tiles that the body of a loop fills first, outermost first, up to the first one that is
/// filled from one of them, or whose fill `takes` is false of; takes them off `body`.
llvm::SmallVector<RingStage, 2> take_stages(
    Stmt& body,
    llvm::function_ref<bool(const Stmt& fill)> takes = [](const Stmt&) { return true; });

/// The ring of so many slots for a tile; dimension 0 counts them, and is the slowest one. Refuses
/// one that shared memory has no room for.
TensorPtr make_ring(const Preconditions& check, const For& loop, const TensorPtr& tile,
                    int64_t slots);

/// `stmt` with a slot of the ring in the place of the tile.
Stmt with_ring(const Stmt& stmt, const RingStage& stage, const Expr& slot);

/// True if the loop's iterations have slots of a tensor in turn.
bool uses_ring(const For& loop);

/// Refuses tiles whose fills would not find in their sources, iterations earlier, what they find
/// there, and tiles that are written otherwise. `rest` is the body without the fills.
void check_stages(const Preconditions& check, const For& loop, llvm::ArrayRef<RingStage> stages,
                  const Stmt& rest);

}  // namespace hone

// Reduction loops whose iterations run at the same time: what they update together, and how.
#pragma once

#include "ir/analysis/accesses.h"
#include "ir/schedule/site.h"

namespace hone {

/// The updates of a reduction loop that several of its iterations make to one element, in the order
/// of the text: `T[e] op= v`.
Accesses shared_updates(const Site& site);

/// What makes the elements of an index differ between iterations of a reduction loop: the name of
/// an axis, or of a tensor that iterations change; empty where it is the same for all. Spatial axes
/// inside the loop say which element an update is about, and count only where `over_spatial`.
std::string what_varies(const Expr& index, const MemoryAccess& update, const For& loop,
                        bool over_spatial);

/// The dimensions in which the updates of a reduction loop choose their element by what varies, or
/// several updates choose different ones: those in which a block may have any.
llvm::SmallVector<bool, 4> scattered_dims(const Accesses& updates, const For& loop);

/// Refuses a reduction loop whose iterations cannot be combined as the binding says, or not at all:
/// plain stores to one element, an element that is also read, a tree over elements that differ.
void check_combine(const Preconditions& check, const Site& site, const Binding& binding);

/// Refuses a rewrite to `result` in which bound loops can no longer be combined as they say.
void check_combinations(const Preconditions& check, const Function& result,
                        const StmtNode* culprit);

}  // namespace hone

// Reduction loops whose iterations run at the same time, and how they combine.
#pragma once

#include "ir/schedule/legality/combined_updates.h"

namespace hone {

/// Refuses a reduction loop whose iterations cannot be combined as the binding says, or not at all:
/// plain stores to one element, an element that is also read, a tree over elements that differ.
void check_combine(const Preconditions& check, const Site& site, const Binding& binding);

/// Refuses a rewrite to `result` in which bound loops can no longer be combined as they say.
void check_combinations(const Preconditions& check, const Function& result,
                        const StmtNode* culprit);

}  // namespace hone

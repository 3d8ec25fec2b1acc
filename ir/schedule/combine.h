// Reduction loops whose iterations run at the same time: what they update together, and how.
#pragma once

#include "ir/analysis/accesses.h"
#include "ir/schedule/site.h"

namespace hone {

/// The updates of a reduction loop that several of its iterations make to one element, in the order
/// of the text: `T[e] op= v`.
Accesses shared_updates(const Site& site);

/// Refuses a reduction loop whose iterations cannot be combined as the binding says, or not at all:
/// plain stores to one element, an element that is also read, a tree over elements that differ.
void check_combine(const Preconditions& check, const Site& site, const Binding& binding);

/// Refuses a rewrite to `result` in which bound loops can no longer be combined as they say.
void check_combinations(const Preconditions& check, const Function& result,
                        const StmtNode* culprit);

}  // namespace hone

// Loops over digits of the numbers of threads: lanes, warps, warpgroups.
#pragma once

#include "ir/schedule/legality/preconditions.h"

namespace hone {

/// `unit`, or thread.x, as a digit with the iterations of the loop at `site`, above `inner`
/// iterations of faster digits. Refuses an extent that is not constant, and digits that reach
/// beyond their unit.
Binding digit_of(const Preconditions& check, const Site& site, const Binding& unit, int64_t inner);

/// True where the threads of two loops differ in a digit that both go over.
bool share_digits(const Binding& lhs, const Binding& rhs);

/// Refuses kernels whose threads have no numbers with the digits that its loops go over: beside
/// lanes and warps, loops over thread.y; digits that do not nest; threads that are no multiple of
/// them; a loop inside another one over the same digit, which runs in its place, once for the whole
/// block, and depends on it. `culprit` is the statement to mark.
void check_digits(const Preconditions& check, const Function& result, const StmtNode* culprit);

}  // namespace hone

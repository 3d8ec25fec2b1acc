// Launch bounds that a multiprocessor can keep.
#pragma once

#include "ir/schedule/legality/preconditions.h"

namespace hone {

/// Refuses kernels with more blocks for a multiprocessor than it holds, by their number, by their
/// threads or by their shared memory. `culprit` is the statement to mark. Registers are the
/// compiler's, but those of roles: check_roles.
void check_residence(const Preconditions& check, const Function& result, const StmtNode* culprit);

}  // namespace hone

// Checks after each step that the promises of earlier steps about a function hold.
#pragma once

#include "ir/schedule/legality/preconditions.h"

namespace hone {

/// Refuses a rewrite of `before` to `result` in which a vectorised loop is no vector any more, the
/// iterations of a bound loop can no longer be combined as it says, or threads of a block would
/// fill a tile that they share each in its own way. `culprit` is the statement of `before` to mark.
void check_promises(const Preconditions& check, const Function& before, const Function& result,
                    const StmtNode* culprit);

}  // namespace hone

// Checks after each step that the promises of earlier steps about a function hold.
#pragma once

#include "ir/schedule/legality/preconditions.h"

namespace hone {

/// Refuses a rewrite of `before` to `result` that no kernel can be made of: a vectorised loop is no
/// vector any more, the iterations of a bound loop cannot be combined as it says, threads would
/// fill a tile that they share each in its own way, or use registers of each other, or a
/// multiprocessor has no room for as many blocks as it is to hold. `culprit` is the statement of
/// `before` to mark.
void check_promises(const Preconditions& check, const Function& before, const Function& result,
                    const StmtNode* culprit);

/// Refuses a function that no step has made, such as one that was read from a text, where
/// `check_promises` would refuse the step. Lowering takes what it lets through.
void check_function(const Function& function);

}  // namespace hone

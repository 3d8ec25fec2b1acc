// Loops with roles that run more than once: their rings count through all turns.
#pragma once

#include "ir/schedule/legality/preconditions.h"

namespace hone {

/// Refuses a loop with roles under a condition that leaves out turns whose number its rings would
/// not know. A refusal shows `culprit`, or where that is null the loop.
void check_repeated_roles(const Preconditions& check, const Site& site, const StmtNode* culprit);

}  // namespace hone

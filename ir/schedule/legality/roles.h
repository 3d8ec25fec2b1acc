// Producers and consumers.
#pragma once

#include "ir/schedule/legality/preconditions.h"

namespace hone {

/// Refuses a rewrite to `result` with a loop whose roles cannot run beside each other: all threads
/// of the block have to come to it once, its rings are filled by producers and used in the loop
/// alone, a slot an iteration, and the block has room for both, in whole warps.
void check_roles(const Preconditions& check, const Function& result, const StmtNode* culprit);

}  // namespace hone

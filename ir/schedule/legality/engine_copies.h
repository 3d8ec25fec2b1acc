// Copies that go on while threads do something else.
#pragma once

#include "ir/schedule/legality/preconditions.h"

namespace hone {

/// Refuses a rewrite to `result` with an asynchronous copy that cp.async cannot make: it moves 4, 8
/// or 16 bytes at a time from global to shared memory, and zeros from beyond the ends of the
/// source, which nobody writes meanwhile. Refuses bulk copies as well that the copy engine cannot
/// make (bulk_copies.h). `culprit` is the statement to mark.
void check_engine_copies(const Preconditions& check, const Function& result,
                         const StmtNode* culprit);

}  // namespace hone

// The limit on the code that unrolling makes.
#pragma once

#include "ir/schedule/legality/preconditions.h"

namespace hone {

/// Refuses `trips` copies of the body of the loop at `site` where, with the unrolled loops inside
/// and around, they would be more statements than a compiler takes in a sensible time. `culprit`
/// marks the loop in the function before; null where that is the loop itself.
void check_budget(const Preconditions& check, const Site& site, int64_t trips,
                  const StmtNode* culprit = nullptr);

}  // namespace hone

// Elements that the iterations of loops come to, all of them or not (mixed-radix coverage).
#pragma once

#include "ir/algebra/facts.h"
#include "ir/analysis/accesses.h"

namespace hone {

/// True where every element of the tensor is proved to be touched in some iteration of the loops
/// inside the access: "C[i.0*4 + i.1]" of N elements under "i.0*4 + i.1 < N", "C[f / M, f % M]".
/// `known` holds around the access.
bool reaches_all(const MemoryAccess& access, const Facts& known);

}  // namespace hone

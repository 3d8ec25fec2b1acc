// Dependence by trying all iterations, where there are few: for indices that no rule takes apart.
#pragma once

#include "ir/analysis/accesses.h"

namespace hone {

/// True if iterations that differ in `axis` touch different elements, found by computing the
/// element of every iteration: 0..extent of the axis, and all loops inside the accesses. False
/// if they may touch one element, if extents or indices are not known numbers, or if there
/// are too many iterations.
bool enumeration_separates(const AxisPtr& axis, const Expr& extent, const MemoryAccess& lhs,
                           const MemoryAccess& rhs);

}  // namespace hone

// Dependences: the iterations of a loop that may touch the same memory. The proofs are exact over
// affine indices: an axis separates two accesses when different values of it give different
// elements, whatever the other axes are (mixed-radix uniqueness). "Not proved" is "may touch".
#pragma once

#include "ir/algebra/facts.h"
#include "ir/analysis/accesses.h"

namespace hone {

/// The loops of `loops` in which two instances that touch the same element may differ; empty when
/// instances that differ in any of them touch different elements. Axes inside the accesses differ
/// between the instances, all others are equal; `known` holds their ranges.
llvm::SmallVector<const For*, 4> unseparated(llvm::ArrayRef<const For*> loops,
                                             const MemoryAccess& lhs, const MemoryAccess& rhs,
                                             const Facts& known);

}  // namespace hone

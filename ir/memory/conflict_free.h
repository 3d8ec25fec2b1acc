// Swizzles that are computed: those with the fewest bank conflicts.
#pragma once

#include "ir/memory/warp_traffic.h"

namespace hone {

/// The accesses to a tensor under a layout. They are the same under all that keep `run` neighbours
/// along the fastest dimension together, a power of two: that is what decides which of them are
/// vectors. Null where the tensor cannot lie so.
using TrafficOfRuns = llvm::function_ref<const WarpTraffic*(int64_t run, const Layout& layout)>;

struct SwizzledLayout {
  Layout layout;
  BankCounts counts;
};

/// The layout of `tensor` with other swizzles, or none, under which its accesses take the fewest
/// wavefronts; among equals, one that leaves room for the widest vectors, and the simplest.
///
/// Swizzles are linear over the bits of an index, as in Zhou et al., "Linear Layouts: Robust Code
/// Generation of Efficient Tensor Computation Using F2": the sum of terms, each an XOR of some bits
/// of a digit with some of another. The best terms are tried together, until there is no conflict
/// or no sum of a term more is better.
SwizzledLayout fewest_conflicts(const TensorNode& tensor, TrafficOfRuns traffic);

/// Every swizzle of one term that changes banks.
llvm::SmallVector<Swizzle, 64> bank_swizzles(const TensorNode& tensor);

}  // namespace hone

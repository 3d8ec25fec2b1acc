// Loops over the blocks of a cluster, and what else their kernels may have.
#pragma once

#include "ir/schedule/legality/preconditions.h"

namespace hone {

/// Refuses a loop over more blocks than a cluster has, or over a number that is not constant.
void check_cluster_size(const Preconditions& check, const For& loop);

/// Refuses what kernels with loops over the blocks of a cluster do not do: tiles around the loops
/// without a part in each block, or that engines move, and reductions over a grid.
void check_clusters(const Preconditions& check, const Function& result, const StmtNode* culprit);

}  // namespace hone

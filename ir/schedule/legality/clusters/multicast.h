// Tiles that the copy engine brings to all blocks of a cluster.
#pragma once

#include "ir/schedule/legality/preconditions.h"

namespace hone {

/// Refuses a copy for a number of blocks that no cluster has. `culprit` is the statement to mark.
void check_cluster_size(const Preconditions& check, const Copy& copy, const StmtNode* culprit);

/// Refuses a rewrite to `result` in which blocks are to fill a tile for each other that do not come
/// to its copy together, or want other elements there. `culprit` is the statement to mark.
void check_multicast(const Preconditions& check, const Function& result, const StmtNode* culprit);

}  // namespace hone

// The groups of asynchronous copies that threads have started before they come to a wait, and the
// number of them that may go on while the threads do.
#pragma once

#include "codegen/kernel.h"
#include "llvm/ADT/DenseMap.h"

namespace hone {

/// No group has to be there: the wait is not needed.
inline constexpr int64_t all_pending = INT64_MAX;

bool is_async_copy(const Stmt& stmt);

/// For each wait_group in the kernel, the number of the latest groups that no statement between it
/// and the next one needs; all_pending where it needs none. Groups that are not known for certain,
/// as those in loops of unknown length, are needed.
llvm::DenseMap<const StmtNode*, int64_t> pending_groups(const Stmt& kernel);

}  // namespace hone

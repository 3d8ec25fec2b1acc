// The accesses to shared memory that the threads of one block make. Loops and indices run, no
// values are computed.
#pragma once

#include "ir/memory/thread_values.h"

namespace hone {

/// One access of a statement by all threads that come to it together.
struct SharedAccess {
  Stmt statement;
  TensorPtr tensor;
  bool writes = false;
  int64_t elements = 1;  ///< that each thread moves, side by side
  /// Of the first element of each thread, by dimension.
  llvm::SmallVector<ThreadValues, 4> indices;
  const std::vector<uint8_t>* active = nullptr;  ///< by thread: whether it is there
};

/// Calls `use` with the accesses to shared memory in `stmt`, loop IR whose copies are loops or
/// kernel IR, in the order in which the threads of a block come to them. A read that a statement
/// has more than once is one access; atomic updates are none.
///
/// All threads go on under a condition that is not known. A loop of unknown extent runs once. An
/// access whose index is not known is left out. The walk ends after so many accesses.
enum class AccessWalk : uint8_t { whole, with_unknown_indices, cut_off };
AccessWalk for_each_shared_access(const Stmt& stmt, const BlockOfThreads& block,
                                  llvm::function_ref<void(const SharedAccess&)> use,
                                  int64_t most = INT64_MAX);

}  // namespace hone

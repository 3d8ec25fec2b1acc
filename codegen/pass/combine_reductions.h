// The common part of the pieces of the pass that combines reductions.
#pragma once

#include "codegen/kernel.h"
#include "ir/threads/thread_nest.h"
#include "ir/traverse/rename.h"

namespace hone {

/// A reduction loop over threads, and the one element that its iterations update together.
struct ThreadReduction {
  const For& loop;
  const Store& update;  ///< one of them
  llvm::SmallVector<Expr, 4> indices;
  llvm::SmallVector<Expr, 2> guards;  ///< under which the element exists
  bool is_first = false;              ///< nothing is in the element yet

  int64_t threads() const { return *as_int(loop.extent); }
  const TensorPtr& tensor() const { return update.tensor; }
  bool is_in_registers() const { return tensor()->scope == Scope::registers; }
};

/// The threads of a block as the pass sees them.
struct BlockThreads {
  std::array<Expr, 3> extents;
  int64_t cluster = 1;  ///< blocks of the cluster that the block is one of
  /// The thread loops around the reduction that have results of their own; none is of its
  /// dimension.
  llvm::SmallVector<const For*, 3> around;

  /// Threads in the rows of x: nothing where that is known at launch only.
  std::optional<int64_t> row() const { return as_int(extents[0]); }
  bool has_one_row() const { return is_int(extents[1], 1) && is_int(extents[2], 1); }
};

/// The statements that take the place of the loop. Shared tensors that they need are appended to
/// `tiles`, for allocs outside of all thread loops.
Stmt combine_threads(const ThreadReduction& reduction, const BlockThreads& block, Names& names,
                     llvm::SmallVectorImpl<TensorPtr>& tiles);

}  // namespace hone

// The threads of a block that run a statement.
#pragma once

#include "ir/analysis/thread_space.h"
#include "llvm/ADT/DenseMap.h"

namespace hone {

/// The thread loops around a statement, kept while a pass goes through a kernel.
class ThreadNest {
 public:
  explicit ThreadNest(const ThreadSpace& space) : space_(space) {}
  void enter(const Stmt& stmt);
  void leave(const Stmt& stmt);

  /// The digits of the loops that the alloc of `tensor` stands in; none for a tensor whose alloc
  /// has not been entered.
  ThreadDigits around_alloc(const TensorNode* tensor) const;
  /// Those of the loops between that alloc, or the whole kernel, and here.
  ThreadDigits inside_alloc(const TensorNode* tensor) const;

  /// The threads of a block that a copy of shared memory is dealt out to: without those that loops
  /// between it and its allocs tell apart, which have copies of their own.
  ThreadDigits free_threads(const Copy& copy) const;

 private:
  static ThreadDigits all_of(llvm::ArrayRef<ThreadDigits> loops);

  const ThreadSpace& space_;
  llvm::SmallVector<ThreadDigits, 4> loops_;          ///< their digits, outermost first
  llvm::DenseMap<const TensorNode*, size_t> allocs_;  ///< the number of loops around each
};

}  // namespace hone

// The threads of a block that run a statement.
#pragma once

#include "ir/threads/thread_space.h"
#include "llvm/ADT/DenseMap.h"

namespace hone {

/// The thread loops, conditions and lets around a statement, kept while a pass goes through a
/// kernel.
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
  /// between it and its allocs tell apart, and those that differ in what they copy, or under which
  /// condition. These have copies of their own.
  ThreadDigits free_threads(const Copy& copy) const;

 private:
  ThreadDigits all_of(llvm::ArrayRef<const For*> loops) const;
  /// Those that differ in the value.
  ThreadDigits threads_in(const Expr& value) const;

  const ThreadSpace& space_;
  llvm::SmallVector<const For*, 4> loops_;  ///< outermost first
  llvm::SmallVector<const If*, 4> conditions_;
  llvm::SmallVector<const Let*, 4> lets_;
  llvm::DenseMap<const TensorNode*, size_t> allocs_;  ///< the number of loops around each
};

}  // namespace hone

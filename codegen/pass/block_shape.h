// Which threads of a block run a statement.
#pragma once

#include "ir/analysis/launch_shape.h"
#include "llvm/ADT/DenseMap.h"

namespace hone {

/// A set of the thread dimensions x, y, z.
class ThreadDims {
 public:
  ThreadDims() = default;
  bool contains(unsigned dim) const { return (bits_ & (1u << dim)) != 0; }
  ThreadDims with(unsigned dim) const { return ThreadDims(bits_ | (1u << dim)); }
  ThreadDims without(ThreadDims other) const { return ThreadDims(bits_ & ~other.bits_); }
  bool empty() const { return bits_ == 0; }
  bool operator==(const ThreadDims&) const = default;

 private:
  explicit ThreadDims(unsigned bits) : bits_(bits) {}
  unsigned bits_ = 0;
};

/// The thread loops around a statement, kept while a pass goes through a kernel.
class ThreadNest {
 public:
  void enter(const Stmt& stmt);
  void leave(const Stmt& stmt);

  /// The dimensions of the loops that the alloc of `tensor` stands in; none for a tensor whose
  /// alloc has not been entered.
  ThreadDims around_alloc(const TensorNode* tensor) const;
  /// Those of the loops between that alloc, or the whole kernel, and here.
  ThreadDims inside_alloc(const TensorNode* tensor) const;

  /// The threads of a block that a copy of shared memory is dealt out to: without those that loops
  /// between it and its allocs tell apart, which have copies of their own.
  std::array<Expr, 3> free_threads(const Copy& copy, std::array<Expr, 3> block) const;

 private:
  llvm::SmallVector<unsigned, 4> loops_;              ///< their dimensions, outermost first
  llvm::DenseMap<const TensorNode*, size_t> allocs_;  ///< how many loops stand around
};

/// The dimensions that loops in `stmt` are bound to, and in which threads make copies together.
ThreadDims thread_dims(const Stmt& stmt);

/// Where more than one thread may be: not where there is one for certain.
ThreadDims used_dims(const std::array<Expr, 3>& block);

}  // namespace hone

// How many blocks and threads the bound loops of a kernel need.
#pragma once

#include <array>

#include "ir/stmt.h"
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

inline bool is_thread_loop(const For& loop) { return loop.binding.kind == Binding::Kind::thread; }

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

/// The dimensions that loops in `stmt` are bound to.
ThreadDims thread_dims(const Stmt& stmt);

/// The number of blocks in x, y, z: the largest extent of the loops bound to each; 1 where there is
/// none.
std::array<Expr, 3> grid_of(const Stmt& body);

/// The number of threads of a block in x, y, z, likewise. A block that has work beside a loop has a
/// thread for it, also where the loop's extent turns out to be 0.
std::array<Expr, 3> block_of(const Stmt& body);

/// Where more than one thread may be: not where there is one for certain.
ThreadDims used_dims(const std::array<Expr, 3>& block);

}  // namespace hone

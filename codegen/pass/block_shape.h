// How many blocks and threads the bound loops of a kernel need.
#pragma once

#include <array>

#include "ir/stmt.h"

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

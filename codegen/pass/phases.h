// Which threads run a statement, and where threads of a block must wait for one another.
#pragma once

#include <array>

#include "ir/analysis/dependence.h"

namespace hone {

/// A set of the thread dimensions x, y, z.
class ThreadDims {
 public:
  bool contains(unsigned dim) const { return (bits_ & (1u << dim)) != 0; }
  ThreadDims with(unsigned dim) const { return ThreadDims(bits_ | (1u << dim)); }
  ThreadDims without(ThreadDims other) const { return ThreadDims(bits_ & ~other.bits_); }
  bool empty() const { return bits_ == 0; }
  ThreadDims() = default;

 private:
  explicit ThreadDims(unsigned bits) : bits_(bits) {}
  unsigned bits_ = 0;
};

/// The dimensions that loops in `stmt` are bound to.
ThreadDims thread_dims(const Stmt& stmt);

/// Whether threads that differ in `apart` may touch one element, one of them writing it, when some
/// run `first` and some `second`. `between` are serial loops around both whose iterations differ.
/// A statement that no loop of a dimension encloses runs on thread 0 of it. `known` holds the
/// ranges of the axes around.
bool exchanges_data(const Stmt& first, const Stmt& second, ThreadDims apart,
                    llvm::ArrayRef<const For*> between, const Facts& known);

}  // namespace hone

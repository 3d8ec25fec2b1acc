// Values that shared tensors hold for later reads.
#pragma once

#include "ir/algebra/facts.h"
#include "ir/core/stmt.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"

namespace hone {

/// The shared tensors of a function, and which of them cannot have bytes in common.
///
/// A dependence from a write to a read is a value that has to stay. While a tensor holds one, no
/// other tensor in its bytes may be written; a statement that fills a tensor ends what was in it.
/// All else that the threads of a block do in the same bytes, waits can keep in order: a write
/// behind the last read, by whatever threads. They cannot under a condition that differs between
/// threads, so that tensors which meet under one stay apart.
class SharedLiveness {
 public:
  /// Of what `body` allocates. `facts` hold around it.
  SharedLiveness(const Stmt& body, const Facts& facts);

  /// Those that are accessed, in the order of their allocs.
  llvm::ArrayRef<TensorPtr> tensors() const { return tensors_; }
  /// True if one of two tensors, by their numbers, would overwrite what the other one holds, or
  /// threads could not wait between the two.
  bool meet(size_t lhs, size_t rhs) const { return apart_[lhs].test(rhs); }

 private:
  llvm::SmallVector<TensorPtr, 4> tensors_;
  llvm::SmallVector<llvm::BitVector, 4> apart_;
};

}  // namespace hone

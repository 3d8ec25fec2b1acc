// Addresses of shared tensors.
#pragma once

#include "ir/algebra/facts.h"
#include "ir/core/stmt.h"

namespace hone {

/// Storage of a tensor whose shape is constant, in bytes of a block; the largest number where there
/// is no such number.
int64_t storage_bytes(const TensorNode& tensor);

/// A tensor at its address, which is a multiple of its alignment.
struct SharedPlace {
  TensorPtr tensor;
  int64_t address = 0;
  llvm::SmallVector<size_t, 4> beside;  ///< places before this one with which it shares no bytes

  int64_t end() const;
};

/// The shared tensors that `body` accesses, each at the lowest address where it meets none of those
/// that have to stay (SharedLiveness), in the order of their allocs. A tensor that one access of a
/// warp holds has bytes of its own: what it would save is not worth a wait. Sizes are constant;
/// `facts` hold around the body.
llvm::SmallVector<SharedPlace, 4> plan_shared(const Stmt& body, const Facts& facts);

}  // namespace hone

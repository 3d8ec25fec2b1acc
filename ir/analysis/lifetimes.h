// The time that shared tensors are in use.
#pragma once

#include "ir/stmt.h"
#include "llvm/ADT/MapVector.h"

namespace hone {

/// The time that a tensor is in use, in positions that count statements: from its first access to
/// its last one, and all through a loop between the alloc and an access, whose other iterations may
/// want its elements.
struct Lifetime {
  size_t loops_around = 0;  ///< the alloc
  int first = -1, last = -1;

  bool is_used() const { return first >= 0; }
  bool overlaps(const Lifetime& other) const { return first <= other.last && other.first <= last; }
};

using Lifetimes = llvm::MapVector<const TensorNode*, Lifetime>;

/// Of the shared tensors that `body` allocates, in the order of the text.
Lifetimes shared_lifetimes(const Stmt& body);

}  // namespace hone

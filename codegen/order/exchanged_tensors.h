// The memory through which threads may need each other.
#pragma once

#include "ir/core/stmt.h"
#include "llvm/ADT/DenseSet.h"

namespace hone {

/// Shared tensors: another one may lie in the same place. Global ones that statements write, but
/// for those that one statement touches, once: no thread meets there what another one did before.
llvm::DenseSet<const TensorNode*> exchanged_tensors(const Stmt& body);

}  // namespace hone

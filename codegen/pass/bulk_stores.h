// Stores that the copy engine makes.
#pragma once

#include "ir/traverse/rename.h"
#include "llvm/ADT/DenseSet.h"

namespace hone {

/// The tiles that the copy engine stores.
llvm::DenseSet<const TensorNode*> tiles_of_stores(const Stmt& stmt);

/// `body` on thread 0 of those that share the copy, which the engine makes.
Stmt on_thread_0(const Copy& copy, Stmt body, Names& names);

}  // namespace hone

// The loops that a copy stands for.
#pragma once

#include "ir/threads/thread_space.h"
#include "ir/traverse/rename.h"

namespace hone {

/// The loops over threads and steps that make a copy together; the threads of the first group are
/// neighbours.
Stmt cooperative_nest(const Copy& copy, llvm::ArrayRef<ThreadGroup> threads, Names& names);

/// The loops of the thread that makes all of the copy.
Stmt own_nest(const Copy& copy, Names& names);

/// The loops of the copy, made as it says by these threads of a block.
Stmt copy_nest(const Copy& copy, const ThreadSpace& space, Names& names);

}  // namespace hone

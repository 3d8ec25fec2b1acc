// Sequences that end in allocations, as one sequence.
#pragma once

#include <utility>

#include "ir/core/stmt.h"
#include "llvm/ADT/SmallVector.h"

namespace hone {

/// The statements of a sequence and, where its last one is an allocation, those in that.
struct OpenedSequence {
  llvm::SmallVector<Stmt, 8> stmts;
  /// Tensors, with the number of the first statement that is inside of their allocation.
  llvm::SmallVector<std::pair<size_t, TensorPtr>, 2> allocs;
};

OpenedSequence opened(const Seq& seq);

/// A statement with the wait before it, if there is one.
struct WaitingStmt {
  Stmt wait, stmt;
};

/// The sequence with these statements in place of its own. A wait stands outside of allocations
/// that begin behind it.
Stmt closed(const OpenedSequence& sequence, llvm::ArrayRef<WaitingStmt> stmts);

}  // namespace hone

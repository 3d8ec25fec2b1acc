// The scopes of allocs and lets: text shows where they begin, and not where they end.
#pragma once

#include "ir/core/stmt.h"

namespace hone {

/// The statements that stand side by side in the text of `stmt`: an alloc or a let is followed by
/// the statements of its scope.
llvm::SmallVector<Stmt, 8> lines_of(const Stmt& stmt);

/// The body of a function as its text says it, whatever the tree was: global tensors come first,
/// and are there for all of it. The scope of any other alloc, and of a let, that stands outside of
/// all nests ends behind the last statement that needs it, so that those behind are nests of their
/// own.
Stmt with_tight_scopes(const Stmt& body);

}  // namespace hone

// Conditions around statements, and how they move inside.
#pragma once

#include "ir/stmt.h"

namespace hone {

/// `stmt` under conditions, the first of them outermost.
Stmt guarded(llvm::ArrayRef<Expr> conditions, Stmt stmt);

/// The place of a condition that moves into a statement.
enum class GuardPlace {
  around,       ///< the statement
  around_body,  ///< of the loop
  inside,       ///< in each statement of its body, where that has a place for it
};

/// `stmt` with the condition where `place` says, from the outside to the inside. It joins
/// conditions that it moves into. Evaluating it there has to be as well.
Stmt with_guard(const Expr& condition, const Stmt& stmt,
                llvm::function_ref<GuardPlace(const Stmt&)> place);

}  // namespace hone

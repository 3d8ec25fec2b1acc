// Conditions around statements, and how they move inside.
#pragma once

#include "ir/core/stmt.h"

namespace hone {

/// `stmt` under conditions, the first of them outermost.
Stmt guarded(llvm::ArrayRef<Expr> conditions, Stmt stmt);

/// The place of a condition that moves into a statement.
enum class GuardPlace {
  none,         ///< the statement runs whatever the condition says
  around,       ///< the statement; neighbours share the guard
  around_body,  ///< of the loop
  inside,       ///< in each statement of its body, where that has a place for it
  joined,       ///< with the condition of the branch, and inside of that
};

/// `stmt` with the condition where `place` says, from the outside to the inside. Evaluating it
/// there has to be as well. The value of a let that it moves into is 0 where the condition does not
/// hold, if the value reads a tensor.
Stmt with_guard(const Expr& condition, const Stmt& stmt,
                llvm::function_ref<GuardPlace(const Stmt&)> place);

}  // namespace hone

// The places of the lets of a kernel.
#pragma once

#include "ir/core/stmt.h"

namespace hone {

/// `stmt` with a let right before the first of its statements that uses it: a value that a thread
/// needs only at its end takes no registers from its loops.
Stmt let_before_use(const AxisPtr& axis, const Expr& value, const Stmt& stmt);

/// `stmt` after those of its lets whose values are known before it.
Stmt with_lets_hoisted(const Stmt& stmt, llvm::function_ref<bool(const Expr&)> is_known);

/// Inlines thread indices that only other lets use, and drops lets that nothing uses.
Stmt with_lets_inlined(const Stmt& stmt);

}  // namespace hone

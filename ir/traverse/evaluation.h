// The order in which a thread evaluates an expression, and under which conditions.
#pragma once

#include "ir/core/expr.h"

namespace hone {

/// Calls `use` on `expr` and on what is in it, operands first, but for operators that decide what
/// is evaluated. `under` calls the function that it is given, for parts that are evaluated only
/// where a condition holds: the sides of a select, and the right sides of && and ||.
void walk_evaluated(
    const Expr& expr, llvm::function_ref<void(const Expr&)> use,
    llvm::function_ref<void(const Expr& condition, llvm::function_ref<void()> rest)> under);

}  // namespace hone

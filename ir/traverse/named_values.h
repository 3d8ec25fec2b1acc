// Values that users named: `let fy = ...` in front of the statement that they stand in.
#pragma once

#include "ir/core/stmt.h"

namespace hone {

/// The values themselves in the place of named ones.
Expr without_names(const Expr& expr);

/// True if an expression of `stmt`, not of the statements in it, has a named value.
bool has_names(const Stmt& stmt);

/// The named values in the expressions of `stmt`, not in those of the statements in it: each name
/// of a value once, behind the named values that it is made of.
llvm::SmallVector<Expr, 4> named_values(const Stmt& stmt);

/// True of two uses of one name for one value.
bool is_same_name(const Expr& lhs, const Expr& rhs);

/// `stmt` with other names where two values have one, or where an axis or a param of its
/// expressions has it: fy, fy_2...
Stmt with_distinct_names(const Stmt& stmt);
/// The same of one expression.
Expr with_distinct_names(const Expr& expr);

}  // namespace hone

// Declarations of users' own operators.
#pragma once

#include <functional>

#include "ir/update.h"

namespace hone {

/// The operator of that name for elements of the type, which is said to be associative and
/// commutative. Throws DefinitionError where it cannot be declared, and where numbers of some size
/// show that it is not: floats count as real numbers, which are not rounded.
OperatorPtr declare_operator(llvm::StringRef name, DType type, const Expr& identity,
                             const std::function<Expr(Expr, Expr)>& combine);

}  // namespace hone

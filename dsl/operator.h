// Declarations of users' own operators.
#pragma once

#include <functional>

#include "ir/core/location.h"
#include "ir/core/update.h"

namespace hone {

/// The operator of that name, which reduces values such as `value`, and is said to be associative
/// and commutative. Throws DefinitionError where it cannot be declared, and where numbers of some
/// size show that it is not: floats count as real numbers, which are not rounded. Components of
/// `value` that are constants are no others in what is tried; so a count is 1, and what it becomes
/// by merging.
OperatorPtr declare_operator(llvm::StringRef name, const Expr& identity, const Expr& value,
                             const std::function<Expr(Expr, Expr)>& combine,
                             Location location = Location::current());

}  // namespace hone

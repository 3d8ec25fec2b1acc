// A total order of expressions by structure, names and ids: sorting by it gives the same result
// in every run.
#pragma once

#include "ir/core/expr.h"

namespace hone {

/// Negative, zero or positive, as lhs stands before rhs, is equal to it, or stands after. Params
/// compare by name. So do axes and tensors, but two of one name remain apart, in the order in which
/// they were made: proofs may be about loops that are in no function yet. A named value is what it
/// is without its name.
int compare(const Expr& lhs, const Expr& rhs);
/// compare(lhs, rhs) == 0, which takes no look at the names of two axes.
bool is_same(const Expr& lhs, const Expr& rhs);

}  // namespace hone

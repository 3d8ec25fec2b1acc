// A total order of expressions by structure and names: what is sorted by it comes out the same in
// every run.
#pragma once

#include "ir/expr.h"

namespace hone {

/// Negative, zero or positive, as lhs stands before rhs, is equal to it, or stands after. Params
/// and tensors compare by name. So do axes, but two axes of one name remain apart: proofs may be
/// about loops that are in no function yet.
int compare(const Expr& lhs, const Expr& rhs);

}  // namespace hone

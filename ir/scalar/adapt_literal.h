// Literals take the type of the expression that they stand beside.
#pragma once

#include "ir/core/expr_node.h"

namespace hone {

/// `literal` as a constant of `type` where that loses nothing, and so a choice between literals,
/// and the literals in a tuple; any other expression as it is.
Expr adapt_literal(const Expr& literal, DType type);

}  // namespace hone

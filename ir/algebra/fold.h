// Values that are known before a program runs.
#pragma once

#include "ir/expr.h"

namespace hone {

/// The value of an expression without axes, params and loads; nothing where it has none.
Expr folded(const Expr& expr);

/// Whether a division of integers in the expression may fail: it is by no constant above 0.
bool may_divide_by_zero(const Expr& expr);

}  // namespace hone

// Values that are known before a program runs.
#pragma once

#include "ir/core/expr.h"

namespace hone {

/// The value of an expression without axes, params and loads; nothing where it has none.
Expr folded(const Expr& expr);

/// True if the expression divides integers by anything but a constant above 0: that may fail.
bool may_divide_by_zero(const Expr& expr);

}  // namespace hone

// Where index arithmetic has a value.
#pragma once

#include "ir/facts.h"

namespace hone {

/// Whether all index arithmetic in the expression is proved to have a value where the facts hold:
/// no quotient, remainder or shift is of or by what it is not for.
bool has_value(const Expr& expr, const Facts& facts);

}  // namespace hone

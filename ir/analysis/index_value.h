// Proofs that index arithmetic has a value.
#pragma once

#include "ir/algebra/facts.h"

namespace hone {

/// True if all index arithmetic in the expression is proved to have a value where the facts hold:
/// nothing negative is divided, and shifts are of and by numbers that allow it. A divisor may be 0.
bool has_value(const Expr& expr, const Facts& facts);

/// True where every divisor of index arithmetic in the expression is proved to be positive where
/// the facts hold: a param is where a loop around would have no iterations if it were 0.
bool divides_by_positive(const Expr& expr, const Facts& facts);

/// True if all elements that the expression reads are proved to exist where the facts hold.
bool reads_elements_that_exist(const Expr& expr, const Facts& facts);

}  // namespace hone

// Quotients and remainders of simplified sums: the rules of simplify that take them apart, and that
// join quotients and remainders of one value again.
#pragma once

#include "ir/algebra/sum.h"

namespace hone {

/// dividend / divisor and dividend % divisor, where the dividend is not negative and the divisor is
/// positive. `facts` is left as it was.
Sum quotient(const Sum& dividend, const Sum& divisor, Facts& facts);
Sum remainder(const Sum& dividend, const Sum& divisor, Facts& facts);

/// (x / y)*y + x % y becomes x, also scaled; (x / y % z)*y + x % y becomes x % (y*z).
void recombine(Sum& sum, Facts& facts);

/// The node of `x op y`; null for anything else.
const Binary* as_binary(const Expr& expr, BinaryOp op);

/// True if x % y is a factor of a term.
bool has_remainder(const Sum& sum);

}  // namespace hone

// Quotients and remainders in the indices of accesses: f / n and f % n say f, and each can stand
// among other terms, as in C[(f / n)*16 + i, (f % n)*16 + j]. So do the digits of f by any radices
// that divide each other, however they are spelled: f / (m*n), f % (m*n) / n and f % n.
#pragma once

#include "ir/algebra/facts.h"
#include "ir/analysis/accesses.h"

namespace hone {

/// dividend == quotient*n + remainder, where n is the same in all instances of the accesses.
struct Digits {
  Expr dividend;
  AxisPtr quotient, remainder;
};

/// Gives the quotients and remainders in two accesses axes of their own, and puts those in their
/// place; innermost first, so that a dividend may hold axes that were made before, and the lowest
/// digit of a number first, so that higher ones are digits of its quotient. `known` holds the
/// ranges of the axes around the accesses.
llvm::SmallVector<Digits, 2> name_digits(MemoryAccess& lhs, MemoryAccess& rhs, const Facts& known);

}  // namespace hone

// Index arithmetic made short: constants folded, like terms collected, quotients and remainders
// taken apart, comparisons decided where ranges allow. Values of other types are left as written.
#pragma once

#include "ir/algebra/facts.h"

namespace hone {

/// An expression of equal value wherever `facts` hold; the same node where nothing changed.
Expr simplify(const Expr& expr, const Facts& facts = {});
/// Simplifies every expression of `stmt` under the loops and guards around it, and drops guards
/// that always hold, statements under guards that never do, and loops of extent 0 -- but never a
/// loop's axis: a loop of extent 1 stays.
Stmt simplify(const Stmt& stmt, const Facts& facts = {});
/// The same, where `simple` is simplified under the same facts: its expressions are left alone
/// wherever nothing else holds around them.
Stmt simplify(const Stmt& stmt, const Facts& facts, const Stmt& simple);

/// True if the condition is proved to hold. False means not proved.
bool proves(const Expr& condition, const Facts& facts);
/// The same without a copy of the facts; they are as before afterwards.
bool proves(const Expr& condition, Facts& facts);

}  // namespace hone

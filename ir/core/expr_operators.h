// Expressions as C++ writes them: operators and functions of the names of the DSL.
#pragma once

#include "ir/core/expr_node.h"

namespace hone {

Expr operator+(Expr lhs, Expr rhs);
Expr operator-(Expr lhs, Expr rhs);
Expr operator*(Expr lhs, Expr rhs);
Expr operator/(Expr lhs, Expr rhs);
Expr operator%(Expr lhs, Expr rhs);
Expr operator&(Expr lhs, Expr rhs);
Expr operator|(Expr lhs, Expr rhs);
Expr operator^(Expr lhs, Expr rhs);
Expr operator<<(Expr lhs, Expr rhs);
Expr operator>>(Expr lhs, Expr rhs);
Expr operator-(Expr operand);
Expr operator!(Expr operand);
Expr operator~(Expr operand);
Expr operator==(Expr lhs, Expr rhs);
Expr operator!=(Expr lhs, Expr rhs);
Expr operator<(Expr lhs, Expr rhs);
Expr operator<=(Expr lhs, Expr rhs);
Expr operator>(Expr lhs, Expr rhs);
Expr operator>=(Expr lhs, Expr rhs);
Expr operator&&(Expr lhs, Expr rhs);
Expr operator||(Expr lhs, Expr rhs);
Expr min(Expr lhs, Expr rhs);
Expr max(Expr lhs, Expr rhs);
Expr select(Expr condition, Expr if_true, Expr if_false);
Expr cast(DType type, Expr operand);
/// Two to four numbers or bools as one value, and the components of such a value.
Expr pair(Expr first, Expr second);
Expr tuple(Expr first, Expr second, Expr third);
Expr tuple(Expr first, Expr second, Expr third, Expr fourth);
Expr first(Expr tuple);
Expr second(Expr tuple);
Expr third(Expr tuple);
Expr fourth(Expr tuple);

}  // namespace hone

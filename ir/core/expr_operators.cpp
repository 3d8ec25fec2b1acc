#include "ir/core/expr_operators.h"

#include "ir/core/expr.h"
#include "ir/scalar/adapt_literal.h"

namespace hone {

Expr operator+(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::add, lhs, rhs); }
Expr operator-(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::sub, lhs, rhs); }
Expr operator*(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::mul, lhs, rhs); }
Expr operator/(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::div, lhs, rhs); }
Expr operator%(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::mod, lhs, rhs); }
Expr operator&(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::bit_and, lhs, rhs); }
Expr operator|(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::bit_or, lhs, rhs); }
Expr operator^(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::bit_xor, lhs, rhs); }
Expr operator<<(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::shl, lhs, rhs); }
Expr operator>>(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::shr, lhs, rhs); }
Expr operator-(Expr operand) { return Unary::make(UnaryOp::negate, operand); }
Expr operator!(Expr operand) { return Unary::make(UnaryOp::logical_not, operand); }
Expr operator~(Expr operand) { return Unary::make(UnaryOp::bit_not, operand); }
Expr operator==(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::eq, lhs, rhs); }
Expr operator!=(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::ne, lhs, rhs); }
Expr operator<(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::lt, lhs, rhs); }
Expr operator<=(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::le, lhs, rhs); }
Expr operator>(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::gt, lhs, rhs); }
Expr operator>=(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::ge, lhs, rhs); }
Expr operator&&(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::logical_and, lhs, rhs); }
Expr operator||(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::logical_or, lhs, rhs); }
Expr min(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::min, lhs, rhs); }
Expr max(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::max, lhs, rhs); }
Expr select(Expr condition, Expr if_true, Expr if_false) {
  return Select::make(condition, if_true, if_false);
}
Expr cast(DType type, Expr operand) {
  return Cast::make(type, operand.defined() ? adapt_literal(operand, type) : operand);
}
Expr pair(Expr first, Expr second) { return MakeTuple::make({first, second}); }
Expr tuple(Expr first, Expr second, Expr third) { return MakeTuple::make({first, second, third}); }
Expr tuple(Expr first, Expr second, Expr third, Expr fourth) {
  return MakeTuple::make({first, second, third, fourth});
}
Expr first(Expr tuple) { return Component::make(tuple, 0); }
Expr second(Expr tuple) { return Component::make(tuple, 1); }
Expr third(Expr tuple) { return Component::make(tuple, 2); }
Expr fourth(Expr tuple) { return Component::make(tuple, 3); }

}  // namespace hone

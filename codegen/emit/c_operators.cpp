#include "codegen/emit/c_operators.h"

#include "llvm/Support/ErrorHandling.h"

namespace hone {

COperator operator_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::mul:
      return {"*", 12};
    case BinaryOp::div:
      return {"/", 12};
    case BinaryOp::mod:
      return {"%", 12};
    case BinaryOp::add:
      return {"+", 11};
    case BinaryOp::sub:
      return {"-", 11};
    case BinaryOp::shl:
      return {"<<", 10};
    case BinaryOp::shr:
      return {">>", 10};
    case BinaryOp::lt:
      return {"<", 9};
    case BinaryOp::le:
      return {"<=", 9};
    case BinaryOp::gt:
      return {">", 9};
    case BinaryOp::ge:
      return {">=", 9};
    case BinaryOp::eq:
      return {"==", 8};
    case BinaryOp::ne:
      return {"!=", 8};
    case BinaryOp::bit_and:
      return {"&", 7};
    case BinaryOp::bit_xor:
      return {"^", 6};
    case BinaryOp::bit_or:
      return {"|", 5};
    case BinaryOp::logical_and:
      return {"&&", 4};
    case BinaryOp::logical_or:
      return {"||", 3};
    case BinaryOp::min:
    case BinaryOp::max:
      break;
  }
  llvm_unreachable("min and max are calls");
}

std::string c_function_of(Intrinsic intrinsic) {
  if (intrinsic == Intrinsic::abs) return "fabs";
  if (intrinsic == Intrinsic::tanh_approx) return "tanh";
  return intrinsic == Intrinsic::round ? "rint" : name(intrinsic).str();
}

std::string in_parentheses_if(bool needed, std::string text) {
  return needed ? "(" + text + ")" : text;
}

COperator eager_operator_of(BinaryOp op) {
  return op == BinaryOp::logical_and ? COperator{"&", 7} : COperator{"|", 5};
}

}  // namespace hone

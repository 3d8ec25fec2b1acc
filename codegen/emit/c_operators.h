// The spelling and the precedence of operators in C.
#pragma once

#include "ir/core/expr.h"

namespace hone {

struct COperator {
  const char* spelling;
  int precedence;  ///< larger ones bind first
};

inline constexpr int c_unary_precedence = 13;
inline constexpr int c_select_precedence = 2;

/// Of all but min and max, which are calls.
COperator operator_of(BinaryOp op);

/// & and | for && and ||, neither side of which decides whether the other is evaluated.
COperator eager_operator_of(BinaryOp op);

/// Its name for doubles in <math.h>, and in CUDA.
std::string c_function_of(Intrinsic intrinsic);

std::string in_parentheses_if(bool needed, std::string text);

}  // namespace hone

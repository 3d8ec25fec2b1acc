// The spelling of operators and names: the tables that printer and parser share.
#pragma once

#include <optional>

#include "ir/core/expr.h"

namespace hone {

/// An operator between its operands. A higher precedence binds tighter; all are left-associative.
struct InfixOperator {
  BinaryOp op;
  llvm::StringRef spelling;
  int precedence;
};

/// Precedences beside those of the table.
inline constexpr int product_precedence = 10;
inline constexpr int unary_precedence = 11;
inline constexpr int primary_precedence = 12;

/// Null for `min` and `max`, which are written as calls.
const InfixOperator* find_infix(BinaryOp op);
const InfixOperator* find_infix(llvm::StringRef spelling);

std::optional<Intrinsic> parse_intrinsic(llvm::StringRef name);
/// "exp, log, ...", with a comma behind each.
std::string list_of_intrinsics();

/// "thread.x" and its five sisters.
struct IndexName {
  IndexSpace space;
  unsigned dim;
};
std::optional<IndexName> parse_index_name(llvm::StringRef name);

/// "true", "inf", "nan_f64", "block.x"...: words that name nothing else in an expression.
bool is_reserved(llvm::StringRef word);

/// Letters, digits and '_', not a digit first, then any number of '.' with letters, digits and '_'.
bool is_identifier(llvm::StringRef word);

}  // namespace hone

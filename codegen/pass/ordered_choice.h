// Operators that keep one of two pairs, and of equal ones that with the smaller integer.
#pragma once

#include <optional>
#include <string>

#include "ir/core/update.h"

namespace hone {

/// An operator that keeps one of its operands, which are pairs of a value and an integer: the right
/// one where `condition` holds. Beside its identity it keeps any right one.
struct OrderedChoice {
  Expr condition;
  Expr comparison;    ///< rhs[].second < lhs[].second, a part of the condition
  unsigned position;  ///< of the integers
  Expr none;          ///< the integer of the identity, which is the largest
  /// A right operand that loses against the identity's value, where integers grow, has that value.
  bool may_start_at_identity;
};

std::optional<OrderedChoice> ordered_choice_of(const OperatorNode& op);

/// The same operator for right operands whose integer is larger than that of the left one, which is
/// the identity where there is no element yet.
OperatorPtr ascending_operator(const OperatorNode& op, const OrderedChoice& choice,
                               llvm::StringRef name);

/// The same where the left operand is never the identity.
OperatorPtr later_operator(const OperatorNode& op, const OrderedChoice& choice,
                           llvm::StringRef name);

/// The component of a tuple that is made here; undefined for other values.
Expr component_of(const Expr& tuple, unsigned position);

}  // namespace hone

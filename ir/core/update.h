// The ways in which a store combines a value with the element that it updates.
#pragma once

#include "ir/core/expr.h"

namespace hone {

/// `=`, `+=`, `*=`, `min=`, `max=`, `and=`, `or=`, and the operator of a user: `absmax=`.
enum class Update : uint8_t { set, add, mul, min, max, logical_and, logical_or, custom };

/// An operator that a user declares to be associative and commutative, with an identity: schedules
/// may regroup and reorder the updates with it, as they may those of the built-in ones.
///
///   operator absmax(lhs: f32, rhs: f32) = max(abs(lhs[]), abs(rhs[])) identity 0.0
struct OperatorNode : RefCounted<OperatorNode> {
  const uint64_t id = next_id();
  std::string name;
  TensorPtr lhs, rhs;  ///< stand for the operands, whose type they have; without dimensions
  Expr combined;       ///< over the elements of these two
  Expr identity;       ///< a constant: combined with it, a combined value stays what it is
};
using OperatorPtr = llvm::IntrusiveRefCntPtr<const OperatorNode>;

/// Values in `combined` lose their names: text has one line for an operator.
OperatorPtr make_operator(llvm::StringRef name, TensorPtr lhs, TensorPtr rhs, const Expr& combined,
                          Expr identity);

/// The problem with a declaration: "absmax depends on A[i]; ...". Nothing where it is well formed.
/// Whoever declares the operator vouches that it is associative and commutative.
std::optional<std::string> operator_problem(const OperatorNode& op);

/// The operator applied to two values.
Expr apply(const OperatorNode& op, const Expr& lhs, const Expr& rhs);

/// The operator of `op=`, where it is one of the built-in ones; not for Update::set and custom.
BinaryOp combiner(Update update);

/// The value that leaves any element of the type as it is; undefined for Update::set and custom.
Expr identity_of(Update update, DType type);

struct Store;
/// As in the text: "+=", "absmax=".
std::string update_text(const Store& store);
/// The new element that an update makes of an old one and a value.
Expr combined(const Store& store, const Expr& element, const Expr& value);
/// The value with which an update leaves an element as it is; undefined for a plain store.
Expr identity_of(const Store& store);

class Stmt;
/// The operators of users that `stmt` updates with, each once, in the order of the text.
llvm::SmallVector<OperatorPtr, 2> operators_of(const Stmt& stmt);

}  // namespace hone

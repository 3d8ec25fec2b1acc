// Structural equality and hash: functions that print the same are equal.
//
// - A reference to an axis or a param compares by name, one to a tensor by name, type and scope,
// since names are unique in a function. A declaration of a tensor compares all of it. Axes and
//   tensors without a name, which no text has, are equal to themselves alone.
// - Constants compare by value and type; NaNs of one type are equal, 0.0 and -0.0 are not.
// - Named values compare by their values: the text numbers names that would mean two things.
// - Nesting of sequences does not matter, nor does where the scope of an alloc or a let ends in a
//   block: text shows neither.
#pragma once

#include "ir/core/stmt.h"

namespace hone {

bool equal(const Expr& lhs, const Expr& rhs);
bool equal(const Stmt& lhs, const Stmt& rhs);
bool equal(const Function& lhs, const Function& rhs);

/// Element by element. (Not a further `equal`: for a SmallVector that would be llvm::equal.)
bool all_equal(llvm::ArrayRef<Expr> lhs, llvm::ArrayRef<Expr> rhs);

bool equal(const Layout& lhs, const Layout& rhs);
/// Name, type, shape, scope, layout and address.
bool equal(const TensorNode& lhs, const TensorNode& rhs);

/// Compares declarations: name, operands, result and identity.
bool equal(const OperatorNode& lhs, const OperatorNode& rhs);

/// Equal trees have equal hashes.
size_t hash(const Expr& expr);
size_t hash(const Stmt& stmt);

}  // namespace hone

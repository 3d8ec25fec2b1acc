// Traversal with change: the one way to make a new tree from an old one. Whatever does not change
// keeps its node, so that an unchanged subtree costs nothing.
#pragma once

#include "ir/core/stmt.h"
#include "llvm/ADT/STLExtras.h"

namespace hone {

class Rewriter {
 public:
  virtual ~Rewriter() = default;

  /// A rewriter overrides these for the nodes that it is about, and calls `rewrite_operands` for
  /// the rest.
  virtual Expr rewrite(const Expr& expr) { return rewrite_operands(expr); }
  virtual Stmt rewrite(const Stmt& stmt) { return rewrite_operands(stmt); }

 protected:
  Expr rewrite_operands(const Expr& expr);
  Stmt rewrite_operands(const Stmt& stmt);
};

/// Replaces bottom-up: `replace` sees each node with its operands already replaced and returns the
/// replacement, or null to keep it.
Expr transform(const Expr& expr, llvm::function_ref<Expr(const Expr&)> replace);
Stmt transform_exprs(const Stmt& stmt, llvm::function_ref<Expr(const Expr&)> replace);

/// Replaces top-down: where `replace` returns a statement it stands as it is, else the search goes
/// on inside.
Stmt transform_stmts(const Stmt& stmt, llvm::function_ref<Stmt(const Stmt&)> replace);

/// `value` for every reference to `axis`.
Expr substitute(const Expr& expr, const AxisNode* axis, const Expr& value);
Stmt substitute(const Stmt& stmt, const AxisNode* axis, const Expr& value);
/// The expression without the axes of those of the statements around it, outermost first, that are
/// lets.
Expr without_lets(Expr expr, llvm::ArrayRef<Stmt> around);

/// `from`, a statement of `stmt` found by identity, replaced by `to`.
Stmt replace(const Stmt& stmt, const StmtNode* from, const Stmt& to);

}  // namespace hone

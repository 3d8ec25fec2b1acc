// Traversal without change. `visit` is a switch over nodes.def with no default: a handler for
// every node, or the program does not compile.
#pragma once

#include "ir/core/instr.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

namespace hone {

template <class... Handlers>
struct overloaded : Handlers... {
  using Handlers::operator()...;
};
template <class... Handlers>
overloaded(Handlers...) -> overloaded<Handlers...>;

/// Calls the handler that takes the node of `expr`: `visit(e, [](const IntConst& n) {...}, ...)`.
template <class... Handlers>
decltype(auto) visit(const Expr& expr, Handlers&&... handlers) {
  overloaded handle{std::forward<Handlers>(handlers)...};
  switch (expr.kind()) {
#define HONE_EXPR(Name) \
  case ExprKind::Name:  \
    return handle(*llvm::cast<Name>(expr.get()));
#define HONE_STMT(Name)
#include "ir/core/nodes.def"
  }
  llvm_unreachable("unknown expression kind");
}

template <class... Handlers>
decltype(auto) visit(const Stmt& stmt, Handlers&&... handlers) {
  overloaded handle{std::forward<Handlers>(handlers)...};
  switch (stmt.kind()) {
#define HONE_EXPR(Name)
#define HONE_STMT(Name) \
  case StmtKind::Name:  \
    return handle(*llvm::cast<Name>(stmt.get()));
#include "ir/core/nodes.def"
  }
  llvm_unreachable("unknown statement kind");
}

/// Calls `use` on each direct operand of `expr`, from left to right.
void for_each_operand(const Expr& expr, llvm::function_ref<void(const Expr&)> use);

/// Calls `use` on each part of the conjunction `condition`: on itself if it is none.
void for_each_conjunct(const Expr& condition, llvm::function_ref<void(const Expr&)> use);

/// Calls `use` on each expression that stands directly in `stmt`, and `nested` on each statement.
void for_each_operand(const Stmt& stmt, llvm::function_ref<void(const Expr&)> use,
                      llvm::function_ref<void(const Stmt&)> nested);

/// Calls `use` on `expr` and everything in it, operands first.
void walk(const Expr& expr, llvm::function_ref<void(const Expr&)> use);

/// Calls `use` on `stmt` and every statement in it, outermost first, in the order of the text.
void walk(const Stmt& stmt, llvm::function_ref<void(const Stmt&)> use);

/// Calls `use` on every expression in `stmt`, in the order of the text, operands first.
void walk_exprs(const Stmt& stmt, llvm::function_ref<void(const Expr&)> use);

/// The first statement in `stmt` that `is_it` is true of, behind those around it, outermost first;
/// empty where there is none.
llvm::SmallVector<Stmt, 8> path_to(const Stmt& stmt, llvm::function_ref<bool(const Stmt&)> is_it);

/// True where `is_it` is, of `expr` or of anything in it; asks no further.
bool any_of(const Expr& expr, llvm::function_ref<bool(const Expr&)> is_it);

/// The same of `stmt` and the statements in it.
bool any_of(const Stmt& stmt, llvm::function_ref<bool(const Stmt&)> is_it);

/// The same of the expressions in `stmt`.
bool any_expr_of(const Stmt& stmt, llvm::function_ref<bool(const Expr&)> is_it);

}  // namespace hone

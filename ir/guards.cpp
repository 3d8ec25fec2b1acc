#include "ir/guards.h"

#include "llvm/ADT/STLExtras.h"

namespace hone {

Stmt guarded(llvm::ArrayRef<Expr> conditions, Stmt stmt) {
  for (const Expr& condition : llvm::reverse(conditions)) stmt = If::make(condition, stmt);
  return stmt;
}

Stmt with_guard(const Expr& condition, const Stmt& stmt,
                llvm::function_ref<GuardPlace(const Stmt&)> place) {
  const GuardPlace where = place(stmt);
  if (where == GuardPlace::around) return If::make(condition, stmt);
  const auto within = [&](const Stmt& body) { return with_guard(condition, body, place); };
  if (const auto* loop = llvm::dyn_cast<For>(stmt))
    return loop->with_body(where == GuardPlace::inside ? within(loop->body)
                                                       : If::make(condition, loop->body));
  if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt))
    return Alloc::make(alloc->tensor, within(alloc->body));
  if (const auto* let = llvm::dyn_cast<Let>(stmt))
    return Let::make(let->axis, let->value, within(let->body));
  if (const auto* inner = llvm::dyn_cast<If>(stmt))
    return with_guard(condition && inner->condition, inner->body, place);
  llvm::SmallVector<Stmt, 4> stmts;
  for (const Stmt& part : llvm::cast<Seq>(stmt)->stmts) stmts.push_back(within(part));
  return Seq::make(stmts);
}

}  // namespace hone

// The passes that make copies the accesses of threads: ir/copies has what they do.

#include "codegen/pass/passes.h"
#include "ir/copies/copies.h"
#include "ir/threads/roles.h"
#include "ir/traverse/rewriter.h"

namespace hone {

void share_copies(KernelFunction& kernel) { kernel.body = with_shared_copies(kernel.body); }

void widen_copies(KernelFunction& kernel) {
  kernel.body = with_wide_copies(kernel.body, facts_of(kernel.assumptions), kernel.may_alias);
}

void make_copies_at_once(KernelFunction& kernel) {
  kernel.body = transform_stmts(kernel.body, [](const Stmt& stmt) {
    const auto* copy = llvm::dyn_cast<Copy>(stmt);
    return copy && copy->uses_engine() ? copy->with_execution({}) : Stmt();
  });
  kernel.body = transform_stmts(kernel.body, [&](const Stmt& stmt) {
    const auto* loop = llvm::dyn_cast<For>(stmt);
    return loop && has_roles(*loop) ? For::make(loop->axis, loop->extent, {}, loop->body) : Stmt();
  });
}

void expand_copies(KernelFunction& kernel) {
  Names names(as_function(kernel));
  kernel.body = with_copy_nests(kernel.body, names);
}

}  // namespace hone

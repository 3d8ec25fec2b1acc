// copy A.shared[0 .. +32, 0 .. +32] <- A[i.0*32 .. +32, k.0*32 .. +32]        a block of 32 x 8
//
//   =>  copy A.shared[...] <- A[...] @by(thread.x, thread.y)
//
// The threads of a block make a copy between shared and other memory together. Threads that loops
// tell apart, in between the copy and the allocation, have copies of their own.

#include "ir/copies/copies.h"
#include "ir/threads/thread_nest.h"
#include "ir/traverse/rewriter.h"

namespace hone {
bool is_in(const Copy& copy, Scope scope) {
  return copy.destination.tensor->scope == scope || copy.source.tensor->scope == scope;
}

namespace {

class CopySharer : public Rewriter {
 public:
  explicit CopySharer(const Stmt& nest) : space_(nest), nest_(space_) {}

  Expr rewrite(const Expr& expr) override { return expr; }

  Stmt rewrite(const Stmt& stmt) override {
    const auto* copy = llvm::dyn_cast<Copy>(stmt);
    if (copy && copy->is_by_producers()) return stmt;
    if (copy && is_in(*copy, Scope::shared) && !is_in(*copy, Scope::registers))
      return copy->with_execution(makers_of(*copy));
    nest_.enter(stmt);
    const Stmt rebuilt = rewrite_operands(stmt);
    nest_.leave(stmt);
    return rebuilt;
  }

 private:
  CopyExecution makers_of(const Copy& copy) const {
    CopyExecution execution{CopyExecution::Kind::threads, {}, copy.execution.engine};
    for (const ThreadGroup& group : space_.groups_of(nest_.free_threads(copy)))
      execution.digits.push_back(group.binding);
    return execution;
  }

  const ThreadSpace space_;
  ThreadNest nest_;
};

}  // namespace

Stmt with_shared_copies(const Stmt& nest) { return CopySharer(nest).rewrite(nest); }

}  // namespace hone

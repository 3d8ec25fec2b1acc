// copy A.shared[...] <- A[...] @async        =>   copy A.shared[...] <- A[...] @async
// copy B.shared[...] <- B[...] @async             copy B.shared[...] <- B[...] @async
// wait_group 0                                    commit_group
// barrier                                         wait_group 1
//                                                 barrier
//
// Asynchronous copies that follow each other are a group, which all threads commit, also those that
// have no copy in it: so all count alike. A wait leaves as many groups pending as nobody needs
// before the next one; it goes where nobody needs any.

#include "codegen/pass/copy_groups.h"
#include "codegen/pass/passes.h"
#include "ir/opcodes/opcodes.h"
#include "ir/rewriter.h"
#include "ir/visit.h"

namespace hone {
namespace {

/// True if all that the statement does is to start copies, once.
bool starts_copies(const Stmt& stmt) {
  if (is_async_copy(stmt)) return true;
  if (const auto* branch = llvm::dyn_cast<If>(stmt)) return starts_copies(branch->body);
  if (const auto* let = llvm::dyn_cast<Let>(stmt)) return starts_copies(let->body);
  const auto* seq = llvm::dyn_cast<Seq>(stmt);
  return seq && !seq->stmts.empty() && llvm::all_of(seq->stmts, starts_copies);
}

class Commits : public Rewriter {
 public:
  Expr rewrite(const Expr& expr) override { return expr; }

  Stmt rewrite(const Stmt& stmt) override {
    if (starts_copies(stmt)) return Seq::make({stmt, Instr::make(op::commit_group)});
    const auto* seq = llvm::dyn_cast<Seq>(stmt);
    if (!seq) return rewrite_operands(stmt);
    llvm::SmallVector<Stmt, 4> stmts;
    for (size_t n = 0; n < seq->stmts.size(); ++n) {
      const Stmt& part = seq->stmts[n];
      const bool goes_on = n + 1 < seq->stmts.size() && starts_copies(seq->stmts[n + 1]);
      stmts.push_back(starts_copies(part) && goes_on ? part : rewrite(part));
    }
    return Seq::make(stmts);
  }
};

}  // namespace

void group_copies(KernelFunction& kernel) {
  if (!any_of(kernel.body, is_async_copy)) return;
  kernel.body = Commits().rewrite(kernel.body);
  const auto pending = pending_groups(kernel.body);
  kernel.body = transform_stmts(kernel.body, [&](const Stmt& stmt) -> Stmt {
    const auto known = pending.find(stmt.get());
    if (known == pending.end()) return {};
    return known->second == all_pending ? Seq::make({})
                                        : Instr::make(op::wait_group, {}, {}, known->second);
  });
}

}  // namespace hone

// copy A.shared[...] <- A[...] @async        =>   copy A.shared[...] <- A[...] @async
// copy B.shared[...] <- B[...] @async             copy B.shared[...] <- B[...] @async
// wait_group 0                                    commit_group
// barrier                                         wait_group 1
//                                                 barrier
//
// Copies that are started one after the other are a group. All threads commit it, also those that
// have no copy in it: so all count alike. A wait leaves as many groups pending as nobody needs
// before the next one; it goes where nobody needs any.

#include "codegen/order/wait_groups.h"
#include "codegen/pass/passes.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace hone {
namespace {

class Commits : public Rewriter {
 public:
  explicit Commits(const GroupKind& kind) : kind_(kind) {}

  Expr rewrite(const Expr& expr) override { return expr; }

  Stmt rewrite(const Stmt& stmt) override {
    if (starts_alone(stmt)) return Seq::make({stmt, Instr::make(*kind_.commit)});
    const auto* seq = llvm::dyn_cast<Seq>(stmt);
    if (!seq) return rewrite_operands(stmt);
    llvm::SmallVector<Stmt, 4> stmts;
    for (size_t n = 0; n < seq->stmts.size(); ++n) {
      const Stmt& part = seq->stmts[n];
      const bool goes_on = n + 1 < seq->stmts.size() && starts_alone(seq->stmts[n + 1]);
      stmts.push_back(starts_alone(part) && goes_on ? part : rewrite(part));
    }
    return Seq::make(stmts);
  }

 private:
  /// True if all that the statement does is to start such work, once.
  bool starts_alone(const Stmt& stmt) const {
    if (kind_.starts(stmt)) return true;
    if (const auto* branch = llvm::dyn_cast<If>(stmt)) return starts_alone(branch->body);
    if (const auto* let = llvm::dyn_cast<Let>(stmt)) return starts_alone(let->body);
    const auto* seq = llvm::dyn_cast<Seq>(stmt);
    return seq && !seq->stmts.empty() &&
           llvm::all_of(seq->stmts, [&](const Stmt& part) { return starts_alone(part); });
  }

  const GroupKind& kind_;
};

/// The statement, and at the end of what a block does the other one.
Stmt with_end(const Stmt& stmt, const Stmt& end) {
  if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt))
    return Alloc::make(alloc->tensor, with_end(alloc->body, end));
  const auto* loop = llvm::dyn_cast<For>(stmt);
  if (loop && loop->binding.kind == Binding::Kind::block)
    return loop->with_body(with_end(loop->body, end));
  return Seq::make({stmt, end});
}

/// The block's memory lasts until the engines have read what they read of it.
bool reads_to_the_end(const Stmt& kernel, const GroupKind& kind) {
  return kind.is_for_reads && is_behind_fence(kind.timeline) && may_be_pending_at_end(kernel, kind);
}

}  // namespace

void commit_groups(KernelFunction& kernel) {
  llvm::SmallPtrSet<const Opcode*, 2> committed;
  for (const GroupKind& kind : groups_in(kernel.body)) {
    if (committed.insert(kind.commit).second) kernel.body = Commits(kind).rewrite(kernel.body);
    const auto pending = pending_groups(kernel.body, kind);
    kernel.body = transform_stmts(kernel.body, [&](const Stmt& stmt) -> Stmt {
      const auto known = pending.find(stmt.get());
      if (known == pending.end()) return {};
      return known->second == all_pending ? Seq::make({})
                                          : Instr::make(*kind.wait, {}, {}, known->second);
    });
    if (reads_to_the_end(kernel.body, kind))
      kernel.body = with_end(kernel.body, Instr::make(*kind.wait, {}, {}, 0));
  }
}

}  // namespace hone

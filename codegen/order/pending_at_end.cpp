// for i in 0..n
//   wgmma_m64n8k16 C.reg[...] <- ...         a group is pending,
//   commit_wgmma
//   wait_wgmma 1                             still one,
// if (n > 4)
//   wait_wgmma 0                             and where n <= 4, one at the end
//   ... C.reg
//
// Threads wait for work where its results are used. Where no statement uses them, or a branch does,
// a block may end before its work has.

#include "codegen/order/wait_groups.h"

namespace hone {
namespace {

class PendingWork {
 public:
  explicit PendingWork(const GroupKind& kind) : kind_(kind) {}

  /// True if work may be pending behind the statement. `before`: the same before it.
  bool behind(const Stmt& stmt, bool before) const {
    if (kind_.starts(stmt)) return true;
    if (const Instr* wait = as(stmt, *kind_.wait)) return before && wait->constants.front() > 0;
    if (const auto* let = llvm::dyn_cast<Let>(stmt)) return behind(let->body, before);
    if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) return behind(alloc->body, before);
    if (const auto* branch = llvm::dyn_cast<If>(stmt))
      return before || behind(branch->body, before);
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) return behind_loop(*loop, before);
    if (const auto* seq = llvm::dyn_cast<Seq>(stmt))
      for (const Stmt& part : seq->stmts) before = behind(part, before);
    return before;
  }

 private:
  /// Once more through the body changes nothing: work is pending behind it always, never, or if it
  /// was before. A loop that may have no iterations leaves all as it was.
  bool behind_loop(const For& loop, bool before) const {
    return behind(loop.body, before) || (before && as_int(loop.extent).value_or(0) < 1);
  }

  const GroupKind& kind_;
};

}  // namespace

bool may_be_pending_at_end(const Stmt& kernel, const GroupKind& kind) {
  return PendingWork(kind).behind(kernel, false);
}

}  // namespace hone

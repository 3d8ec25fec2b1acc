#include "codegen/order/opened_sequence.h"

namespace hone {
namespace {

void open(llvm::ArrayRef<Stmt> stmts, OpenedSequence& sequence) {
  for (const Stmt& stmt : stmts) {
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    if (!alloc || &stmt != &stmts.back()) {
      sequence.stmts.push_back(stmt);
      continue;
    }
    sequence.allocs.emplace_back(sequence.stmts.size(), alloc->tensor);
    if (const auto* inner = llvm::dyn_cast<Seq>(alloc->body))
      open(inner->stmts, sequence);
    else
      open(alloc->body, sequence);
  }
}

}  // namespace

OpenedSequence opened(const Seq& seq) {
  OpenedSequence sequence;
  open(seq.stmts, sequence);
  return sequence;
}

Stmt closed(const OpenedSequence& sequence, llvm::ArrayRef<WaitingStmt> stmts) {
  Stmt behind = Seq::make({});
  auto alloc = sequence.allocs.rbegin();
  for (size_t n = stmts.size(); n > 0; --n) {
    const auto& [wait, stmt] = stmts[n - 1];
    behind = Seq::make({stmt, behind});
    for (; alloc != sequence.allocs.rend() && alloc->first == n - 1; ++alloc)
      behind = Alloc::make(alloc->second, behind);
    if (wait.defined()) behind = Seq::make({wait, behind});
  }
  return behind;
}

}  // namespace hone

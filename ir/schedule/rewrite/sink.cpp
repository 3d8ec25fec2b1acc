#include "ir/schedule/rewrite/sink.h"

#include "ir/algebra/polynomial.h"
#include "ir/guards.h"
#include "ir/text/printer.h"
#include "ir/visit.h"

namespace hone {
namespace {

/// Rebuilds the statements on the way to a loop.
class Sinker {
 public:
  Sinker(const Preconditions& check, const Site& site)
      : check_(check), path_(site.around.begin(), site.around.end()) {
    path_.push_back(site.statement);
  }

  Stmt run() { return rebuilt(0); }

 private:
  Stmt rebuilt(size_t n) {
    const Stmt& stmt = path_[n];
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) {
      if (loop->binding.kind == Binding::Kind::thread) divergent_.push_back(loop->axis.get());
      return loop->with_body(n + 1 == path_.size() ? guarded(guards_, loop->body) : rebuilt(n + 1));
    }
    if (const auto* branch = llvm::dyn_cast<If>(stmt)) {
      if (!differs(branch->condition)) return If::make(branch->condition, rebuilt(n + 1));
      if (reads_tensor(branch->condition))
        check_.refuse(stmt.get(),
                      fmt::format("threads of a block differ in {}, which cannot move inwards: it "
                                  "reads a tensor",
                                  branch->condition),
                      "the threads of a block fill a shared tile together");
      guards_.push_back(branch->condition);
      return rebuilt(n + 1);
    }
    if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt))
      return Alloc::make(alloc->tensor, rebuilt(n + 1));
    if (const auto* let = llvm::dyn_cast<Let>(stmt)) {
      if (differs(let->value)) divergent_.push_back(let->axis.get());
      return Let::make(let->axis, let->value, rebuilt(n + 1));
    }
    return with_guarded_neighbours(*llvm::cast<Seq>(stmt), n);
  }

  Stmt with_guarded_neighbours(const Seq& seq, size_t n) {
    llvm::SmallVector<Stmt, 4> stmts;
    for (const Stmt& part : seq.stmts)
      stmts.push_back(part.same_as(path_[n + 1]) ? Stmt() : guarded(guards_, part));
    for (Stmt& part : stmts)
      if (!part.defined()) part = rebuilt(n + 1);
    return Seq::make(stmts);
  }

  /// Each thread has axes and registers of its own.
  bool differs(const Expr& value) const {
    bool found =
        llvm::any_of(divergent_, [&](const AxisNode* axis) { return mentions(value, axis); });
    walk(value, [&](const Expr& part) {
      const auto* load = llvm::dyn_cast<Load>(part);
      found |= load && load->tensor->scope == Scope::registers;
    });
    return found;
  }

  const Preconditions& check_;
  llvm::SmallVector<Stmt, 8> path_;
  llvm::SmallVector<const AxisNode*, 4> divergent_;
  llvm::SmallVector<Expr, 4> guards_;
};

}  // namespace

Function sink_thread_guards(const Preconditions& check, const Function& function,
                            const AxisPtr& axis) {
  return function.with_body(Sinker(check, check.find(axis)).run());
}

llvm::SmallVector<const For*, 4> thread_loops(llvm::ArrayRef<Stmt> path) {
  llvm::SmallVector<const For*, 4> loops;
  for (const Stmt& stmt : path) {
    const auto* loop = llvm::dyn_cast<For>(stmt);
    if (loop && loop->binding.kind == Binding::Kind::thread) loops.push_back(loop);
  }
  return loops;
}

}  // namespace hone

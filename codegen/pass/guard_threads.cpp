#include "codegen/pass/guard_threads.h"

#include "ir/algebra/facts.h"
#include "ir/visit.h"

namespace hone {
namespace {

/// Whether it gives registers values that are the same in all threads: those that the guard keeps
/// out have such registers too, and may use them later.
///
/// `differing` are the axes that tell these threads apart.
bool sets_own_registers(const Stmt& stmt, llvm::ArrayRef<const AxisNode*> differing) {
  const auto does_more = [](const Stmt& part) {
    const auto* store = llvm::dyn_cast<Store>(part);
    const bool sets = store && store->update == Update::set && is_constant(store->value) &&
                      store->tensor->scope == Scope::registers;
    return !sets && !llvm::isa<For, Seq>(part);
  };
  const auto differs = [&](const Expr& expr) {
    const auto* axis = llvm::dyn_cast<AxisRef>(expr);
    return llvm::isa<ThreadIndex, Load>(expr) ||
           (axis && llvm::is_contained(differing, axis->axis.get()));
  };
  return !any_of(stmt, does_more) && !any_expr_of(stmt, differs);
}

class Guard {
 public:
  Guard(Expr condition, ThreadDigits digits, const ThreadAxes& axes)
      : condition_(std::move(condition)), digits_(digits), axes_(axes) {
    walk(condition_, [&](const Expr& part) {
      if (const auto* axis = llvm::dyn_cast<AxisRef>(part)) differing_.push_back(axis->axis.get());
    });
  }

  Stmt apply(const Stmt& stmt) {
    if (sets_own_registers(stmt, differing_)) return stmt;
    if (!needs_all(stmt)) return If::make(condition_, stmt);
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) return loop->with_body(apply(loop->body));
    if (const auto* seq = llvm::dyn_cast<Seq>(stmt)) return apply(*seq);
    if (const auto* branch = llvm::dyn_cast<If>(stmt))
      return If::make(branch->condition, apply(branch->body));
    if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt))
      return Alloc::make(alloc->tensor, apply(alloc->body));
    if (const auto* let = llvm::dyn_cast<Let>(stmt); let && !is_anew(*let)) {
      differing_.push_back(let->axis.get());
      return Let::make(let->axis, guarded(let->value), apply(let->body));
    }
    return stmt;
  }

 private:
  /// Says which thread this is of those that the condition tells apart.
  bool is_anew(const Let& let) const { return axes_.lookup(let.axis.get()).meets(digits_); }

  bool needs_all(const Stmt& stmt) const {
    return any_of(stmt, [&](const Stmt& nested) {
      const auto* let = llvm::dyn_cast<Let>(nested);
      return llvm::isa<Barrier>(nested) || (let && is_anew(*let));
    });
  }

  /// Other threads may not read what the value reads, and do not use it.
  Expr guarded(const Expr& value) const {
    return reads_tensor(value) ? select(condition_, value, 0) : value;
  }

  /// Neighbours that need a guard share it.
  Stmt apply(const Seq& seq) {
    llvm::SmallVector<Stmt, 4> result, guarded;
    const auto flush = [&] {
      if (!guarded.empty()) result.push_back(If::make(condition_, Seq::make(guarded)));
      guarded.clear();
    };
    for (const Stmt& stmt : seq.stmts) {
      if (!needs_all(stmt) && !sets_own_registers(stmt, differing_)) {
        guarded.push_back(stmt);
        continue;
      }
      flush();
      result.push_back(apply(stmt));
    }
    flush();
    return Seq::make(result);
  }

  Expr condition_;
  const ThreadDigits digits_;
  const ThreadAxes& axes_;
  llvm::SmallVector<const AxisNode*, 4> differing_;
};

}  // namespace

Stmt guard_threads(const Stmt& stmt, const Expr& condition, ThreadDigits digits,
                   const ThreadAxes& axes) {
  return Guard(condition, digits, axes).apply(stmt);
}

}  // namespace hone

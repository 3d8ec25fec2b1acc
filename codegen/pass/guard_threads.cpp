#include "codegen/pass/guard_threads.h"

#include "ir/algebra/facts.h"
#include "ir/traverse/guards.h"
#include "ir/traverse/visit.h"

namespace hone {

bool is_of_all_threads(const Stmt& stmt) {
  const auto* instr = llvm::dyn_cast<Instr>(stmt);
  return instr && instr->opcode.rules.is_for_all;
}

namespace {

/// True if it gives registers values that are the same in all threads: the threads that the guard
/// keeps out have such registers too, and may use them later.
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
    return with_guard(condition_, stmt, [&](const Stmt& part) { return place(part); });
  }

 private:
  GuardPlace place(const Stmt& stmt) {
    if (sets_own_registers(stmt, differing_)) return GuardPlace::none;
    if (!needs_all(stmt)) return GuardPlace::around;
    if (const auto* let = llvm::dyn_cast<Let>(stmt)) {
      if (is_anew(*let)) return GuardPlace::none;
      differing_.push_back(let->axis.get());
    }
    return is_of_all_threads(stmt) ? GuardPlace::none : GuardPlace::inside;
  }

  /// Says which thread this is of those that the condition tells apart.
  bool is_anew(const Let& let) const { return axes_.lookup(let.axis.get()).meets(digits_); }

  bool needs_all(const Stmt& stmt) const {
    return any_of(stmt, [&](const Stmt& nested) {
      const auto* let = llvm::dyn_cast<Let>(nested);
      return is_of_all_threads(nested) || (let && is_anew(*let));
    });
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

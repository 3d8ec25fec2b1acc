#include "ir/traverse/guards.h"

#include "ir/traverse/visit.h"
#include "llvm/ADT/STLExtras.h"

namespace hone {

Stmt guarded(llvm::ArrayRef<Expr> conditions, Stmt stmt) {
  for (const Expr& condition : llvm::reverse(conditions)) stmt = If::make(condition, stmt);
  return stmt;
}

namespace {

/// A condition on its way inwards.
class GuardMotion {
 public:
  GuardMotion(Expr condition, llvm::function_ref<GuardPlace(const Stmt&)> place)
      : condition_(std::move(condition)), place_(place) {}

  Stmt apply(const Stmt& stmt) { return apply(stmt, place_(stmt)); }

 private:
  Stmt apply(const Stmt& stmt, GuardPlace place) {
    if (place == GuardPlace::none) return stmt;
    if (place == GuardPlace::around) return If::make(condition_, stmt);
    if (const auto* loop = llvm::dyn_cast<For>(stmt))
      return loop->with_body(place == GuardPlace::inside ? apply(loop->body)
                                                         : If::make(condition_, loop->body));
    if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt))
      return Alloc::make(alloc->tensor, apply(alloc->body));
    if (const auto* let = llvm::dyn_cast<Let>(stmt))
      return Let::make(let->axis, guarded(let->value), apply(let->body));
    if (const auto* branch = llvm::dyn_cast<If>(stmt))
      return place == GuardPlace::joined
                 ? GuardMotion(condition_ && branch->condition, place_).apply(branch->body)
                 : If::make(branch->condition, apply(branch->body));
    return apply(*llvm::cast<Seq>(stmt));
  }

  /// Nothing uses the value if the condition does not hold, and reading it may not be possible
  /// then.
  Expr guarded(const Expr& value) const {
    const bool reads = any_of(value, [](const Expr& part) { return llvm::isa<Load>(part); });
    return reads ? select(condition_, value, 0) : value;
  }

  Stmt apply(const Seq& seq) {
    llvm::SmallVector<Stmt, 4> result, neighbours;
    const auto flush = [&] {
      if (!neighbours.empty()) result.push_back(If::make(condition_, Seq::make(neighbours)));
      neighbours.clear();
    };
    for (const Stmt& stmt : seq.stmts) {
      const GuardPlace place = place_(stmt);
      if (place == GuardPlace::around) {
        neighbours.push_back(stmt);
        continue;
      }
      flush();
      result.push_back(apply(stmt, place));
    }
    flush();
    return Seq::make(result);
  }

  const Expr condition_;
  const llvm::function_ref<GuardPlace(const Stmt&)> place_;
};

}  // namespace

Stmt with_guard(const Expr& condition, const Stmt& stmt,
                llvm::function_ref<GuardPlace(const Stmt&)> place) {
  return GuardMotion(condition, place).apply(stmt);
}

}  // namespace hone

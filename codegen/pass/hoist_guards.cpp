// A guard that holds in all iterations of a loop or in none stands around the loop:
//
//   for v in 0..16 @unroll                  if (t*16 < n)
//     if (t*16 + v < n)               =>      for v in 0..16 @unroll
//       H[data[t*16 + v]] += 1                  H[data[t*16 + v]] += 1         where 16 divides n

#include "codegen/pass/passes.h"
#include "ir/algebra/facts_rewriter.h"
#include "ir/algebra/fold.h"
#include "ir/algebra/polynomial.h"
#include "ir/threads/lanes.h"
#include "ir/traverse/guards.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

class GuardHoister : public FactsRewriter {
 public:
  using FactsRewriter::FactsRewriter;
  using FactsRewriter::rewrite;

  Stmt rewrite(const Stmt& stmt) override {
    const Stmt result = rewrite_inside(stmt);
    const auto* loop = llvm::dyn_cast<For>(result);
    return loop ? hoisted(*loop, result) : result;
  }

 private:
  Stmt hoisted(const For& loop, const Stmt& stmt) const {
    llvm::SmallVector<Expr, 4> conditions, outside, inside;
    Stmt body = loop.body;
    for (const If* guard = nullptr; (guard = llvm::dyn_cast<If>(body)); body = guard->body) {
      if (reads_tensor(guard->condition) || may_divide_by_zero(guard->condition)) break;
      for_each_conjunct(guard->condition,
                        [&](const Expr& condition) { conditions.push_back(condition); });
    }
    for (const Expr& condition : conditions) {
      const Expr hoisted = without_axis(condition, loop);
      hoisted.defined() ? outside.push_back(hoisted) : inside.push_back(condition);
    }
    return outside.empty() ? stmt : guarded(outside, loop.with_body(guarded(inside, body)));
  }

  /// Null where the condition depends on the iteration.
  Expr without_axis(const Expr& condition, const For& loop) const {
    const Lanes iterations{loop.axis, as_int(loop.extent).value_or(0)};
    if (iterations.count > 0) return uniform_condition(condition, iterations, facts);
    return mentions(condition, loop.axis.get()) ? Expr() : condition;
  }
};

}  // namespace

void hoist_guards(KernelFunction& kernel) {
  kernel.body = GuardHoister(facts_in(kernel)).rewrite(kernel.body);
}

}  // namespace hone

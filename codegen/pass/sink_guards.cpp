// for i in 0..8 @thread.y
//   if (i < M)
//     S[i] = 0.0
//     reduce k in 0..32 @thread.x combine(shuffle)
//       S[i] += A[i, k]
//
//   =>  for i in 0..8 @thread.y
//         if (i < M)
//           S[i] = 0.0
//         reduce k in 0..32 @thread.x combine(shuffle)
//           if (i < M)
//             S[i] += A[i, k]

#include "codegen/pass/sink_guards.h"

#include "ir/algebra/polynomial.h"
#include "ir/analysis/accesses.h"
#include "ir/analysis/site.h"
#include "ir/threads/thread_nest.h"
#include "ir/traverse/guards.h"
#include "ir/traverse/rewriter.h"

namespace hone {
namespace {

bool combines(const For& loop) { return is_thread_loop(loop) && loop.binding.combine; }

bool has_combination(const Stmt& stmt) {
  return llvm::any_of(loops_of(stmt), [](const For* loop) { return combines(*loop); });
}

Stmt sunk(const If& guard) {
  return with_guard(guard.condition, guard.body, [](const Stmt& stmt) {
    const auto* loop = llvm::dyn_cast<For>(stmt);
    if (loop && combines(*loop)) return GuardPlace::around_body;
    if (!has_combination(stmt)) return GuardPlace::around;
    return llvm::isa<If>(stmt) ? GuardPlace::joined : GuardPlace::inside;
  });
}

class GuardSinker : public Rewriter {
 public:
  Expr rewrite(const Expr& expr) override { return expr; }

  Stmt rewrite(const Stmt& stmt) override {
    const auto* guard = llvm::dyn_cast<If>(stmt);
    if (guard && differs(guard->condition) && has_combination(guard->body) && may_sink(*guard))
      return rewrite(sunk(*guard));
    const auto* loop = llvm::dyn_cast<For>(stmt);
    const auto* let = llvm::dyn_cast<Let>(stmt);
    if (loop && is_thread_loop(*loop)) differing_.push_back(loop->axis.get());
    if (let && differs(let->value)) differing_.push_back(let->axis.get());
    return rewrite_operands(stmt);
  }

 private:
  bool differs(const Expr& expr) const {
    return llvm::any_of(differing_, [&](const AxisNode* axis) { return mentions(expr, axis); });
  }

  /// The condition says the same where it is evaluated again, unless its statements write what it
  /// reads.
  static bool may_sink(const If& guard) {
    if (!find_change(guard.condition, collect_accesses(guard.body))) return true;
    assert(llvm::none_of(loops_of(guard.body),
                         [](const For* loop) { return loop->binding.combine.is_exchange(); }));
    return false;
  }

  llvm::SmallVector<const AxisNode*, 4> differing_;  ///< between the threads of a block
};

}  // namespace

Stmt sink_guards(const Stmt& stmt) { return GuardSinker().rewrite(stmt); }

}  // namespace hone

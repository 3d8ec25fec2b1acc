// A guard around all that the iterations of a loop do, and that none meets after one that does not,
// is where the loop ends:
//
//   for i.1 in 0..64                          for i.1 in 0..min(64, M - i.0*64)
//     for k in 0..K                    =>       for k in 0..K
//       if (i.0*64 + i.1 < M)                     C[i.0*64 + i.1] += A[k]
//         C[i.0*64 + i.1] += A[k]

#include "codegen/c_form/stepped_loop.h"
#include "codegen/pass/passes.h"
#include "ir/algebra/fold.h"
#include "ir/algebra/polynomial.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

using Conditions = llvm::SmallVector<Expr, 4>;

bool contains(llvm::ArrayRef<Expr> conditions, const Expr& condition) {
  return llvm::any_of(conditions, [&](const Expr& other) { return equal(other, condition); });
}

Conditions without_axis(Conditions conditions, const AxisNode* axis) {
  llvm::erase_if(conditions, [&](const Expr& condition) { return mentions(condition, axis); });
  return conditions;
}

/// The conditions, over axes from outside of the statement, that stand around all that it does.
/// They may stand around the statement itself.
Conditions conditions_around(const Stmt& stmt) {
  if (const auto* loop = llvm::dyn_cast<For>(stmt))
    return without_axis(conditions_around(loop->body), loop->axis.get());
  if (const auto* let = llvm::dyn_cast<Let>(stmt))
    return without_axis(conditions_around(let->body), let->axis.get());
  if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) return conditions_around(alloc->body);
  if (const auto* sequence = llvm::dyn_cast<Seq>(stmt); sequence && !sequence->stmts.empty()) {
    Conditions common = conditions_around(sequence->stmts.front());
    for (const Stmt& other : llvm::drop_begin(sequence->stmts)) {
      const Conditions its = conditions_around(other);
      llvm::erase_if(common, [&](const Expr& condition) { return !contains(its, condition); });
    }
    return common;
  }
  const auto* guard = llvm::dyn_cast<If>(stmt);
  if (!guard) return {};
  Conditions conditions = conditions_around(guard->body);
  for_each_conjunct(guard->condition, [&](const Expr& condition) {
    if (!reads_tensor(condition) && !may_divide_by_zero(condition)) conditions.push_back(condition);
  });
  return conditions;
}

/// A statement that runs only where `conditions` hold, without guards that ask for them.
class GuardRemover : public Rewriter {
 public:
  explicit GuardRemover(llvm::ArrayRef<Expr> conditions) : conditions_(conditions) {}

  Expr rewrite(const Expr& expr) override { return expr; }

  Stmt rewrite(const Stmt& stmt) override {
    const auto* guard = llvm::dyn_cast<If>(stmt);
    if (!guard) return rewrite_operands(stmt);
    Stmt body = rewrite(guard->body);
    Expr rest;
    for_each_conjunct(guard->condition, [&](const Expr& condition) {
      if (!contains(conditions_, condition)) rest = rest.defined() ? rest && condition : condition;
    });
    return rest.defined() ? If::make(rest, body) : body;
  }

 private:
  llvm::ArrayRef<Expr> conditions_;
};

class LoopClipper : public Rewriter {
 public:
  Expr rewrite(const Expr& expr) override { return expr; }

  Stmt rewrite(const Stmt& stmt) override {
    const Stmt result = rewrite_operands(stmt);
    const auto* loop = llvm::dyn_cast<For>(result);
    const bool may_end_early =
        loop && (loop->binding.is_serial() || loop->binding.kind == Binding::Kind::parallel);
    return may_end_early ? clipped(*loop, result) : result;
  }

 private:
  static Stmt clipped(const For& loop, const Stmt& stmt) {
    Conditions ends;
    Expr extent = loop.extent;
    for (const Expr& condition : conditions_around(loop.body)) {
      const Expr iterations = iterations_below(condition, loop.axis);
      if (!iterations.defined() || contains(ends, condition)) continue;
      ends.push_back(condition);
      extent = min(extent, iterations);
    }
    if (ends.empty()) return stmt;
    const Stmt body = GuardRemover(ends).rewrite(loop.body);
    return For::make(loop.axis, extent, loop.binding, body);
  }
};

}  // namespace

void clip_loops(KernelFunction& kernel) { kernel.body = LoopClipper().rewrite(kernel.body); }

}  // namespace hone

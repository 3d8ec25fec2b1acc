#include "ir/schedule/rewrite/guards.h"

#include "ir/algebra/facts_rewriter.h"
#include "ir/algebra/polynomial.h"
#include "ir/algebra/simplify.h"
#include "ir/traverse/guards.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// x < y / c as x*c < y - c + 1, which says the same of whole numbers and divides nothing; null for
/// any other condition.
Expr multiplied_out(const Expr& condition) {
  const auto* less = llvm::dyn_cast<Binary>(condition);
  if (!less || less->op != BinaryOp::lt || less->lhs.type() != DType::index) return Expr();
  const auto* quotient = llvm::dyn_cast<Binary>(less->rhs);
  if (!quotient || quotient->op != BinaryOp::div) return Expr();
  const Polynomial divisor = Polynomial::of(quotient->rhs);
  const Polynomial limit = Polynomial::of(quotient->lhs) - divisor + 1;
  return (Polynomial::of(less->lhs) * divisor).to_expr() < limit.to_expr();
}

/// The axes and params that `expr` mentions.
llvm::SmallVector<const void*, 4> variables(const Expr& expr) {
  llvm::SmallVector<const void*, 4> found;
  walk(expr, [&](const Expr& part) {
    if (const auto* axis = llvm::dyn_cast<AxisRef>(part)) found.push_back(axis->axis.get());
    if (const auto* param = llvm::dyn_cast<ParamRef>(part)) found.push_back(param->param.get());
  });
  return found;
}

bool share_variables(const Expr& lhs, const Expr& rhs) {
  const auto known = variables(lhs);
  return llvm::any_of(variables(rhs), [&](const void* v) { return llvm::is_contained(known, v); });
}

class GuardDropper : public Rewriter {
 public:
  /// Adds to the facts what holds inside, and takes it away again.
  explicit GuardDropper(Facts& facts) : facts_(facts) {}

  Expr rewrite(const Expr& expr) override { return expr; }

  Stmt rewrite(const Stmt& stmt) override {
    if (llvm::isa<For>(stmt)) {
      const FactsScope inside(facts_, stmt);
      return rewrite_operands(stmt);
    }
    return llvm::isa<If>(stmt) ? rewrite_guards(stmt) : rewrite_operands(stmt);
  }

 private:
  Stmt rewrite_guards(const Stmt& stmt) {
    llvm::SmallVector<Expr, 4> guards;
    Stmt body = stmt;
    for (const auto* branch = llvm::dyn_cast<If>(body); branch; branch = llvm::dyn_cast<If>(body)) {
      guards.push_back(branch->condition);
      body = branch->body;
    }
    const size_t before = guards.size();
    for (size_t n = 0; n < guards.size();)
      if (is_implied(guards, n))
        guards.erase(guards.begin() + n);
      else
        ++n;
    const Stmt result = rewrite_under(guards, body);
    return guards.size() == before && result.same_as(body) ? stmt : guarded(guards, result);
  }

  Stmt rewrite_under(llvm::ArrayRef<Expr> guards, const Stmt& body) {
    const FactsScope inside(facts_);
    for (const Expr& guard : guards) facts_.assume(guard);
    return rewrite(body);
  }

  /// True if the other guards prove this one. The facts around do not: it would be simplified away
  /// already.
  bool is_implied(llvm::ArrayRef<Expr> guards, size_t number) {
    const Expr product = multiplied_out(guards[number]);
    const bool may_help = llvm::any_of(guards.drop_front(number + 1), [&](const Expr& inner) {
      return share_variables(inner, guards[number]);
    });
    if (!may_help && !product.defined()) return false;
    const FactsScope inside(facts_);
    for (size_t n = 0; n < guards.size(); ++n)
      if (n != number) facts_.assume(guards[n]);
    return (may_help && proves(guards[number], facts_)) ||
           (product.defined() && proves(product, facts_));
  }

  Facts& facts_;
};

}  // namespace

Stmt drop_implied_guards(const Stmt& stmt, const Facts& facts) {
  Facts scratch = facts;
  return GuardDropper(scratch).rewrite(stmt);
}

}  // namespace hone

#include "ir/algebra/facts_rewriter.h"

namespace hone {

FactsScope::FactsScope(Facts& facts, const Stmt& stmt) : FactsScope(facts) {
  if (const auto* loop = llvm::dyn_cast<For>(stmt)) facts.add_axis(loop->axis, loop->extent);
  if (const auto* branch = llvm::dyn_cast<If>(stmt)) facts.assume(branch->condition);
  if (const auto* let = llvm::dyn_cast<Let>(stmt)) facts.define(let->axis, let->value);
}

Stmt FactsRewriter::rewrite_inside(const Stmt& stmt) {
  const FactsScope inside(facts, stmt);
  return rewrite_operands(stmt);
}

}  // namespace hone

#include "ir/schedule/legality/axis_dependence.h"

#include "ir/traverse/visit.h"

namespace hone {

AxisDependence::AxisDependence(const For& loop) : loop_(loop) {
  axes_.insert(loop.axis.get());
  while (spreads(loop.body, false)) {
  }
}

bool AxisDependence::differs(const Expr& expr) const {
  return any_of(expr, [&](const Expr& part) {
    const auto* reference = llvm::dyn_cast<AxisRef>(part);
    const auto* load = llvm::dyn_cast<Load>(part);
    return (reference && axes_.contains(reference->axis.get())) || (load && reaches(*load->tensor));
  });
}

/// One pass over the tensors that `stmt` writes; true if it finds something new.
bool AxisDependence::spreads(const Stmt& stmt, bool is_divergent) {
  bool depends = is_divergent;
  for_each_operand(
      stmt, [&](const Expr& expr) { depends |= differs(expr); }, [](const Stmt&) {});
  const auto* copy = llvm::dyn_cast<Copy>(stmt);
  const auto* store = llvm::dyn_cast<Store>(stmt);
  if (copy && (depends || reaches(*copy->source.tensor)))
    return tensors_.insert(copy->destination.tensor.get()).second;
  if (store && depends) return tensors_.insert(store->tensor.get()).second;
  bool found = false;
  if (const auto* let = llvm::dyn_cast<Let>(stmt); let && differs(let->value))
    found = axes_.insert(let->axis.get()).second;
  const bool inside = is_divergent || (llvm::isa<If>(stmt) && depends);
  for_each_operand(
      stmt, [](const Expr&) {}, [&](const Stmt& nested) { found |= spreads(nested, inside); });
  return found;
}

Expr AxisDependence::guard_around(const StmtNode& stmt) const {
  bool found = false;
  return guard_around(loop_.body, stmt, found);
}

Expr AxisDependence::guard_around(const Stmt& stmt, const StmtNode& target, bool& found) const {
  if (stmt.get() == &target) found = true;
  Expr guard;
  for_each_operand(
      stmt, [](const Expr&) {},
      [&](const Stmt& nested) {
        if (!found) guard = guard_around(nested, target, found);
      });
  const auto* branch = llvm::dyn_cast<If>(stmt);
  return found && branch && !guard.defined() && differs(branch->condition) ? branch->condition
                                                                           : guard;
}

}  // namespace hone

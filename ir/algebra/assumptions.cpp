#include "ir/algebra/assumptions.h"

namespace hone {
namespace {

/// extent >= 1
void add_positive(const Expr& extent, Assumptions& assumptions) {
  if (as_int(extent)) return;
  assumptions.add(Polynomial::of(extent) - 1);
  const auto* binary = llvm::dyn_cast<Binary>(extent);
  if (!binary) return;
  const bool is_choice = binary->op == BinaryOp::min;
  // x / y >= 1 where x >= y.
  if (binary->op == BinaryOp::div)
    assumptions.add(Polynomial::of(binary->lhs) - Polynomial::of(binary->rhs));
  if (is_choice || binary->op == BinaryOp::mod) add_positive(binary->lhs, assumptions);
  if (is_choice) add_positive(binary->rhs, assumptions);
}

void add_comparison(const Binary& comparison, Assumptions& assumptions) {
  const BinaryOp op = comparison.op;
  if (!is_comparison(op) || comparison.lhs.type() != DType::index) return;
  const Polynomial difference = Polynomial::of(comparison.rhs) - Polynomial::of(comparison.lhs);
  const Polynomial opposite = Polynomial() - difference;
  if (op == BinaryOp::lt) assumptions.add(difference - 1);
  if (op == BinaryOp::le || op == BinaryOp::eq) assumptions.add(difference);
  if (op == BinaryOp::ge || op == BinaryOp::eq) assumptions.add(opposite);
  if (op == BinaryOp::gt) assumptions.add(opposite - 1);
}

}  // namespace

void Assumptions::add(const Polynomial& value) {
  const bool is_over_params = llvm::all_of(value.terms(), [](const Polynomial::Term& term) {
    return llvm::all_of(term.atoms, [](const Expr& atom) { return llvm::isa<ParamRef>(atom); });
  });
  (is_over_params ? over_params : general).push_back(value);
}

Assumptions assumptions_of(const Facts& facts) {
  Assumptions assumptions;
  for (const Expr& condition : llvm::reverse(facts.conditions()))
    if (const auto* comparison = llvm::dyn_cast<Binary>(condition))
      add_comparison(*comparison, assumptions);
  for (const Expr& extent : facts.extents()) add_positive(extent, assumptions);
  return assumptions;
}

}  // namespace hone

#include "ir/analysis/index_value.h"

#include "ir/algebra/polynomial.h"
#include "ir/algebra/simplify.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

bool operator_has_value(const Binary& binary, const Facts& facts) {
  const auto is_natural = [&](const Expr& operand) { return proves(operand >= 0, facts); };
  switch (binary.op) {
    case BinaryOp::div:
    case BinaryOp::mod:
      return is_natural(binary.lhs);
    case BinaryOp::bit_and:
    case BinaryOp::bit_or:
    case BinaryOp::bit_xor:
      return is_natural(binary.lhs) && is_natural(binary.rhs);
    case BinaryOp::shl:
    case BinaryOp::shr:
      return is_natural(binary.lhs) && is_natural(binary.rhs) && proves(binary.rhs < 63, facts);
    default:
      return true;
  }
}

/// `expr` where the param is 0.
Expr without_param(const Expr& expr, const ParamPtr& param) {
  return transform(expr, [&](const Expr& part) -> Expr {
    const auto* reference = llvm::dyn_cast<ParamRef>(part);
    return reference && reference->param == param ? Expr(0) : Expr();
  });
}

/// True where a loop would not run, or a condition not hold, if the param were 0.
bool is_positive(const ParamPtr& param, const Facts& facts) {
  if (proves(ParamRef::make(param) > 0, facts)) return true;
  return llvm::any_of(facts.extents(),
                      [&](const Expr& extent) {
                        return is_int(simplify(without_param(extent, param)), 0);
                      }) ||
         llvm::any_of(facts.conditions(), [&](const Expr& condition) {
           const Expr opposite = negated(without_param(condition, param));
           return opposite.defined() && proves(opposite, facts);
         });
}

/// True where an expression is proved to be positive, or is a product of params that are.
bool is_positive(const Expr& expr, const Facts& facts) {
  if (proves(expr > 0, facts)) return true;
  const Polynomial product = Polynomial::of(expr);
  return product.terms().size() == 1 && product.terms()[0].coefficient > 0 &&
         llvm::all_of(product.terms()[0].atoms, [&](const Expr& atom) {
           const auto* reference = llvm::dyn_cast<ParamRef>(atom);
           return reference && is_positive(reference->param, facts);
         });
}

}  // namespace

bool divides_by_positive(const Expr& expr, const Facts& facts) {
  return !any_of(expr, [&](const Expr& part) {
    const auto* binary = llvm::dyn_cast<Binary>(part);
    const bool is_division = binary && binary->type == DType::index &&
                             (binary->op == BinaryOp::div || binary->op == BinaryOp::mod);
    return is_division && !is_positive(binary->rhs, facts);
  });
}

bool reads_elements_that_exist(const Expr& expr, const Facts& facts) {
  const auto exists = [&](const auto& index_and_extent) {
    const auto& [index, extent] = index_and_extent;
    return proves(index >= 0, facts) && proves(index < extent, facts);
  };
  return !any_of(expr, [&](const Expr& part) {
    const auto* load = llvm::dyn_cast<Load>(part);
    return load && !llvm::all_of(llvm::zip(load->indices, load->tensor->shape), exists);
  });
}

bool has_value(const Expr& expr, const Facts& facts) {
  return !any_of(expr, [&](const Expr& part) {
    const auto* binary = llvm::dyn_cast<Binary>(part);
    return binary && binary->type == DType::index && !operator_has_value(*binary, facts);
  });
}

}  // namespace hone

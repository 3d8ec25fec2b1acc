#include "codegen/pass/ordered_choice.h"

#include <cmath>
#include <limits>

#include "ir/algebra/fold.h"
#include "ir/algebra/simplify.h"
#include "ir/scalar/scalar.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

bool is_element_of(const Expr& expr, const TensorPtr& tensor) {
  const auto* load = llvm::dyn_cast<Load>(expr);
  return load && load->tensor == tensor;
}

/// rhs[].second < lhs[].second
bool prefers_smaller(const OperatorNode& op, const Expr& condition) {
  const auto* less = llvm::dyn_cast<Binary>(condition);
  if (!less || less->op != BinaryOp::lt) return false;
  const auto* rhs = llvm::dyn_cast<Component>(less->lhs);
  const auto* lhs = llvm::dyn_cast<Component>(less->rhs);
  return rhs && lhs && rhs->position == lhs->position && is_element_of(rhs->tuple, op.rhs) &&
         is_element_of(lhs->tuple, op.lhs);
}

/// True where a condition depends only on how its operands compare.
bool only_compares(const Expr& condition) {
  return !any_of(condition, [](const Expr& part) {
    const auto* unary = llvm::dyn_cast<Unary>(part);
    const auto* binary = llvm::dyn_cast<Binary>(part);
    return (unary && unary->op != UnaryOp::logical_not) ||
           (binary && !is_comparison(binary->op) && !is_logical(binary->op)) ||
           llvm::isa<Cast, Call, Select>(part);
  });
}

/// Values in every relation to the constants of a condition: below, equal, above, no number.
std::vector<double> values_around_constants(const Expr& condition) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> values = {-infinity, infinity, std::numeric_limits<double>::quiet_NaN()};
  walk(condition, [&](const Expr& part) {
    const auto constant = as_scalar(part);
    if (!constant || !is_float(constant->type)) return;
    const auto at = static_cast<float>(constant->real);
    const auto end = static_cast<float>(infinity);
    values.insert(values.end(), {std::nextafter(at, -end), at, std::nextafter(at, end)});
  });
  return values;
}

Expr with_comparison(const OrderedChoice& choice, bool holds) {
  return transform(choice.condition, [&](const Expr& part) {
    return equal(part, choice.comparison) ? Expr(holds) : Expr();
  });
}

/// True where `is_wanted` is, for all values beside the identity, of a value and whether the
/// operator keeps it. Never where its choice depends on more than how values compare.
bool beside_identity(const OperatorNode& op, const OrderedChoice& choice, bool comparison,
                     llvm::function_ref<bool(double, bool)> is_wanted) {
  bool is_float = true;
  const Expr first = transform(with_comparison(choice, comparison), [&](const Expr& part) -> Expr {
    const auto* component = llvm::dyn_cast<Component>(part);
    if (component && is_element_of(component->tuple, op.lhs))
      return component_of(op.identity, component->position);
    is_float &= !component || part.type() == f32;
    return {};
  });
  return is_float && only_compares(first) &&
         llvm::all_of(values_around_constants(first), [&](double value) {
           const auto keeps = as_scalar(folded(transform(first, [&](const Expr& part) {
             return llvm::isa<Component>(part) ? constant_of(Scalar::of_float(f32, value)) : Expr();
           })));
           return keeps && is_wanted(value, keeps->integer == 1);
         });
}

/// An operator that compares values as floats do might prefer the identity to a NaN.
bool replaces_identity(const OperatorNode& op, const OrderedChoice& choice) {
  return beside_identity(op, choice, true, [](double, bool keeps) { return keeps; });
}

/// Zero equals a zero of the other sign.
bool may_start_at_identity(const OperatorNode& op, const OrderedChoice& choice) {
  const Expr value = component_of(op.identity, 1 - choice.position);
  const auto lowest = value.defined() ? as_scalar(value) : std::nullopt;
  if (!lowest || lowest->type != f32 || lowest->real == 0) return false;
  return beside_identity(op, choice, false,
                         [&](double other, bool keeps) { return keeps || other == lowest->real; });
}

}  // namespace

Expr component_of(const Expr& tuple, unsigned position) {
  const auto* made = llvm::dyn_cast<MakeTuple>(tuple);
  return made ? made->components[position] : Expr();
}

std::optional<OrderedChoice> ordered_choice_of(const OperatorNode& op) {
  const auto* select = llvm::dyn_cast<Select>(op.combined);
  const bool is_pair = component_count(op.lhs->type) == 2;
  if (!is_pair || !select || !is_element_of(select->if_true, op.rhs) ||
      !is_element_of(select->if_false, op.lhs))
    return std::nullopt;
  OrderedChoice choice{select->condition, {}, 0, {}, false};
  walk(select->condition, [&](const Expr& part) {
    if (prefers_smaller(op, part)) choice.comparison = part;
  });
  if (!choice.comparison.defined()) return std::nullopt;
  const auto& less = *llvm::cast<Binary>(choice.comparison);
  choice.position = llvm::cast<Component>(less.lhs)->position;
  choice.none = component_of(op.identity, choice.position);
  const bool is_largest = choice.none.defined() && choice.none.type() == i32 &&
                          as_int(choice.none) == std::numeric_limits<int32_t>::max();
  if (!is_largest || !replaces_identity(op, choice)) return std::nullopt;
  choice.may_start_at_identity = may_start_at_identity(op, choice);
  return choice;
}

OperatorPtr ascending_operator(const OperatorNode& op, const OrderedChoice& choice,
                               llvm::StringRef name) {
  const Expr lhs = Load::make(op.lhs, {}), rhs = Load::make(op.rhs, {});
  const Expr is_better = with_comparison(choice, false);
  const Expr is_first = Component::make(lhs, choice.position) == choice.none;
  return make_operator(name, op.lhs, op.rhs,
                       Select::make(is_first || simplify(is_better), rhs, lhs), op.identity);
}

OperatorPtr later_operator(const OperatorNode& op, const OrderedChoice& choice,
                           llvm::StringRef name) {
  return make_operator(name, op.lhs, op.rhs,
                       Select::make(simplify(with_comparison(choice, false)),
                                    Load::make(op.rhs, {}), Load::make(op.lhs, {})),
                       op.identity);
}

}  // namespace hone

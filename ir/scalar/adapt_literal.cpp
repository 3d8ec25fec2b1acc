#include "ir/scalar/adapt_literal.h"

#include <cmath>

#include "ir/core/expr.h"
#include "ir/scalar/scalar.h"

namespace hone {
namespace {

/// Of an integer literal that became an f32 or an i32 with its tuple.
std::optional<int64_t> whole_number(const Expr& component) {
  if (component.type() == i32) return as_int(component);
  const auto* real = llvm::dyn_cast<FloatConst>(component);
  if (!real || real->type != f32 || std::signbit(real->value) || !(real->value < 0x1p24) ||
      real->value != std::trunc(real->value))
    return std::nullopt;
  return static_cast<int64_t>(real->value);
}

Expr adapt_component(const Expr& component, DType type) {
  const Expr adapted = adapt_literal(component, type);
  if (adapted.type() == type) return adapted;
  const auto number = whole_number(component);
  return number ? adapt_literal(Expr(*number), type) : component;
}

Expr adapt_components(const MakeTuple& tuple, DType type) {
  if (!is_tuple(type) || component_count(type) != tuple.components.size()) return Expr(&tuple);
  llvm::SmallVector<Expr, 4> adapted;
  for (unsigned n = 0; n < tuple.components.size(); ++n) {
    adapted.push_back(adapt_component(tuple.components[n], component_type(type, n)));
    if (adapted.back().type() != component_type(type, n)) return Expr(&tuple);
  }
  return MakeTuple::make(adapted);
}

Expr adapt_choice(const Select& choice, DType type) {
  const Expr if_true = adapt_literal(choice.if_true, type);
  const Expr if_false = adapt_literal(choice.if_false, type);
  if (if_true.type() != type || if_false.type() != type) return Expr(&choice);
  return Select::make(choice.condition, if_true, if_false);
}

}  // namespace

Expr adapt_literal(const Expr& literal, DType type) {
  if (literal.type() == type) return literal;
  if (const auto* choice = llvm::dyn_cast<Select>(literal)) return adapt_choice(*choice, type);
  if (const auto* tuple = llvm::dyn_cast<MakeTuple>(literal)) return adapt_components(*tuple, type);
  if (const auto* value = llvm::dyn_cast<IntConst>(literal)) {
    if (literal.type() != DType::index) return literal;
    if (is_float(type)) return FloatConst::make(static_cast<double>(value->value), type);
    if (is_integer(type) && wrap_to(type, value->value) == value->value)
      return IntConst::make(value->value, type);
  }
  if (const auto* value = llvm::dyn_cast<FloatConst>(literal))
    if (literal.type() == DType::f32 && is_float(type))
      return FloatConst::make(value->written, type);
  return literal;
}

}  // namespace hone

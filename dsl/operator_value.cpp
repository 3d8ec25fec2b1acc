#include "dsl/operator_value.h"

#include <cmath>

#include "ir/scalar/functions.h"
#include "ir/scalar/scalar.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/DenseMap.h"

namespace hone {
namespace {

/// Ends an evaluation; it does not leave this file.
struct NoValue {};

RealNumber truth(bool condition) { return RealNumber::of(int64_t{condition}); }

bool is_true(const RealNumber& number) { return !number.is_same(truth(false)); }

bool is_nan(const RealNumber& number) { return std::isnan(number.value()); }

int64_t as_integer(const RealNumber& number, DType type) {
  constexpr long double limit = 0x1p63L;
  if (!(std::fabs(number.value()) < limit)) throw NoValue();
  const auto integer = static_cast<int64_t>(number.value());
  if (wrap_to(type, integer) != integer) throw NoValue();
  return integer;
}

/// The number, if the type has it: floats are as good as real numbers.
RealNumber checked(const RealNumber& number, DType type) {
  return is_float(type) ? number : RealNumber::of(as_integer(number, type));
}

/// A NaN loses against a number.
RealNumber extreme(bool is_max, const RealNumber& lhs, const RealNumber& rhs) {
  if (is_nan(lhs)) return rhs;
  if (is_nan(rhs)) return lhs;
  return lhs.is_less(rhs) == is_max ? rhs : lhs;
}

bool compare(BinaryOp op, const RealNumber& lhs, const RealNumber& rhs) {
  if (is_nan(lhs) || is_nan(rhs)) return op == BinaryOp::ne;
  switch (op) {
    case BinaryOp::eq:
      return lhs.is_same(rhs);
    case BinaryOp::ne:
      return !lhs.is_same(rhs);
    case BinaryOp::lt:
      return lhs.is_less(rhs);
    case BinaryOp::le:
      return !rhs.is_less(lhs);
    case BinaryOp::gt:
      return rhs.is_less(lhs);
    default:
      return !lhs.is_less(rhs);
  }
}

/// Operations that are defined on the digits of integers.
RealNumber combine_integers(BinaryOp op, DType type, const RealNumber& lhs, const RealNumber& rhs) {
  const auto operand = [&](const RealNumber& number) {
    return Scalar::of_int(type, as_integer(number, type));
  };
  try {
    return RealNumber::of(apply(op, operand(lhs), operand(rhs)).integer);
  } catch (const ArithmeticError&) {
    throw NoValue();
  }
}

RealNumber combine(BinaryOp op, DType type, const RealNumber& lhs, const RealNumber& rhs) {
  if (is_comparison(op)) return truth(compare(op, lhs, rhs));
  switch (op) {
    case BinaryOp::add:
      return lhs + rhs;
    case BinaryOp::sub:
      return lhs - rhs;
    case BinaryOp::mul:
      return lhs * rhs;
    case BinaryOp::min:
    case BinaryOp::max:
      return extreme(op == BinaryOp::max, lhs, rhs);
    case BinaryOp::div:
      if (is_float(type)) return lhs / rhs;
      [[fallthrough]];
    default:
      return combine_integers(op, type, lhs, rhs);
  }
}

RealNumber call(Intrinsic intrinsic, llvm::ArrayRef<RealNumber> arguments) {
  const RealNumber& number = arguments[0];
  if (intrinsic == Intrinsic::abs) return std::signbit(number.value()) ? -number : number;
  if (intrinsic == Intrinsic::fma) return number * arguments[1] + arguments[2];
  const long double second = arguments.size() > 1 ? arguments[1].value() : 0;
  return RealNumber::approximate(function_of(intrinsic, number.value(), second));
}

RealNumber convert(DType to, DType from, const RealNumber& number) {
  if (is_float(to)) return number;
  if (to == DType::boolean) return truth(is_true(number));
  if (!is_float(from)) return number;
  return is_nan(number) ? RealNumber::of(int64_t{0})
                        : RealNumber::approximate(std::trunc(number.value()));
}

/// Evaluates each node once.
class Evaluation {
 public:
  Evaluation(const OperatorNode& op, const RealValue& lhs, const RealValue& rhs)
      : op_(op), lhs_(lhs), rhs_(rhs) {}

  RealValue value(const Expr& expr) {
    if (const auto known = values_.find(expr.get()); known != values_.end()) return known->second;
    const RealValue made = make(expr);
    values_.try_emplace(expr.get(), made);
    return made;
  }

 private:
  RealNumber number(const Expr& expr) { return value(expr).front(); }

  RealValue make(const Expr& expr) {
    if (const auto* load = llvm::dyn_cast<Load>(expr)) return load->tensor == op_.lhs ? lhs_ : rhs_;
    if (const auto* tuple = llvm::dyn_cast<MakeTuple>(expr)) {
      RealValue components;
      for (const Expr& component : tuple->components) components.push_back(number(component));
      return components;
    }
    if (const auto* part = llvm::dyn_cast<Component>(expr))
      return {value(part->tuple)[part->position]};
    if (const auto* select = llvm::dyn_cast<Select>(expr))
      return value(is_true(number(select->condition)) ? select->if_true : select->if_false);
    return {checked(make_number(expr), expr.type())};
  }

  RealNumber make_number(const Expr& expr) {
    if (const auto* real = llvm::dyn_cast<FloatConst>(expr)) return RealNumber::of(real->value);
    if (const auto* integer = llvm::dyn_cast<IntConst>(expr)) return RealNumber::of(integer->value);
    if (const auto* cast = llvm::dyn_cast<Cast>(expr))
      return convert(cast->type, cast->operand.type(), number(cast->operand));
    if (const auto* unary = llvm::dyn_cast<Unary>(expr)) {
      if (unary->op == UnaryOp::bit_not)
        return RealNumber::of(~as_integer(number(unary->operand), unary->type));
      return unary->op == UnaryOp::negate ? -number(unary->operand)
                                          : truth(!is_true(number(unary->operand)));
    }
    if (const auto* binary = llvm::dyn_cast<Binary>(expr)) return combined(*binary);
    llvm::SmallVector<RealNumber, 3> arguments;
    for (const Expr& argument : llvm::cast<Call>(expr)->arguments)
      arguments.push_back(number(argument));
    return call(llvm::cast<Call>(expr)->intrinsic, arguments);
  }

  RealNumber combined(const Binary& binary) {
    const RealNumber lhs = number(binary.lhs);
    if (is_logical(binary.op) && is_true(lhs) == (binary.op == BinaryOp::logical_or)) return lhs;
    return is_logical(binary.op) ? number(binary.rhs)
                                 : combine(binary.op, binary.lhs.type(), lhs, number(binary.rhs));
  }

  const OperatorNode& op_;
  const RealValue& lhs_;
  const RealValue& rhs_;
  llvm::DenseMap<const ExprNode*, RealValue> values_;
};

Scalar nearest(const RealNumber& number, DType type) {
  return is_float(type) ? Scalar::of_float(type, static_cast<double>(number.value()))
                        : Scalar::of_int(type, static_cast<int64_t>(number.value()));
}

RealNumber number_of(const Scalar& scalar) {
  return is_float(scalar.type) ? RealNumber::of(scalar.real) : RealNumber::of(scalar.integer);
}

}  // namespace

RealValue real_value(const Expr& constant) {
  const Scalar scalar = *as_scalar(constant);
  if (!is_tuple(scalar.type)) return {number_of(scalar)};
  RealValue value;
  for (unsigned n = 0; n < component_count(scalar.type); ++n)
    value.push_back(number_of(scalar.component(n)));
  return value;
}

std::optional<RealValue> real_value(const OperatorNode& op, const RealValue& lhs,
                                    const RealValue& rhs) {
  try {
    return Evaluation(op, lhs, rhs).value(op.combined);
  } catch (const NoValue&) {
    return std::nullopt;
  }
}

Expr rounded(const RealValue& value, DType type) {
  if (!is_tuple(type)) return constant_of(nearest(value.front(), type));
  Scalar result = Scalar::zero(type);
  for (unsigned n = 0; n < value.size(); ++n)
    result.set_component(n, nearest(value[n], component_type(type, n)));
  return constant_of(result);
}

}  // namespace hone

#include <limits>

#include "dsl/operator.h"
#include "dsl/program.h"
#include "fmt/format.h"
#include "ir/text/printer.h"

namespace hone {
namespace {

void check_defined(const char* what, const Expr& expr) {
  if (!expr.defined())
    throw DefinitionError(
        fmt::format("the {} of a reduction is undefined; give the Expr a value first", what));
}

/// A step that a user gives as a function.
template <class Step>
Step checked(const char* what, Step step) {
  if (!step) throw DefinitionError(fmt::format("the {} of a reduction is an empty function", what));
  return [=](const auto&... operands) {
    const Expr result = step(operands...);
    check_defined(what, result);
    return result;
  };
}

void check_number(const Expr& value) {
  if (is_tuple(value.type()))
    throw DefinitionError(
        fmt::format("{} is a tuple, {}, and the built-in reductions are of numbers; use reduce "
                    "with an operator "
                    "of its own",
                    value, name(value.type()).str()));
}

void check_arithmetic(const Expr& value) {
  check_number(value);
  if (!has_arithmetic(value.type()))
    throw DefinitionError(
        fmt::format("{} is {}, a type without arithmetic; reduce its values as "
                    "f32, which cast makes of them",
                    value, name(value.type()).str()));
}

Reduction reduction(ReduceAxes axes, Update update, const Expr& value, const Location& location) {
  return located<DefinitionError>(location, [&]() -> Reduction {
    check_defined("value", value);
    check_arithmetic(value);
    return {{axes.begin(), axes.end()}, identity_of(update, value.type()), value, update};
  });
}

void check_bool(const Expr& value) {
  check_defined("value", value);
  if (value.type() != DType::boolean)
    throw DefinitionError(fmt::format("{} has type {}, and any and all reduce bools", value,
                                      name(value.type()).str()));
}

Reduction logical(ReduceAxes axes, Update update, const Expr& value, const Location& location) {
  located<DefinitionError>(location, [&] { check_bool(value); });
  return reduction(axes, update, value, location);
}

/// f32 has all numbers of the types that are narrower, and the bools; i64 has the indices.
Expr in_element_type(const Expr& value) {
  if (value.type() == DType::index) return cast(i64, value);
  const bool is_wide = size_of(value.type()) >= 4 && has_arithmetic(value.type());
  return is_wide ? value : cast(f32, value);
}

/// Operators of one name are the same: "argmax", "argmax_i64", "argmax_f32_i64".
std::string name_for(const char* name, DType type, DType index) {
  if (index != i32)
    return fmt::format("{}_{}_{}", name, hone::name(type).str(), hone::name(index).str());
  return type == f32 ? name : fmt::format("{}_{}", name, hone::name(type).str());
}

/// The one that no value has.
Expr no_index(DType type) {
  if (type == i32) return IntConst::make(std::numeric_limits<int32_t>::max(), i32);
  if (type == i64) return IntConst::make(std::numeric_limits<int64_t>::max(), i64);
  throw DefinitionError(
      fmt::format("an index of type {} does not go with a value; it is an i32, or an i64",
                  hone::name(type).str()));
}

/// Of pairs of a value and its index: the pair whose value beats the other's, else the first one.
/// A NaN beats all numbers. `not_better` is false where it compares with one.
Reduction first_best(const char* name, const ReduceAxis& axis, const Expr& any_value, DType index,
                     Update update, BinaryOp not_better) {
  check_defined("value", any_value);
  check_number(any_value);
  const Expr value = in_element_type(any_value);
  const bool has_nan = is_float(value.type());
  const auto does_not_beat = [=](const Expr& x, const Expr& y) {
    const Expr is_not_better = Binary::make(not_better, x, y);
    return has_nan ? is_not_better || y != y : is_not_better;
  };
  const auto beats = [=](const Expr& x, const Expr& y) {
    const Expr is_not_better = Binary::make(not_better, x, y);
    return has_nan ? !is_not_better && y == y : !is_not_better;
  };
  const auto best = [=](const Expr& lhs, const Expr& rhs) {
    const Expr is_right = beats(first(rhs), first(lhs)) ||
                          (does_not_beat(first(lhs), first(rhs)) && second(rhs) < second(lhs));
    return select(is_right, rhs, lhs);
  };
  return reduce({axis}, pair(identity_of(update, value.type()), no_index(index)),
                pair(value, cast(index, axis)), best,
                {.name = name_for(name, value.type(), index), .associative = true}, Location());
}

[[noreturn]] void refuse_two(const Reduction& lhs, const Reduction& rhs) {
  throw DefinitionError(
      fmt::format("a definition has one reduction, and this one has {} and {}; define one of them "
                  "as a tensor of its own",
                  lhs.text(), rhs.text()));
}

}  // namespace

Reduction sum(ReduceAxes axes, const Expr& value, Location location) {
  return reduction(axes, Update::add, value, location);
}
Reduction product(ReduceAxes axes, const Expr& value, Location location) {
  return reduction(axes, Update::mul, value, location);
}
Reduction max(ReduceAxes axes, const Expr& value, Location location) {
  return reduction(axes, Update::max, value, location);
}
Reduction min(ReduceAxes axes, const Expr& value, Location location) {
  return reduction(axes, Update::min, value, location);
}
Reduction sum(const ReduceAxis& axis, const Expr& value, Location location) {
  return sum({axis}, value, location);
}
Reduction product(const ReduceAxis& axis, const Expr& value, Location location) {
  return product({axis}, value, location);
}
Reduction max(const ReduceAxis& axis, const Expr& value, Location location) {
  return max({axis}, value, location);
}
Reduction min(const ReduceAxis& axis, const Expr& value, Location location) {
  return min({axis}, value, location);
}
Reduction any(ReduceAxes axes, const Expr& value, Location location) {
  return logical(axes, Update::logical_or, value, location);
}
Reduction all(ReduceAxes axes, const Expr& value, Location location) {
  return logical(axes, Update::logical_and, value, location);
}
Reduction any(const ReduceAxis& axis, const Expr& value, Location location) {
  return any({axis}, value, location);
}
Reduction all(const ReduceAxis& axis, const Expr& value, Location location) {
  return all({axis}, value, location);
}
Reduction argmax(const ReduceAxis& axis, const Expr& value, DType index, Location location) {
  return located<DefinitionError>(location, [&] {
    return first_best("argmax", axis, value, index, Update::max, BinaryOp::le);
  });
}
Reduction argmin(const ReduceAxis& axis, const Expr& value, DType index, Location location) {
  return located<DefinitionError>(location, [&] {
    return first_best("argmin", axis, value, index, Update::min, BinaryOp::ge);
  });
}

namespace {

/// As reduce, without a place in the errors.
Reduction by_operator(ReduceAxes axes, const Expr& identity, const Expr& value,
                      const std::function<Expr(Expr, Expr)>& combine,
                      const OperatorOptions& options) {
  check_defined("identity", identity);
  check_defined("value", value);
  const auto step = checked("operator", combine);
  Reduction result{{axes.begin(), axes.end()}, identity, value};
  if (!options.associative) {
    result.combine = step;
    return result;
  }
  result.update = Update::custom;
  result.op = declare_operator(options.name, identity, value, step);
  result.identity = result.op->identity;
  return result;
}

}  // namespace

Reduction reduce(ReduceAxes axes, const Expr& identity, const Expr& value,
                 std::function<Expr(Expr, Expr)> combine, OperatorOptions options,
                 Location location) {
  return located<DefinitionError>(
      location, [&] { return by_operator(axes, identity, value, combine, options); });
}

Reduction Reduction::then(std::function<Expr(Expr)> step, Location location) const {
  step = located<DefinitionError>(
      location, [&] { return std::function<Expr(Expr)>(checked("epilogue", std::move(step))); });
  Reduction result = *this;
  result.epilogue = [before = *this, step = std::move(step)](const Expr& reduced) {
    return step(before.finished(reduced));
  };
  return result;
}

Reduction operator+(const Reduction& lhs, const Expr& rhs) {
  return lhs.then([=](const Expr& reduced) { return reduced + rhs; }, Location());
}
Reduction operator+(const Expr& lhs, const Reduction& rhs) {
  return rhs.then([=](const Expr& reduced) { return lhs + reduced; }, Location());
}
Reduction operator-(const Reduction& lhs, const Expr& rhs) {
  return lhs.then([=](const Expr& reduced) { return reduced - rhs; }, Location());
}
Reduction operator-(const Expr& lhs, const Reduction& rhs) {
  return rhs.then([=](const Expr& reduced) { return lhs - reduced; }, Location());
}
Reduction operator*(const Reduction& lhs, const Expr& rhs) {
  return lhs.then([=](const Expr& reduced) { return reduced * rhs; }, Location());
}
Reduction operator*(const Expr& lhs, const Reduction& rhs) {
  return rhs.then([=](const Expr& reduced) { return lhs * reduced; }, Location());
}
Reduction operator/(const Reduction& lhs, const Expr& rhs) {
  return lhs.then([=](const Expr& reduced) { return reduced / rhs; }, Location());
}
Reduction operator/(const Expr& lhs, const Reduction& rhs) {
  return rhs.then([=](const Expr& reduced) { return lhs / reduced; }, Location());
}
Reduction cast(DType type, const Reduction& operand) {
  return operand.then([=](const Expr& reduced) { return cast(type, reduced); }, Location());
}
Reduction operator-(const Reduction& operand) {
  return operand.then([](const Expr& reduced) { return -reduced; }, Location());
}
Reduction max(const Reduction& lhs, const Expr& rhs) {
  return lhs.then([=](const Expr& reduced) { return max(reduced, rhs); }, Location());
}
Reduction max(const Expr& lhs, const Reduction& rhs) {
  return rhs.then([=](const Expr& reduced) { return max(lhs, reduced); }, Location());
}
Reduction min(const Reduction& lhs, const Expr& rhs) {
  return lhs.then([=](const Expr& reduced) { return min(reduced, rhs); }, Location());
}
Reduction min(const Expr& lhs, const Reduction& rhs) {
  return rhs.then([=](const Expr& reduced) { return min(lhs, reduced); }, Location());
}

Reduction operator+(const Reduction& lhs, const Reduction& rhs) { refuse_two(lhs, rhs); }
Reduction operator-(const Reduction& lhs, const Reduction& rhs) { refuse_two(lhs, rhs); }
Reduction operator*(const Reduction& lhs, const Reduction& rhs) { refuse_two(lhs, rhs); }
Reduction operator/(const Reduction& lhs, const Reduction& rhs) { refuse_two(lhs, rhs); }
Reduction max(const Reduction& lhs, const Reduction& rhs) { refuse_two(lhs, rhs); }
Reduction min(const Reduction& lhs, const Reduction& rhs) { refuse_two(lhs, rhs); }

}  // namespace hone

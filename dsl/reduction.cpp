#include <limits>

#include "dsl/program.h"
#include "fmt/format.h"
#include "ir/printer.h"

namespace hone {
namespace {

Expr constant(DType type, double value) {
  return is_float(type) ? FloatConst::make(value, type)
                        : IntConst::make(static_cast<int64_t>(value), type);
}

int64_t lowest_integer(DType type) {
  switch (type) {
    case DType::i64:
      return std::numeric_limits<int64_t>::min();
    case DType::i32:
      return std::numeric_limits<int32_t>::min();
    case DType::i8:
      return std::numeric_limits<int8_t>::min();
    default:
      return 0;
  }
}

int64_t highest_integer(DType type) {
  switch (type) {
    case DType::i64:
      return std::numeric_limits<int64_t>::max();
    case DType::i32:
      return std::numeric_limits<int32_t>::max();
    case DType::i8:
      return std::numeric_limits<int8_t>::max();
    default:
      return std::numeric_limits<uint8_t>::max();
  }
}

/// What changes nothing under max (`lowest`) or min.
Expr extreme(DType type, bool lowest) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (is_float(type)) return FloatConst::make(lowest ? -infinity : infinity, type);
  return IntConst::make(lowest ? lowest_integer(type) : highest_integer(type), type);
}

Reduction reduction(ReduceAxes axes, Update update, Expr identity, const Expr& value) {
  return {{axes.begin(), axes.end()}, std::move(identity), value, update};
}

Reduction logical(const ReduceAxis& axis, Update update, bool identity, const Expr& value) {
  if (value.type() != DType::boolean)
    throw DefinitionError(fmt::format("{} has type {}, and any and all reduce bools", value,
                                      name(value.type()).str()));
  return reduction({axis}, update, identity, value);
}

[[noreturn]] void refuse_two(const Reduction& lhs, const Reduction& rhs) {
  throw DefinitionError(
      fmt::format("a definition has one reduction, and this one has {} and {}; define one of them "
                  "as a tensor of its own",
                  lhs.text(), rhs.text()));
}

}  // namespace

Reduction sum(ReduceAxes axes, const Expr& value) {
  return reduction(axes, Update::add, constant(value.type(), 0), value);
}
Reduction product(ReduceAxes axes, const Expr& value) {
  return reduction(axes, Update::mul, constant(value.type(), 1), value);
}
Reduction max(ReduceAxes axes, const Expr& value) {
  return reduction(axes, Update::max, extreme(value.type(), true), value);
}
Reduction min(ReduceAxes axes, const Expr& value) {
  return reduction(axes, Update::min, extreme(value.type(), false), value);
}
Reduction sum(const ReduceAxis& axis, const Expr& value) { return sum({axis}, value); }
Reduction product(const ReduceAxis& axis, const Expr& value) { return product({axis}, value); }
Reduction max(const ReduceAxis& axis, const Expr& value) { return max({axis}, value); }
Reduction min(const ReduceAxis& axis, const Expr& value) { return min({axis}, value); }
Reduction any(const ReduceAxis& axis, const Expr& value) {
  return logical(axis, Update::logical_or, false, value);
}
Reduction all(const ReduceAxis& axis, const Expr& value) {
  return logical(axis, Update::logical_and, true, value);
}
Reduction reduce(ReduceAxes axes, const Expr& identity, const Expr& value,
                 std::function<Expr(Expr, Expr)> combine) {
  return {{axes.begin(), axes.end()}, identity, value, Update::set, std::move(combine)};
}

Reduction Reduction::then(std::function<Expr(Expr)> step) const {
  Reduction result = *this;
  result.epilogue = [before = *this, step = std::move(step)](const Expr& reduced) {
    return step(before.finished(reduced));
  };
  return result;
}

Reduction operator+(const Reduction& lhs, const Expr& rhs) {
  return lhs.then([=](const Expr& reduced) { return reduced + rhs; });
}
Reduction operator+(const Expr& lhs, const Reduction& rhs) {
  return rhs.then([=](const Expr& reduced) { return lhs + reduced; });
}
Reduction operator-(const Reduction& lhs, const Expr& rhs) {
  return lhs.then([=](const Expr& reduced) { return reduced - rhs; });
}
Reduction operator-(const Expr& lhs, const Reduction& rhs) {
  return rhs.then([=](const Expr& reduced) { return lhs - reduced; });
}
Reduction operator*(const Reduction& lhs, const Expr& rhs) {
  return lhs.then([=](const Expr& reduced) { return reduced * rhs; });
}
Reduction operator*(const Expr& lhs, const Reduction& rhs) {
  return rhs.then([=](const Expr& reduced) { return lhs * reduced; });
}
Reduction operator/(const Reduction& lhs, const Expr& rhs) {
  return lhs.then([=](const Expr& reduced) { return reduced / rhs; });
}
Reduction operator/(const Expr& lhs, const Reduction& rhs) {
  return rhs.then([=](const Expr& reduced) { return lhs / reduced; });
}
Reduction operator-(const Reduction& operand) {
  return operand.then([](const Expr& reduced) { return -reduced; });
}
Reduction max(const Reduction& lhs, const Expr& rhs) {
  return lhs.then([=](const Expr& reduced) { return max(reduced, rhs); });
}
Reduction max(const Expr& lhs, const Reduction& rhs) {
  return rhs.then([=](const Expr& reduced) { return max(lhs, reduced); });
}
Reduction min(const Reduction& lhs, const Expr& rhs) {
  return lhs.then([=](const Expr& reduced) { return min(reduced, rhs); });
}
Reduction min(const Expr& lhs, const Reduction& rhs) {
  return rhs.then([=](const Expr& reduced) { return min(lhs, reduced); });
}

Reduction operator+(const Reduction& lhs, const Reduction& rhs) { refuse_two(lhs, rhs); }
Reduction operator-(const Reduction& lhs, const Reduction& rhs) { refuse_two(lhs, rhs); }
Reduction operator*(const Reduction& lhs, const Reduction& rhs) { refuse_two(lhs, rhs); }
Reduction operator/(const Reduction& lhs, const Reduction& rhs) { refuse_two(lhs, rhs); }
Reduction max(const Reduction& lhs, const Reduction& rhs) { refuse_two(lhs, rhs); }
Reduction min(const Reduction& lhs, const Reduction& rhs) { refuse_two(lhs, rhs); }

}  // namespace hone

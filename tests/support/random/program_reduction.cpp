#include "tests/support/random/program_reduction.h"

#include "fmt/format.h"

namespace hone {
namespace {

/// Operators of one name are the same.
std::string declared_name(DType type) { return "absmax_" + name(type).str(); }

/// As far as values wrap, or are exact.
RandomOperation operation_of(Operator op, const Term& value, DType type, double iterations) {
  const bool wraps = is_integer(type);
  const bool adds = op == Operator::sum || op == Operator::own || op == Operator::counted;
  if (adds && !wraps && value.bound * iterations * 8 > exact_limit(type)) op = Operator::min;
  const std::string type_text = name(type).str();
  if (op == Operator::any || op == Operator::all)
    return {op, {value.expr > 0, value.text + " > 0", 1}, DType::boolean, 1};
  if (op == Operator::product && !wraps)
    return {op,
            {select(value.expr > 0, cast(type, 1), cast(type, -1)),
             fmt::format("select({0} > 0, cast({1}, 1), cast({1}, -1))", value.text, type_text), 1},
            type,
            1};
  if (op == Operator::argmax) return {op, value, f32_i32, value.bound};
  if (op == Operator::counted) return {op, value, f32_f32, value.bound * iterations};
  const bool is_sum = op == Operator::sum || op == Operator::own;
  return {op, value, type, is_sum ? value.bound * iterations : value.bound};
}

Reduction counted_sum(ReduceAxes axes, const Expr& value) {
  return reduce(
      axes, pair(0.0, 0.0), pair(value, 1.0),
      [](Expr acc, Expr v) { return pair(first(acc) + first(v), second(acc) + second(v)); },
      {.name = "counted", .associative = true});
}

constexpr const char* counted_sum_text =
    "reduce({}, pair(0.0, 0.0), pair({}, 1.0), [](Expr acc, Expr v) {{ "
    "return pair(first(acc) + first(v), second(acc) + second(v)); }}, "
    "{{.name = \"counted\", .associative = true}})";

}  // namespace

RandomOperation choose_operation(Random& random, const Term& value, DType type, double iterations,
                                 bool one_axis) {
  auto op = static_cast<Operator>(random.weighted({50, 14, 8, 8, 5, 5, 5, 5, 5, 5}));
  const bool takes_f32 = op == Operator::argmax || op == Operator::counted;
  if ((op == Operator::argmax && !one_axis) || (takes_f32 && type != f32)) op = Operator::max;
  return operation_of(op, value, type, iterations);
}

RandomOperation sum_or_less(const Term& value, DType type, double iterations) {
  return operation_of(Operator::sum, value, type, iterations);
}

Reduction make_reduction(const RandomOperation& operation, const std::vector<ReduceAxis>& axes) {
  const Expr zero = is_pair(operation.type) ? pair(0.0, 0.0) : cast(operation.type, 0);
  const auto build = [&](auto call) {
    if (axes.size() == 3) return call({axes[0], axes[1], axes[2]});
    return axes.size() == 1 ? call({axes[0]}) : call({axes[0], axes[1]});
  };
  switch (operation.op) {
    case Operator::sum:
      return build([&](ReduceAxes over) { return sum(over, operation.value.expr); });
    case Operator::max:
      return build([&](ReduceAxes over) { return max(over, operation.value.expr); });
    case Operator::min:
      return build([&](ReduceAxes over) { return min(over, operation.value.expr); });
    case Operator::product:
      return build([&](ReduceAxes over) { return product(over, operation.value.expr); });
    case Operator::any:
      return build([&](ReduceAxes over) { return any(over, operation.value.expr); });
    case Operator::all:
      return build([&](ReduceAxes over) { return all(over, operation.value.expr); });
    case Operator::argmax:
      return argmax(axes[0], operation.value.expr);
    case Operator::counted:
      return build([&](ReduceAxes over) { return counted_sum(over, operation.value.expr); });
    case Operator::own:
      return build([&](ReduceAxes over) {
        return reduce(over, zero, operation.value.expr, [](Expr acc, Expr v) { return v - acc; });
      });
    case Operator::declared:
      return build([&](ReduceAxes over) {
        return reduce(over, zero, operation.value.expr,
                      [](Expr acc, Expr v) { return max(abs(acc), abs(v)); },
                      {.name = declared_name(operation.type), .associative = true});
      });
  }
  llvm_unreachable("unknown operator");
}

std::string reduction_text(const RandomOperation& operation, const std::vector<ReduceAxis>& axes) {
  constexpr const char* functions[] = {"sum", "max", "min", "product", "any", "all", "argmax"};
  std::vector<std::string> names;
  for (const ReduceAxis& axis : axes) names.push_back(axis.name());
  const bool is_declared = operation.op == Operator::declared;
  const bool is_counted = operation.op == Operator::counted;
  const bool is_own = operation.op == Operator::own || is_declared || is_counted;
  const std::string over =
      names.size() == 1 && !is_own ? names[0] : fmt::format("{{{}}}", join(names));
  if (!is_own)
    return fmt::format("{}({}, {})", functions[static_cast<int>(operation.op)], over,
                       operation.value.text);
  if (is_counted) return fmt::format(fmt::runtime(counted_sum_text), over, operation.value.text);
  return fmt::format("reduce({}, cast({}, 0), {}, [](Expr acc, Expr v) {{ return {}; }}{})", over,
                     name(operation.type).str(), operation.value.text,
                     is_declared ? "max(abs(acc), abs(v))" : "v - acc",
                     is_declared ? fmt::format(", {{.name = \"{}\", .associative = true}}",
                                               declared_name(operation.type))
                                 : "");
}

}  // namespace hone

#include "tests/support/random/program_reduction.h"

#include "fmt/format.h"

namespace hone {
namespace {

DType summary_type(DType type, unsigned components) {
  const DType types[] = {type, i32, type, boolean};
  return tuple_of(types, components);
}

/// Operators of one name are the same.
std::string declared_name(DType type) { return "absmax_" + name(type).str(); }

/// As far as values wrap, or are exact.
RandomOperation operation_of(Operator op, const Term& value, DType type, double iterations,
                             unsigned components = 0, DType index = i32) {
  const bool wraps = is_integer(type);
  const bool adds = op == Operator::sum || op == Operator::own || op == Operator::summary;
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
  if (op == Operator::argmax)
    return {op, value, tuple_of({size_of(type) < 4 ? f32 : type, index}), value.bound};
  if (op == Operator::summary)
    return {op, value, summary_type(type, components), value.bound * iterations};
  const bool is_sum = op == Operator::sum || op == Operator::own;
  return {op, value, type, is_sum ? value.bound * iterations : value.bound};
}

/// The components of what a summary starts with, of a value, and of two of them.
std::vector<Expr> summary_start(DType type) {
  return {cast(type, 0), cast(i32, 0), cast(type, 0), false};
}
std::vector<Expr> summary_of_one(const Expr& value) {
  return {value, cast(i32, 1), value, value > 0};
}
Expr summary_of_two(const Expr& acc, const Expr& v) {
  const Expr sums[] = {first(acc) + first(v), second(acc) + second(v)};
  const unsigned components = component_count(acc.type());
  if (components == 2) return pair(sums[0], sums[1]);
  const Expr largest = max(abs(third(acc)), abs(third(v)));
  return components == 3 ? tuple(sums[0], sums[1], largest)
                         : tuple(sums[0], sums[1], largest, fourth(acc) || fourth(v));
}

Expr tuple_of_first(std::vector<Expr> components, unsigned count) {
  components.resize(count);
  return MakeTuple::make(components);
}

std::string summary_name(DType summary) {
  return fmt::format("summary_{}_{}", name(component_type(summary, 0)).str(),
                     component_count(summary));
}

Reduction summary(ReduceAxes axes, const RandomOperation& operation) {
  const DType type = component_type(operation.type, 0);
  const unsigned count = component_count(operation.type);
  return reduce(axes, tuple_of_first(summary_start(type), count),
                tuple_of_first(summary_of_one(operation.value.expr), count), summary_of_two,
                {.name = summary_name(operation.type), .associative = true});
}

std::string tuple_text(std::vector<std::string> components, unsigned count) {
  components.resize(count);
  return fmt::format("{}({})", count == 2 ? "pair" : "tuple", join(components));
}

std::string summary_text(const std::string& over, const RandomOperation& operation) {
  const std::string type = name(component_type(operation.type, 0)).str();
  const std::string& value = operation.value.text;
  const unsigned count = component_count(operation.type);
  const std::string zero = fmt::format("cast({}, 0)", type);
  return fmt::format(
      "reduce({}, {}, {}, [](Expr acc, Expr v) {{ return {}; }}, "
      "{{.name = \"{}\", .associative = true}})",
      over, tuple_text({zero, "cast(i32, 0)", zero, "false"}, count),
      tuple_text({value, "cast(i32, 1)", value, value + " > 0"}, count),
      tuple_text({"first(acc) + first(v)", "second(acc) + second(v)",
                  "max(abs(third(acc)), abs(third(v)))", "fourth(acc) || fourth(v)"},
                 count),
      summary_name(operation.type));
}

}  // namespace

RandomOperation choose_operation(Random& random, const Term& value, DType type, double iterations,
                                 bool one_axis) {
  auto op = static_cast<Operator>(random.weighted({50, 14, 8, 8, 5, 5, 5, 5, 5, 5}));
  if (op == Operator::argmax && !one_axis) op = Operator::max;
  const unsigned components =
      op == Operator::summary ? static_cast<unsigned>(random.between(2, most_components)) : 0;
  const DType index = op == Operator::argmax && random.chance(30) ? i64 : i32;
  return operation_of(op, value, type, iterations, components, index);
}

RandomOperation sum_or_less(const Term& value, DType type, double iterations) {
  return operation_of(Operator::sum, value, type, iterations);
}

Reduction make_reduction(const RandomOperation& operation, const std::vector<ReduceAxis>& axes) {
  const Expr zero = is_tuple(operation.type) ? Expr() : cast(operation.type, 0);
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
      return argmax(axes[0], operation.value.expr, component_type(operation.type, 1));
    case Operator::summary:
      return build([&](ReduceAxes over) { return summary(over, operation); });
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
  const bool is_summary = operation.op == Operator::summary;
  const bool is_own = operation.op == Operator::own || is_declared || is_summary;
  const std::string over =
      names.size() == 1 && !is_own ? names[0] : fmt::format("{{{}}}", join(names));
  const bool has_long_index =
      operation.op == Operator::argmax && component_type(operation.type, 1) == i64;
  if (!is_own)
    return fmt::format("{}({}, {}{})", functions[static_cast<int>(operation.op)], over,
                       operation.value.text, has_long_index ? ", i64" : "");
  if (is_summary) return summary_text(over, operation);
  return fmt::format("reduce({}, cast({}, 0), {}, [](Expr acc, Expr v) {{ return {}; }}{})", over,
                     name(operation.type).str(), operation.value.text,
                     is_declared ? "max(abs(acc), abs(v))" : "v - acc",
                     is_declared ? fmt::format(", {{.name = \"{}\", .associative = true}}",
                                               declared_name(operation.type))
                                 : "");
}

}  // namespace hone

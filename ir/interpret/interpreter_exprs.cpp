// Expressions as closures.
#include "fmt/format.h"
#include "ir/interpret/interpreter_closures.h"
#include "ir/text/printer.h"
#include "ir/traverse/visit.h"

namespace hone::detail {
namespace {

Evaluate constant(const Scalar& value) {
  return [value] { return value; };
}

bool can_fail(BinaryOp op, DType operands) {
  if (is_float(operands) || is_comparison(op)) return false;
  return operands == DType::index || op == BinaryOp::div || op == BinaryOp::mod;
}

/// `lhs && rhs` or `lhs || rhs`: the right operand only where the left one does not decide.
Evaluate short_circuit(Evaluate lhs, Evaluate rhs, bool deciding) {
  return [lhs = std::move(lhs), rhs = std::move(rhs), deciding] {
    const Scalar left = lhs();
    return (left.integer != 0) == deciding ? left : rhs();
  };
}

}  // namespace

void fail(llvm::StringRef where, llvm::StringRef what, const AxisCell* around) {
  std::string axes;
  for (; around; around = around->outer)
    axes = fmt::format("{} = {}{}{}", around->axis->name, around->value, axes.empty() ? "" : ", ",
                       axes);
  const std::string values = axes.empty() ? "" : fmt::format(" ({})", axes);
  throw InterpretError(fmt::format("{}: {}{}", where.str(), what.str(), values));
}

int64_t size_of_param(const ParamNode& param, const Sizes& sizes) {
  const auto size = sizes.find(param.name);
  if (size == sizes.end())
    throw std::invalid_argument(fmt::format("no size is given for {}", param.name));
  if (size->second < 0)
    throw std::invalid_argument(
        fmt::format("the size given for {} is {}, which is negative", param.name, size->second));
  return size->second;
}

int64_t Access::position() const {
  int64_t position = 0;
  for (size_t dim = 0; dim < indices.size(); ++dim) {
    const int64_t index = indices[dim]().integer;
    const int64_t extent = storage->shape()[dim];
    if (index < 0 || index >= extent)
      fail(to_string(expr), fmt::format("index {} is {}, outside 0..{}", dim, index, extent),
           around);
    position += index * storage->strides()[dim];
  }
  return position;
}

Scalar Access::read(int64_t position) const {
  if (!storage->holds_value(position))
    fail(to_string(expr),
         fmt::format("reads {}, which nothing has written", storage->describe(position)), around);
  return storage->read(position);
}

Access Closures::access(const TensorPtr& tensor, llvm::ArrayRef<Expr> indices) {
  Access result{Load::make(tensor, indices), storage_of(*tensor), {}, innermost_};
  for (const Expr& index : indices) result.indices.push_back(compile(index));
  return result;
}

Evaluate Closures::compile(const Expr& expr) {
  return visit(
      expr, [](const IntConst& node) { return constant(Scalar::of_int(node.type, node.value)); },
      [](const FloatConst& node) { return constant(Scalar::of_float(node.type, node.value)); },
      [&](const AxisRef& node) { return compile_axis(node.axis.get()); },
      [&](const ParamRef& node) {
        return constant(Scalar::of_int(node.type, size_of_param(*node.param, sizes_)));
      },
      [&](const ThreadIndex&) -> Evaluate {
        fail(to_string(expr), "has no value in loop IR, which is what the interpreter runs",
             innermost_);
      },
      [&](const Load& node) -> Evaluate {
        return
            [access = access(node.tensor, node.indices)] { return access.read(access.position()); };
      },
      [&](const Unary& node) { return compile_unary(expr, node); },
      [&](const Binary& node) { return compile_binary(expr, node); },
      [&](const Select& node) { return compile_select(node); },
      [&](const Cast& node) -> Evaluate {
        return [operand = compile(node.operand), type = node.type] {
          return convert(type, operand());
        };
      },
      [&](const Call& node) { return compile_call(node); },
      [&](const MakeTuple& node) { return compile_tuple(node); },
      [&](const Component& node) -> Evaluate {
        return [tuple = compile(node.tuple), position = node.position] {
          return tuple().component(position);
        };
      },
      [&](const Shuffle&) -> Evaluate {
        fail(to_string(expr), "has no value in loop IR, which is what the interpreter runs",
             innermost_);
      },
      [&](const Named& node) { return compile(node.value); });
}

Evaluate Closures::compile_axis(const AxisNode* axis) const {
  for (const AxisCell* cell = innermost_; cell; cell = cell->outer)
    if (cell->axis == axis) return [cell] { return Scalar::of_int(DType::index, cell->value); };
  throw std::invalid_argument(fmt::format("axis {} has no value here", axis->name));
}

Evaluate Closures::compile_unary(const Expr& expr, const Unary& unary) {
  return [expr, operand = compile(unary.operand), op = unary.op, around = innermost_] {
    const Scalar value = operand();
    try {
      return apply(op, value);
    } catch (const ArithmeticError& error) {
      fail(to_string(expr), error.what(), around);
    }
  };
}

Evaluate Closures::compile_binary(const Expr& expr, const Binary& binary) {
  const BinaryOp op = binary.op;
  Evaluate lhs = compile(binary.lhs), rhs = compile(binary.rhs);
  if (is_logical(op))
    return short_circuit(std::move(lhs), std::move(rhs), op == BinaryOp::logical_or);
  if (!can_fail(op, binary.lhs.type()))
    return [op, lhs = std::move(lhs), rhs = std::move(rhs)] {
      const Scalar left = lhs();
      return apply(op, left, rhs());
    };
  return [expr, op, lhs = std::move(lhs), rhs = std::move(rhs), around = innermost_] {
    const Scalar left = lhs(), right = rhs();
    try {
      return apply(op, left, right);
    } catch (const ArithmeticError& error) {
      fail(to_string(expr), error.what(), around);
    }
  };
}

Evaluate Closures::compile_select(const Select& select) {
  return [condition = compile(select.condition), if_true = compile(select.if_true),
          if_false = compile(select.if_false)] {
    return condition().integer != 0 ? if_true() : if_false();
  };
}

Evaluate Closures::compile_tuple(const MakeTuple& tuple) {
  llvm::SmallVector<Evaluate, 4> components;
  for (const Expr& component : tuple.components) components.push_back(compile(component));
  return [type = tuple.type, components = std::move(components)] {
    Scalar result = Scalar::zero(type);
    for (unsigned n = 0; n < components.size(); ++n) result.set_component(n, components[n]());
    return result;
  };
}

Evaluate Closures::compile_call(const Call& call) {
  llvm::SmallVector<Evaluate, 3> arguments;
  for (const Expr& argument : call.arguments) arguments.push_back(compile(argument));
  return [intrinsic = call.intrinsic, arguments = std::move(arguments)] {
    llvm::SmallVector<Scalar, 3> values;
    for (const Evaluate& argument : arguments) values.push_back(argument());
    return apply(intrinsic, values);
  };
}

}  // namespace hone::detail

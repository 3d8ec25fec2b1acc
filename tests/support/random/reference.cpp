#include "tests/support/random/reference.h"

#include "fmt/format.h"
#include "ir/text/printer.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/DenseMap.h"
#include "tests/support/random/reference_value.h"

namespace hone {
namespace {

using namespace reference;  // NOLINT

using Indices = llvm::SmallVector<int64_t, 4>;

/// A tensor in memory: `distances` are in elements, between neighbours along each dimension.
struct Storage {
  Buffer* buffer;
  Indices extents, distances;
};

class Computation {
 public:
  Computation(const Sizes& sizes, Buffers& buffers) : sizes_(sizes), buffers_(buffers) {}

  void define(const Definition& definition) {
    for_each_axis(definition.axes, [&] {
      if (definition.is_reduction()) return reduce(definition);
      const Indices element = evaluated(definition.indices);
      const Value value = value_of(definition.value);
      write(*definition.tensor, element,
            definition.update == Update::set
                ? value
                : combined(definition.update, read(*definition.tensor, element), value));
    });
  }

 private:
  // ---- Loops ----

  template <class Axes, class Body>
  void for_each_axis(const Axes& axes, Body&& body) {
    nest(
        axes.size(), [&](size_t n) { return index_of(axes[n].extent()); },
        [&](size_t n, int64_t value) { axes_[axes[n].node().get()] = value; }, body);
  }

  /// All of `count` numbers, each in 0..extent(n).
  template <class Extent, class Set, class Body>
  static void nest(size_t count, Extent&& extent, Set&& set, Body&& body, size_t n = 0) {
    if (n == count) return body();
    const int64_t end = extent(n);
    for (int64_t value = 0; value < end; ++value) {
      set(n, value);
      nest(count, extent, set, body, n + 1);
    }
  }

  /// The elements that one iteration of the axes may update: those along all other dimensions.
  template <class Body>
  void for_each_element(const Definition& definition, Body&& body) {
    Indices element(definition.indices.size());
    llvm::SmallVector<size_t, 4> free;
    for (size_t dim = 0; dim < element.size(); ++dim)
      if (is_axis(definition, dim))
        element[dim] = index_of(definition.indices[dim]);
      else
        free.push_back(dim);
    const Indices extents = storage(*definition.tensor).extents;
    nest(
        free.size(), [&](size_t n) { return extents[free[n]]; },
        [&](size_t n, int64_t value) { element[free[n]] = value; }, [&] { body(element); });
  }

  static bool is_axis(const Definition& definition, size_t dim) {
    const auto* reference = llvm::dyn_cast<AxisRef>(definition.indices[dim]);
    return reference && llvm::any_of(definition.axes, [&](const Axis& axis) {
             return axis.node() == reference->axis;
           });
  }

  // ---- Definitions ----

  void reduce(const Definition& definition) {
    const Reduction& reduction = definition.reduction;
    const TensorNode& tensor = *definition.tensor;
    const Value identity = value_of(reduction.identity);
    if (definition.update == Update::set)
      for_each_element(definition,
                       [&](const Indices& element) { write(tensor, element, identity); });
    const Expr value =
        reduction.combine
            ? reduction.combine(Load::make(definition.tensor, definition.indices), reduction.value)
            : reduction.value;
    for_each_axis(reduction.axes, [&] {
      const Indices element = evaluated(definition.indices);
      const Value operand = value_of(value);
      write(tensor, element, combined(reduction, read(tensor, element), operand));
    });
    if (!reduction.epilogue) return;
    for_each_element(definition, [&](const Indices& element) {
      const llvm::SmallVector<Expr, 4> place(element.begin(), element.end());
      write(tensor, element, value_of(reduction.finished(Load::make(definition.tensor, place))));
    });
  }

  Value combined(const Reduction& reduction, const Value& element, const Value& value) {
    if (reduction.update != Update::custom) return combined(reduction.update, element, value);
    operands_[reduction.op->lhs.get()] = element;
    operands_[reduction.op->rhs.get()] = value;
    return value_of(reduction.op->combined);
  }

  static Value combined(Update update, const Value& element, const Value& value) {
    switch (update) {
      case Update::set:
        return value;
      case Update::add:
        return binary(BinaryOp::add, element, value);
      case Update::mul:
        return binary(BinaryOp::mul, element, value);
      case Update::min:
        return binary(BinaryOp::min, element, value);
      case Update::max:
        return binary(BinaryOp::max, element, value);
      case Update::logical_and:
        return binary(BinaryOp::logical_and, element, value);
      case Update::logical_or:
        return binary(BinaryOp::logical_or, element, value);
      case Update::custom:
        break;
    }
    llvm_unreachable("an operator of its own");
  }

  // ---- Memory ----

  const Storage& storage(const TensorNode& tensor) {
    const auto [entry, is_new] = storages_.try_emplace(&tensor);
    if (is_new) entry->second = lay_out(tensor);
    return entry->second;
  }

  Storage lay_out(const TensorNode& tensor) {
    Storage result{&buffers_.find(tensor.name)->second, {}, {}};
    for (const Expr& extent : tensor.shape) result.extents.push_back(index_of(extent));
    result.distances.resize(tensor.rank());
    int64_t distance = 1;
    for (size_t n = tensor.rank(); n-- > 0;) {
      const size_t dim = tensor.layout.digits.empty() ? n : tensor.layout.digits[n].dim;
      const bool is_row = n + 1 == tensor.rank() && tensor.layout.row_pitch.defined();
      result.distances[dim] = distance;
      distance *= is_row ? index_of(tensor.layout.row_pitch) : result.extents[dim];
    }
    return result;
  }

  std::byte* address(const TensorNode& tensor, const Indices& indices) {
    const Storage& memory = storage(tensor);
    int64_t position = 0;
    for (size_t dim = 0; dim < indices.size(); ++dim) {
      if (indices[dim] < 0 || indices[dim] >= memory.extents[dim])
        throw ReferenceError(fmt::format("index {} of {} is {}, outside 0..{}", dim, tensor.name,
                                         indices[dim], memory.extents[dim]));
      position += indices[dim] * memory.distances[dim];
    }
    return memory.buffer->bytes.data() + position * size_of(tensor.type);
  }

  Value read(const TensorNode& tensor, const Indices& indices) {
    return load(tensor.type, address(tensor, indices));
  }

  void write(const TensorNode& tensor, const Indices& indices, const Value& value) {
    store(address(tensor, indices), value);
  }

  // ---- Expressions ----

  int64_t index_of(const Expr& expr) { return static_cast<int64_t>(value_of(expr).integer); }

  Indices evaluated(llvm::ArrayRef<Expr> exprs) {
    Indices result;
    for (const Expr& expr : exprs) result.push_back(index_of(expr));
    return result;
  }

  Value value_of(const Expr& expr) {
    return visit(
        expr, [&](const IntConst& n) { return integer_value(n.type, n.value); },
        [&](const FloatConst& n) { return real_value(n.type, n.value); },
        [&](const AxisRef& n) { return integer_value(DType::index, axes_.lookup(n.axis.get())); },
        [&](const ParamRef& n) {
          return integer_value(DType::index, sizes_.find(n.param->name)->second);
        },
        [&](const Load& n) { return value_of_load(n); },
        [&](const Unary& n) {
          const Value operand = value_of(n.operand);
          if (n.op == UnaryOp::bit_not) return integer_value(n.type, ~operand.integer);
          return n.op == UnaryOp::negate ? negated(operand)
                                         : integer_value(boolean, operand.integer == 0);
        },
        [&](const Binary& n) { return value_of_binary(n); },
        [&](const Select& n) {
          return value_of(value_of(n.condition).integer != 0 ? n.if_true : n.if_false);
        },
        [&](const Cast& n) { return converted(n.type, value_of(n.operand)); },
        [&](const Call& n) {
          llvm::SmallVector<Value, 3> arguments;
          for (const Expr& argument : n.arguments) arguments.push_back(value_of(argument));
          return call(n.intrinsic, arguments);
        },
        [&](const MakeTuple& n) {
          std::vector<Value> components;
          for (const Expr& component : n.components) components.push_back(value_of(component));
          return reference::tuple(n.type, std::move(components));
        },
        [&](const Component& n) { return value_of(n.tuple).components[n.position]; },
        [](const ThreadIndex&) -> Value { llvm_unreachable("programs have no threads"); },
        [](const Shuffle&) -> Value { llvm_unreachable("programs have no threads"); },
        [&](const Named& n) { return value_of(n.value); });
  }

  Value value_of_load(const Load& load) {
    const auto operand = operands_.find(load.tensor.get());
    if (operand != operands_.end()) return operand->second;
    return read(*load.tensor, evaluated(load.indices));
  }

  Value value_of_binary(const Binary& node) {
    const Value lhs = value_of(node.lhs);
    if (node.op == BinaryOp::logical_and && lhs.integer == 0) return lhs;
    if (node.op == BinaryOp::logical_or && lhs.integer != 0) return lhs;
    return binary(node.op, lhs, value_of(node.rhs));
  }

  const Sizes& sizes_;
  Buffers& buffers_;
  llvm::DenseMap<const AxisNode*, int64_t> axes_;
  llvm::DenseMap<const TensorNode*, Storage> storages_;
  llvm::DenseMap<const TensorNode*, Value> operands_;  ///< of a user's own operator
};

}  // namespace

void compute(llvm::ArrayRef<Definition> definitions, const Sizes& sizes, Buffers& buffers) {
  Computation computation(sizes, buffers);
  for (const Definition& definition : definitions) computation.define(definition);
}

}  // namespace hone

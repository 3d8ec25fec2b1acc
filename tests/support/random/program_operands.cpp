#include "fmt/format.h"
#include "fmt/ranges.h"
#include "tests/support/random/program_generator.h"

namespace hone {
namespace {

constexpr const char* input_names[] = {"A", "B", "D", "E", "F", "G", "H", "J",
                                       "L", "O", "V", "W", "X", "Y", "Z"};

/// Elements of an input with a long row.
constexpr double largest_size = 1 << 20;

template <class Element>
void shuffle(Random& random, std::vector<Element>& elements) {
  for (size_t n = elements.size(); n-- > 1;)
    std::swap(elements[n], elements[n - random.below(static_cast<uint32_t>(n + 1))]);
}

/// The DSL's constant for a type.
std::string constant_name(DType type) {
  if (type == boolean) return "boolean";
  if (!is_tuple(type)) return name(type).str();
  std::vector<std::string> components;
  for (unsigned n = 0; n < component_count(type); ++n)
    components.push_back(constant_name(component_type(type, n)));
  return fmt::format("tuple_of({{{}}})", join(components));
}

}  // namespace

Dimension Generator::random_dimension(const BoundedAxis& axis,
                                      const std::vector<BoundedAxis>& axes) {
  // A tile holds all that may be chosen: it has to be small.
  if (axis.extent.bound < 100 && random_.chance(Extra::gathers, 10)) return gathered(axis, axes);
  if (random_.chance(Extra::products, 10)) return computed(axis, random_.pick(axes));
  return {static_cast<Form>(random_.weighted({76, 8, 4, 5, 2, 3, 2})), axis,
          axes[random_.below(static_cast<uint32_t>(axes.size()))]};
}

namespace {

Term longer(const Term& extent, int64_t more) {
  return {extent.expr + more, fmt::format("{} + {}", extent.text, more),
          extent.bound + static_cast<double>(more)};
}

}  // namespace

Term Generator::extent_of(const Dimension& dimension) {
  const Term& extent = dimension.axis.extent;
  switch (dimension.form) {
    case Form::shifted:
      return longer(extent, halo());
    case Form::summed:
      if (random_.has(Extra::engines) && dimension.other.extent.bound <= halo())
        return longer(extent, halo());
      return {extent.expr + dimension.other.extent.expr,
              fmt::format("{} + {}", extent.text, dimension.other.extent.text),
              extent.bound + dimension.other.extent.bound};
    case Form::scaled:
      return {extent.expr * 2, extent.text + " * 2", extent.bound * 2};
    case Form::wrapped:
      return {3, "3", 3};
    case Form::computed:
      return dimension.extent;
    default:
      return extent;
  }
}

Term Generator::index_of(const Dimension& dimension) {
  const Axis& axis = dimension.axis.axis;
  const std::string& name = axis.name();
  const Term& extent = dimension.axis.extent;
  switch (dimension.form) {
    case Form::plain:
      return {axis, name};
    case Form::shifted: {
      const int64_t shift = random_.between(0, halo());
      return {axis + shift, fmt::format("{} + {}", name, shift)};
    }
    case Form::reversed:
      return {extent.expr - 1 - axis, fmt::format("{} - 1 - {}", extent.text, name)};
    case Form::summed:
      return {axis + dimension.other.axis,
              fmt::format("{} + {}", name, dimension.other.axis.name())};
    case Form::scaled:
      return {axis * 2, name + " * 2"};
    case Form::halved:
      return {axis / 2, name + " / 2"};
    case Form::wrapped:
      return {axis % 3, name + " % 3"};
    case Form::computed:
      return dimension.index;
  }
  llvm_unreachable("unknown form");
}

/// Dimensions in another order; C++ that makes it.
std::string Generator::add_order(Layout& layout, size_t rank) {
  std::vector<int> order;
  for (size_t dim = 0; dim < rank; ++dim) order.push_back(static_cast<int>(dim));
  shuffle(random_, order);
  layout.digits.assign(order.begin(), order.end());
  if (order == std::vector{1, 0}) return "Layout::column_major()";
  return fmt::format("Layout::order({{{}}})", fmt::join(order, ", "));
}

/// Gaps between the rows, of constant length or as a param says.
std::string Generator::add_pitch(Layout& layout, const Term& row) {
  if (random_.chance(50)) {
    const int64_t gap = random_.has(Extra::engines) ? 16 : random_.between(1, 5);
    layout.row_pitch = row.expr + gap;
    return fmt::format(".pitch({} + {})", row.text, gap);
  }
  const std::string name = name_for(fmt::format("ld{}", pitches_.size()));
  declarations_ += fmt::format("Param {0}(\"{0}\");\n", name);
  layout.row_pitch = Param(name);
  pitches_.push_back({name, row.expr});
  return fmt::format(".pitch({})", name);
}

/// `more` is added to each extent. Matrices and more may lie in memory in other ways.
DrawnOperand Generator::declare_tensor(const std::string& name, DType type,
                                       std::vector<Dimension> dimensions, const Term& more) {
  llvm::SmallVector<Expr, 4> shape;
  std::vector<std::string> extents;
  for (const Dimension& dimension : dimensions) {
    const Term extent = extent_of(dimension);
    shape.push_back(more.text.empty() ? extent.expr : extent.expr + more.expr);
    extents.push_back(extent.text + more.text);
  }
  Layout layout;
  std::string text;
  if (shape.size() > 1 && random_.chance(18)) text = add_order(layout, shape.size());
  const size_t fastest = layout.digits.empty() ? shape.size() - 1 : layout.digits.back().dim;
  if (shape.size() > 1 && random_.chance(12)) {
    if (text.empty()) text = "Layout()";
    text += add_pitch(layout, {shape[fastest], extents[fastest]});
  }
  declarations_ += fmt::format("Tensor {0}(\"{0}\", {1}, {{{2}}}{3}{4});\n", name,
                               constant_name(type), join(extents), text.empty() ? "" : ", ", text);
  return {make_tensor(name, type, shape, Scope::global, layout), name, 0, std::move(dimensions)};
}

DrawnOperand Generator::declare_input(std::vector<Dimension> dimensions) {
  const DType other_types[] = {type_, i32, f32, u8,   i8,     bf16,  boolean,
                               i64,   f16, f64, tf32, f8e4m3, f8e5m2};
  const size_t kinds = random_.has(Extra::types) ? std::size(other_types) : 4;
  DType type = type_;
  if (random_.chance(random_.has(Extra::types) ? 15 : 8))
    type = other_types[random_.below(static_cast<uint32_t>(kinds))];
  return declare_input(std::move(dimensions), type);
}

DrawnOperand Generator::declare_input(std::vector<Dimension> dimensions, DType type) {
  const std::string name = name_for(nth_name(input_names, inputs_.size()));
  DrawnOperand input = declare_tensor(name, type, std::move(dimensions), {});
  input.bound = input_bound;
  inputs_.push_back(input);
  return input;
}

/// Indexed by some of the axes, in any order; rarely by none. One of them may be a long row.
DrawnOperand Generator::declare_any_input(const std::vector<BoundedAxis>& axes) {
  if (axes.empty()) return declare_input({});
  std::vector<Dimension> dimensions;
  double size = 1;
  for (const BoundedAxis& axis : axes) {
    if (!random_.chance(70)) continue;
    const Dimension dimension = random_dimension(axis, axes);
    if (size * extent_of(dimension).bound > largest_size) continue;
    size *= extent_of(dimension).bound;
    dimensions.push_back(dimension);
  }
  if (dimensions.empty() && !random_.chance(30))
    dimensions.push_back(random_dimension(axes.front(), axes));
  shuffle(random_, dimensions);
  return declare_input(std::move(dimensions));
}

/// The element that lies so far before it in the last dimension.
Term Generator::read_as_it_is(const DrawnOperand& operand, int64_t before) {
  llvm::SmallVector<Expr, 4> indices;
  std::vector<std::string> texts;
  for (const Dimension& dimension : operand.dimensions) {
    const Term index = index_of(dimension);
    indices.push_back(index.expr);
    texts.push_back(index.text);
  }
  if (before != 0) {
    indices.back() = indices.back() - before;
    texts.back() += fmt::format(" - {}", before);
  }
  const std::string text = fmt::format("{}({})", operand.name, join(texts));
  return {Load::make(operand.tensor, indices), text, operand.bound};
}

/// Neighbours of some distance, and 0 where there are none: tiles begin before the tensor.
Term Generator::read_before(const DrawnOperand& operand) {
  const bool has_zero = !is_tuple(operand.tensor->type);
  if (!has_zero || operand.dimensions.empty() || operand.dimensions.back().form != Form::plain)
    return read_as_it_is(operand);
  note("neighbours before the start");
  const Axis& axis = operand.dimensions.back().axis.axis;
  const int64_t before = random_.between(1, 8);
  const Term element = read_as_it_is(operand, before);
  const DType type = operand.tensor->type;
  return {select(axis >= before, element.expr, cast(type, 0)),
          fmt::format("select({} >= {}, {}, cast({}, 0))", axis.name(), before, element.text,
                      constant_name(type)),
          element.bound};
}

Term Generator::read(const DrawnOperand& operand) {
  return as_value(random_.chance(Extra::engines, 25) ? read_before(operand)
                                                     : read_as_it_is(operand));
}

/// Of a new input, of the last one again, or of the result of a definition before.
Term Generator::random_read(const DrawnOperand* before) {
  if (before && random_.chance(30)) return read(*before);
  if (earlier_ && random_.chance(50)) return read(*earlier_);
  const auto axes = all_axes();
  const bool may_repeat = !inputs_.empty() && inputs_.back().tensor->type == type_ &&
                          places_of_.count(inputs_.back().name) == 0;
  if (!may_repeat || !random_.chance(30)) return read(declare_any_input(axes));
  const DrawnOperand again = inputs_.back();
  const auto in_scope = [&](const BoundedAxis& axis) {
    return llvm::any_of(
        axes, [&](const BoundedAxis& known) { return known.axis.node() == axis.axis.node(); });
  };
  const bool is_readable = llvm::all_of(again.dimensions, [&](const Dimension& dimension) {
    return in_scope(dimension.axis) && in_scope(dimension.other);
  });
  return read(is_readable ? again : declare_any_input(axes));
}

}  // namespace hone

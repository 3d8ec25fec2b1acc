#include <algorithm>

#include "fmt/format.h"
#include "tests/support/random/program_generator.h"

namespace hone {
namespace {

Term binary(Expr (*apply)(Expr, Expr), const char* op, const Term& lhs, const Term& rhs,
            double bound) {
  return {apply(lhs.expr, rhs.expr), fmt::format("({} {} {})", lhs.text, op, rhs.text), bound};
}

Term product_of(const Term& lhs, const Term& rhs) {
  return binary(operator*, "*", lhs, rhs, lhs.bound * rhs.bound);
}

Dimension plain(const BoundedAxis& axis) { return {Form::plain, axis, axis}; }

}  // namespace

/// Without values, the index that argmax finds is none, and large.
Term Generator::component_of(const Term& tuple) {
  const unsigned position = random_.below(component_count(tuple.expr.type()));
  const Expr component = Component::make(tuple.expr, position);
  const std::string text = fmt::format("{}({})", component_name(position).str(), tuple.text);
  if (position != 1) return {component, text, component.type() == boolean ? 1 : tuple.bound};
  const DType type = component.type();
  return {min(component, cast(type, 99)),
          fmt::format("min({}, cast({}, 99))", text, name(type).str()), 99};
}

/// In the type that the program computes in.
Term Generator::as_value(const Term& term) {
  if (is_tuple(term.expr.type())) return as_value(component_of(term));
  if (term.expr.type() == type_) return term;
  const std::string type = name(type_).str();
  if (term.expr.type() == DType::boolean)
    return {select(term.expr, cast(type_, 1), cast(type_, 0)),
            fmt::format("select({0}, cast({1}, 1), cast({1}, 0))", term.text, type), 1};
  // A negative number is none that C converts to u8 but by way of integers.
  if (size_of(type_) == 1 && is_float(term.expr.type()))
    return {cast(type_, cast(i32, term.expr)),
            fmt::format("cast({}, cast(i32, {}))", type, term.text), term.bound};
  return {cast(type_, term.expr), fmt::format("cast({}, {})", type, term.text), term.bound};
}

Term Generator::combine(const Term& lhs, const Term& rhs) {
  const double sum = lhs.bound + rhs.bound, larger = std::max(lhs.bound, rhs.bound);
  switch (random_.weighted({40, 20, 15, 8, 8, 9})) {
    case 0:
      return product_of(lhs, rhs);
    case 1:
      return binary(operator+, "+", lhs, rhs, sum);
    case 2:
      return binary(operator-, "-", lhs, rhs, sum);
    case 3:
      return {min(lhs.expr, rhs.expr), fmt::format("min({}, {})", lhs.text, rhs.text), larger};
    case 4:
      return {max(lhs.expr, rhs.expr), fmt::format("max({}, {})", lhs.text, rhs.text), larger};
    default:
      return {select(lhs.expr < rhs.expr, lhs.expr, rhs.expr * 2),
              fmt::format("select({0} < {1}, {0}, {1} * 2)", lhs.text, rhs.text), larger * 2};
  }
}

/// The value where a condition on the axes holds, else 0.
Term Generator::mask(const Term& value) {
  const std::vector<BoundedAxis> axes = all_axes();
  const Axis& axis = axes.front().axis;
  const Axis& other = axes.back().axis;
  const std::string zero = fmt::format("cast({}, 0)", name(type_).str());
  if (random_.chance(Extra::products, 40)) {
    note("condition of degree 2 or 3");
    const Term condition = product_condition();
    return {select(condition.expr, value.expr, cast(type_, 0)),
            fmt::format("select({}, {}, {})", condition.text, value.text, zero), value.bound};
  }
  if (axis.node() != other.node() && random_.chance(50))
    return {select(axis <= other, value.expr, cast(type_, 0)),
            fmt::format("select({} <= {}, {}, {})", axis.name(), other.name(), value.text, zero),
            value.bound};
  return {select(axis % 2 == 0, value.expr, cast(type_, 0)),
          fmt::format("select({} % 2 == 0, {}, {})", axis.name(), value.text, zero), value.bound};
}

/// With a name that may be one of an axis, too, or of another value.
Term Generator::named(const Term& value) {
  if (value.expr.type() == DType::index || !random_.chance(Extra::lets, 40)) return value;
  note("lets");
  constexpr const char* taken[] = {"i", "N", "v"};
  const bool is_new = random_.chance(60);
  const std::string name = is_new ? fmt::format("value{}", named_count_++) : random_.pick(taken);
  return {let(name, value.expr), fmt::format("let(\"{}\", {})", name, value.text), value.bound};
}

Term Generator::clamp(const Term& value) {
  if (value.bound <= input_bound) return value;
  const std::string type = name(type_).str();
  return {max(min(value.expr, cast(type_, 1)), cast(type_, -1)),
          fmt::format("max(min({0}, cast({1}, 1)), cast({1}, -1))", value.text, type), 1};
}

/// Of half of the value, so that there is something to round; of an integer, its bits.
Term Generator::function_of(const Term& value) {
  if (is_integer(type_)) return bits_of(value);
  note("floor, ceil and round");
  constexpr Expr (*functions[])(const Expr&) = {floor, ceil, round};
  constexpr const char* names[] = {"floor", "ceil", "round"};
  const uint32_t which = random_.below(3);
  return {functions[which](value.expr * 0.5), fmt::format("{}({} * 0.5)", names[which], value.text),
          value.bound};
}

/// Integers wrap, so that any are as good as the value.
Term Generator::bits_of(const Term& value) {
  note("bits");
  const Term other = random_read(nullptr);
  const auto all_ones = [](double bound) { return 2 * bound + 1; };
  const double bound = all_ones(std::max(value.bound, other.bound));
  switch (random_.below(6)) {
    case 0:
      return binary(operator&, "&", value, other, bound);
    case 1:
      return binary(operator|, "|", value, other, bound);
    case 2:
      return binary(operator^, "^", value, other, bound);
    case 3:
      return binary(operator<<, "<<", value, other, bound);
    case 4:
      return binary(operator>>, ">>", value, other, bound);
    default:
      return {~value.expr, fmt::format("(~{})", value.text), bound};
  }
}

/// As a value: cast(f32, (i * j) % 3), cast(f32, N * N * N).
Term Generator::number_of_index() {
  note("index of degree 2 or 3");
  if (!params_.empty() && random_.chance(25)) {
    const Term product = product_of_params();
    if (is_integer(type_) || product.bound * 4096 <= exact_limit(type_)) return product;
  }
  const std::vector<BoundedAxis> axes = all_axes();
  const Term index = product_index(axes.front(), axes.back(), {3, "3", 3});
  return {cast(type_, index.expr), fmt::format("cast({}, {})", name(type_).str(), index.text), 2};
}

Term Generator::random_value(const DrawnOperand* before) {
  const size_t reads = before ? random_.weighted({30, 40, 30}) : random_.weighted({0, 35, 45, 20});
  Term value = before ? read(*before) : random_read(nullptr);
  const bool wraps = is_integer(type_);
  for (size_t n = before ? 0 : 1; n < reads; ++n) {
    if (!wraps && value.bound * 8 > exact_limit(type_)) value = clamp(value);
    value = combine(named(value), named(random_read(before)));
  }
  value = named(value);
  if (random_.chance(random_.has(Extra::products) ? 20 : 10)) value = mask(value);
  if (random_.chance(Extra::products, 8)) value = combine(value, number_of_index());
  if (random_.chance(Extra::functions, 12)) value = function_of(value);
  if (random_.chance(10))
    value = {value.expr + 1, fmt::format("({} + 1)", value.text), value.bound + 1};
  return value;
}

// ---- Themes -------------------------------------------------------------------------------------

Term Generator::product_value() {
  const BoundedAxis& k = reduced_[0];
  std::vector<Dimension> left = {plain(spatial_[0]), plain(k)}, right = {plain(k)};
  if (spatial_.size() > 1) right.push_back(plain(spatial_[1]));
  for (std::vector<Dimension>* dimensions : {&left, &right})
    if (random_.chance(25)) std::swap(dimensions->front(), dimensions->back());
  const bool is_square = spatial_.size() > 1 && spatial_[0].extent.text == spatial_[1].extent.text;
  if (is_square && random_.chance(Extra::elements, 70)) {
    note("product with its own transpose");
    DrawnOperand operand = declare_input(left);
    const Term lhs = read(operand);
    for (Dimension& dimension : operand.dimensions)
      if (dimension.axis.axis.node() == spatial_[0].axis.node()) dimension = plain(spatial_[1]);
    return product_of(lhs, read(operand));
  }
  const Term lhs = read(declare_input(left)), rhs = read(declare_input(right));
  return random_.chance(10) ? combine(lhs, rhs) : product_of(lhs, rhs);
}

/// In the form that instructions compute, but for a few.
Term Generator::tensor_value() {
  constexpr DType narrow[] = {bf16, f16, tf32, f8e4m3, f8e5m2};
  const DType type = type_ == i32 ? i8 : random_.pick(narrow);
  const BoundedAxis& k = reduced_[0];
  const auto operand = [&](const BoundedAxis& first, const BoundedAxis& second) {
    return named(as_value(read_as_it_is(declare_input({plain(first), plain(second)}, type))));
  };
  const Term lhs = operand(spatial_[0], k);
  // Warps take it k by n, and warpgroups n by k, but for elements of two bytes, which they take
  // both ways.
  const uint32_t along_k = random_.has(Extra::warps)                              ? 3
                           : random_.has(Extra::warpgroups) && size_of(type) != 2 ? 90
                                                                                  : 35;
  const bool runs_along_k = random_.chance(along_k);
  const Term rhs = runs_along_k ? operand(spatial_[1], k) : operand(k, spatial_[1]);
  return random_.chance(5) ? product_of(rhs, lhs) : product_of(lhs, rhs);
}

/// Neighbours of one input.
Term Generator::stencil_value() {
  std::vector<Dimension> dimensions;
  for (const BoundedAxis& axis : spatial_) dimensions.push_back({Form::shifted, axis, axis});
  const DrawnOperand input = declare_input(dimensions);
  Term value = read(input);
  for (int64_t n = random_.between(1, 4); n > 0; --n) {
    const Term neighbour = read(input);
    value = random_.chance(20)
                ? binary(operator-, "-", value, neighbour, value.bound + neighbour.bound)
                : binary(operator+, "+", value, neighbour, value.bound + neighbour.bound);
  }
  return value;
}

Term Generator::convolution_value() {
  std::vector<Dimension> image, filter;
  for (size_t n = 0; n < spatial_.size(); ++n) {
    image.push_back({Form::summed, spatial_[n], reduced_[n]});
    filter.push_back(plain(reduced_[n]));
  }
  const Term lhs = read(declare_input(image)), rhs = read(declare_input(filter));
  return product_of(lhs, rhs);
}

/// S() = sum({a, b, c}, A(a, b, c))
Term Generator::scalar_value() {
  std::vector<Dimension> dimensions;
  for (const BoundedAxis& axis : all_axes()) dimensions.push_back(plain(axis));
  const Term value = read(declare_input(dimensions));
  return random_.chance(40) ? combine(value, random_read(nullptr)) : value;
}

Term Generator::transpose_value() {
  std::vector<Dimension> dimensions;
  for (const BoundedAxis& axis : spatial_) dimensions.insert(dimensions.begin(), plain(axis));
  const Term value = read(declare_input(dimensions));
  return random_.chance(30) ? combine(value, random_read(nullptr)) : value;
}

Term Generator::value_of_theme() {
  switch (theme_) {
    case Theme::anything:
    case Theme::row:
      return random_value(nullptr);
    case Theme::product:
      return product_value();
    case Theme::tensors:
      return tensor_value();
    case Theme::stencil:
      return stencil_value();
    case Theme::convolution:
      return convolution_value();
    case Theme::transpose:
      return transpose_value();
    case Theme::scalar:
      return scalar_value();
  }
  llvm_unreachable("unknown theme");
}

}  // namespace hone

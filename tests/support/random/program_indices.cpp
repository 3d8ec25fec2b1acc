// Indices that data choose, and indices of a higher degree.
#include "fmt/format.h"
#include "tests/support/random/program_generator.h"

namespace hone {
namespace {

/// In the text of a program, behind and before operators of any kind.
Term in_parentheses(const Term& term) {
  return {term.expr, fmt::format("({})", term.text), term.bound};
}

Term modulo(const Term& value, const Term& modulus) {
  return {value.expr % modulus.expr,
          fmt::format("{} % {}", in_parentheses(value).text, in_parentheses(modulus).text),
          modulus.bound};
}

bool is_long(const BoundedAxis& axis) { return axis.extent.bound > 1000; }

Term small(int64_t value) { return {value, std::to_string(value), static_cast<double>(value)}; }

}  // namespace

/// An element of an input that holds integers of 0..extent.
Term Generator::place(const std::vector<BoundedAxis>& axes, const Term& extent) {
  constexpr DType types[] = {i32, i64, u8, i8};
  const bool is_small = extent.bound <= 100;
  const DType type = types[random_.weighted({60, 14, is_small ? 18u : 0u, is_small ? 8u : 0u})];
  std::vector<Dimension> dimensions;
  for (const BoundedAxis& axis : axes) dimensions.push_back({Form::plain, axis, axis});
  const DrawnOperand input = declare_input(std::move(dimensions), type);
  places_of_.emplace(input.name, extent.expr);
  const Term element = read_as_it_is(input);
  return {cast(DType::index, element.expr), element.text, extent.bound};
}

/// A(at(i)): where a result is read, it has all elements.
Dimension Generator::gathered(const BoundedAxis& axis, const std::vector<BoundedAxis>& axes) {
  note("gather");
  std::vector<BoundedAxis> indexed = {axis};
  const BoundedAxis& other = axes.back();
  if (other.axis.node() != axis.axis.node() && random_.chance(25)) indexed.push_back(other);
  return {Form::computed, axis, indexed.back(), place(indexed, axis.extent), axis.extent};
}

Dimension Generator::computed(const BoundedAxis& axis, const BoundedAxis& other) {
  note("index of degree 2 or 3");
  const bool is_small = random_.chance(70) || is_long(axis);
  const Term modulus = is_small ? small(random_.between(1, 7)) : axis.extent;
  return {Form::computed, axis, other, product_index(axis, other, modulus), modulus};
}

/// Intermediate values are large, the result is in 0..modulus.
Term Generator::product_index(const BoundedAxis& axis, const BoundedAxis& other,
                              const Term& modulus) {
  const Axis &i = axis.axis, &j = other.axis;
  const std::string &x = i.name(), &y = j.name();
  const uint32_t scale =
      is_long(axis) || is_long(other) ? 0 : 1;  // of what is beyond 64 bits for a long axis
  switch (random_.weighted({30, 12, 14 * scale, 10, 8 * scale, 6, 10, 10})) {
    case 0:
      return modulo({i * j, fmt::format("{} * {}", x, y)}, modulus);
    case 1:
      return modulo({i * i * i + 7, fmt::format("{0} * {0} * {0} + 7", x)}, modulus);
    case 2:
      return modulo({i * 46341 * (j * 46341), fmt::format("{} * 46341 * ({} * 46341)", x, y)},
                    modulus);
    case 3:
      return modulo({Expr(1) << (i * 3 % 40), fmt::format("Expr(1) << ({} * 3 % 40)", x)}, modulus);
    case 4:
      return modulo(
          {i * 1000003 * j * 2003 >> 3, fmt::format("{} * 1000003 * {} * 2003 >> 3", x, y)},
          modulus);
    case 5:
      return modulo({i ^ (j * i), fmt::format("{} ^ ({} * {})", x, y, x)}, modulus);
    case 6:
      return modulo({(i * i + j) / 2, fmt::format("({0} * {0} + {1}) / 2", x, y)}, modulus);
    default:
      return modulo({select(i * i * i < 1000000000000, i * j, 3),
                     fmt::format("select({0} * {0} * {0} < 1000000000000, {0} * {1}, 3)", x, y)},
                    modulus);
  }
}

/// Holds for some iterations, and compares numbers that may need more than 32 bits.
Term Generator::product_condition() {
  const std::vector<BoundedAxis> axes = all_axes();
  const Axis &i = axes.front().axis, &j = axes.back().axis;
  const std::string &x = i.name(), &y = j.name();
  const uint32_t scale = is_long(axes.front()) || is_long(axes.back()) ? 0 : 1;
  switch (random_.weighted({40, 30 * scale, 30 * scale})) {
    case 0:
      return {i * j < 20, fmt::format("{} * {} < 20", x, y), 1};
    case 1:
      return {i * 65536 * (j * 65536) < 17179869184,
              fmt::format("{} * 65536 * ({} * 65536) < 17179869184", x, y), 1};
    default:
      return {i * i * i * 500000000 < 5000000000000,
              fmt::format("{0} * {0} * {0} * 500000000 < 5000000000000", x), 1};
  }
}

/// cast(f32, N * N * N)
Term Generator::product_of_params() {
  const Term& param = random_.pick(params_);
  return {cast(type_, param.expr * param.expr * param.expr),
          fmt::format("cast({0}, {1} * {1} * {1})", name(type_).str(), param.text),
          param.bound * param.bound * param.bound};
}

/// One more dimension of a result, whose index comes with the values. A definition that reads the
/// result runs an axis through it.
Dimension Generator::scattered() {
  note("scatter");
  const BoundedAxis bin = declare_axis(false, small(random_.between(1, 8)));
  std::vector<BoundedAxis> axes = {random_.pick(reduced_)};
  if (!spatial_.empty() && random_.chance(30)) axes.push_back(random_.pick(spatial_));
  const bool is_computed = random_.chance(Extra::products, 25);
  const Term index =
      is_computed ? product_index(axes.front(), axes.back(), bin.extent) : place(axes, bin.extent);
  return {Form::plain, bin, bin, index, bin.extent};
}

}  // namespace hone

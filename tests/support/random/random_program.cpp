#include "tests/support/random/random_program.h"

#include <cmath>

#include "fmt/format.h"
#include "ir/interpreter.h"
#include "llvm/ADT/StringExtras.h"

namespace hone {
namespace {

/// An expression, the C++ that makes it, and the largest magnitude of its values.
struct Term {
  Expr expr;
  std::string text;
  double bound = 0;
};

struct BoundedAxis {
  Axis axis;
  Term extent;  ///< its bound is the largest extent
};

/// How a dimension of an input is indexed.
enum class Form : uint8_t { plain, shifted, reversed, summed, scaled, halved, wrapped };

struct Dimension {
  Form form = Form::plain;
  BoundedAxis axis, other;  ///< `other` is for Form::summed
};

struct Operand {
  TensorPtr tensor;
  std::string name;
  double bound = 0;
  std::vector<Dimension> dimensions;
};

constexpr const char* spatial_names[] = {"i", "j", "l", "o", "u", "v", "h", "g"};
constexpr const char* reduced_names[] = {"k", "m", "r", "t", "w", "q", "e", "d"};
constexpr const char* param_names[] = {"N", "M", "K", "P", "Q"};
constexpr const char* input_names[] = {"A", "B", "D", "E", "F", "G", "H", "J",
                                       "L", "O", "V", "W", "X", "Y", "Z"};
constexpr const char* temporary_names[] = {"T", "U"};
/// By the number of axes, so that a program has few iterations.
constexpr int64_t largest_extents[] = {17, 17, 17, 11, 7, 5, 4};

std::string join(llvm::ArrayRef<std::string> parts) { return llvm::join(parts, ", "); }

Term binary(Expr (*apply)(Expr, Expr), const char* op, const Term& lhs, const Term& rhs,
            double bound) {
  return {apply(lhs.expr, rhs.expr), fmt::format("({} {} {})", lhs.text, op, rhs.text), bound};
}

class Generator {
 public:
  Generator(Random& random, llvm::StringRef name) : random_(random), name_(name.str()) {}

  RandomProgram generate();

 private:
  // Sizes and axes.
  Term random_extent(int64_t largest);
  BoundedAxis declare_axis(bool reduced, const Term& extent);
  void first_axes();
  Operand next_axes(Operand before);
  std::vector<BoundedAxis> all_axes() const;

  // Operands.
  Operand declare_input();
  Dimension random_dimension(const BoundedAxis& axis);
  Term extent_of(const Dimension& dimension);
  Term index_of(const Dimension& dimension);
  Term read(const Operand& operand);
  Term random_read(const Operand* before);

  // Values.
  Term as_value(const Term& term);
  Term combine(const Term& lhs, const Term& rhs);
  Term mask(const Term& value);
  Term clamp(const Term& value);
  Term random_value(const Operand* before);

  // Definitions.
  double iterations() const;
  Operand define(bool is_last, const Operand* before);
  Operand declare_result(const std::string& name, DType type, double bound);
  void define_elementwise(const Operand& result, const Term& value);
  void append_definition(const Operand& result, const Reduction& reduction, const std::string&);

  Random& random_;
  std::string name_;
  DType type_ = f32;
  std::string declarations_, texts_;
  std::vector<Term> params_;
  size_t spatial_count_ = 0, reduced_count_ = 0, temporary_count_ = 0;
  std::vector<BoundedAxis> spatial_, reduced_;
  std::vector<ReduceAxis> reduce_axes_;  ///< those of `reduced_`
  std::vector<Operand> inputs_;
  std::vector<Definition> definitions_;
};

// ---- Sizes and axes -----------------------------------------------------------------------------

Term Generator::random_extent(int64_t largest) {
  if (!random_.chance(30)) {
    const int64_t extent = random_.between(1, largest);
    return {extent, std::to_string(extent), static_cast<double>(extent)};
  }
  if (!params_.empty() && (random_.chance(40) || params_.size() == std::size(param_names)))
    return random_.pick(params_);
  const std::string name = param_names[params_.size()];
  declarations_ += fmt::format("Param {0}(\"{0}\");\n", name);
  params_.push_back({Param(name), name, static_cast<double>(largest)});
  return params_.back();
}

BoundedAxis Generator::declare_axis(bool reduced, const Term& extent) {
  const std::string name =
      reduced ? reduced_names[reduced_count_++] : spatial_names[spatial_count_++];
  declarations_ +=
      fmt::format("{0} {1}(\"{1}\", {2});\n", reduced ? "ReduceAxis" : "Axis", name, extent.text);
  if (!reduced) return {Axis(name, extent.expr), extent};
  reduce_axes_.emplace_back(name, extent.expr);
  return {reduce_axes_.back(), extent};
}

void Generator::first_axes() {
  const size_t spatial = 1 + random_.weighted({30, 45, 25});
  const size_t reduced = random_.weighted({45, 40, 15});
  const int64_t largest = largest_extents[spatial + reduced];
  for (size_t n = 0; n < spatial; ++n)
    spatial_.push_back(declare_axis(false, random_extent(largest)));
  for (size_t n = 0; n < reduced; ++n)
    reduced_.push_back(declare_axis(true, random_extent(largest)));
}

/// The axes of the definition before, some of them now reduced over, and maybe a new one. Returns
/// the result as it is read under them.
Operand Generator::next_axes(Operand before) {
  spatial_.clear();
  reduced_.clear();
  reduce_axes_.clear();
  for (Dimension& dimension : before.dimensions) {
    const bool reduced = random_.chance(30) && reduced_.size() < 2;
    if (reduced) dimension.axis = declare_axis(true, dimension.axis.extent);
    (reduced ? reduced_ : spatial_).push_back(dimension.axis);
    if (random_.chance(10)) dimension.form = Form::reversed;
  }
  if (spatial_.empty() || random_.chance(20))
    spatial_.push_back(declare_axis(false, random_extent(4)));
  return before;
}

std::vector<BoundedAxis> Generator::all_axes() const {
  std::vector<BoundedAxis> axes = spatial_;
  axes.insert(axes.end(), reduced_.begin(), reduced_.end());
  return axes;
}

// ---- Operands -----------------------------------------------------------------------------------

Dimension Generator::random_dimension(const BoundedAxis& axis) {
  const std::vector<BoundedAxis> axes = all_axes();
  return {static_cast<Form>(random_.weighted({76, 8, 4, 5, 2, 3, 2})), axis,
          axes[random_.below(static_cast<uint32_t>(axes.size()))]};
}

Term Generator::extent_of(const Dimension& dimension) {
  const Term& extent = dimension.axis.extent;
  switch (dimension.form) {
    case Form::shifted:
      return {extent.expr + 2, extent.text + " + 2"};
    case Form::summed:
      return {extent.expr + dimension.other.extent.expr,
              fmt::format("{} + {}", extent.text, dimension.other.extent.text)};
    case Form::scaled:
      return {extent.expr * 2, extent.text + " * 2"};
    case Form::wrapped:
      return {3, "3"};
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
      const int64_t shift = random_.between(0, 2);
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
  }
  llvm_unreachable("unknown form");
}

Operand Generator::declare_input() {
  Operand input{nullptr, input_names[inputs_.size()], input_bound, {}};
  for (const BoundedAxis& axis : all_axes())
    if (random_.chance(70)) input.dimensions.push_back(random_dimension(axis));
  if (input.dimensions.empty()) input.dimensions.push_back(random_dimension(all_axes().front()));
  for (size_t n = input.dimensions.size() - 1; n > 0; --n)
    std::swap(input.dimensions[n], input.dimensions[n - random_.below(n + 1)]);
  const DType other_types[] = {type_, i32, f32, u8};
  const DType type = random_.chance(10) ? random_.pick(other_types) : type_;
  llvm::SmallVector<Expr, 4> shape;
  std::vector<std::string> extents;
  for (const Dimension& dimension : input.dimensions) {
    const Term extent = extent_of(dimension);
    shape.push_back(extent.expr);
    extents.push_back(extent.text);
  }
  input.tensor = make_tensor(input.name, type, shape);
  declarations_ += fmt::format("Tensor {0}(\"{0}\", {1}, {{{2}}});\n", input.name, name(type).str(),
                               join(extents));
  inputs_.push_back(input);
  return input;
}

Term Generator::read(const Operand& operand) {
  llvm::SmallVector<Expr, 4> indices;
  std::vector<std::string> texts;
  for (const Dimension& dimension : operand.dimensions) {
    const Term index = index_of(dimension);
    indices.push_back(index.expr);
    texts.push_back(index.text);
  }
  const std::string text = fmt::format("{}({})", operand.name, join(texts));
  return as_value({Load::make(operand.tensor, indices), text, operand.bound});
}

/// Of a new input, of the last one again, or of the result of the definition before.
Term Generator::random_read(const Operand* before) {
  if (before && random_.chance(20)) return read(*before);
  const bool may_repeat = !inputs_.empty() && inputs_.back().tensor->type == type_;
  if (may_repeat && random_.chance(30)) {
    const Operand again = inputs_.back();
    const auto in_scope = [&](const BoundedAxis& axis) {
      return llvm::any_of(all_axes(), [&](const BoundedAxis& known) {
        return known.axis.node() == axis.axis.node();
      });
    };
    if (llvm::all_of(again.dimensions, [&](const Dimension& dimension) {
          return in_scope(dimension.axis) && in_scope(dimension.other);
        }))
      return read(again);
  }
  return read(declare_input());
}

// ---- Values -------------------------------------------------------------------------------------

/// In the type that the program computes in.
Term Generator::as_value(const Term& term) {
  if (term.expr.type() == type_) return term;
  const std::string type = name(type_).str();
  if (term.expr.type() == DType::boolean)
    return {select(term.expr, cast(type_, 1), cast(type_, 0)),
            fmt::format("select({0}, cast({1}, 1), cast({1}, 0))", term.text, type), 1};
  return {cast(type_, term.expr), fmt::format("cast({}, {})", type, term.text), term.bound};
}

Term Generator::combine(const Term& lhs, const Term& rhs) {
  const double sum = lhs.bound + rhs.bound, larger = std::max(lhs.bound, rhs.bound);
  switch (random_.weighted({40, 20, 15, 8, 8, 9})) {
    case 0:
      return binary(operator*, "*", lhs, rhs, lhs.bound * rhs.bound);
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
  if (axis.node() != other.node() && random_.chance(50))
    return {select(axis <= other, value.expr, cast(type_, 0)),
            fmt::format("select({} <= {}, {}, {})", axis.name(), other.name(), value.text, zero),
            value.bound};
  return {select(axis % 2 == 0, value.expr, cast(type_, 0)),
          fmt::format("select({} % 2 == 0, {}, {})", axis.name(), value.text, zero), value.bound};
}

Term Generator::clamp(const Term& value) {
  if (value.bound <= input_bound) return value;
  const std::string type = name(type_).str();
  return {max(min(value.expr, cast(type_, 1)), cast(type_, -1)),
          fmt::format("max(min({0}, cast({1}, 1)), cast({1}, -1))", value.text, type), 1};
}

Term Generator::random_value(const Operand* before) {
  const size_t reads = before ? random_.weighted({30, 40, 30}) : random_.weighted({0, 35, 45, 20});
  Term value = before ? read(*before) : random_read(nullptr);
  const bool wraps = is_integer(type_);
  for (size_t n = before ? 0 : 1; n < reads; ++n) {
    if (!wraps && value.bound * 8 > exact_limit(type_)) value = clamp(value);
    value = combine(value, random_read(before));
  }
  if (random_.chance(10)) value = mask(value);
  if (random_.chance(10))
    value = {value.expr + 1, fmt::format("({} + 1)", value.text), value.bound + 1};
  return value;
}

// ---- Definitions --------------------------------------------------------------------------------

double Generator::iterations() const {
  double product = 1;
  for (const BoundedAxis& axis : reduced_) product *= axis.extent.bound;
  return product;
}

/// A result may be larger than what is defined of it.
Operand Generator::declare_result(const std::string& name, DType type, double bound) {
  Operand result{nullptr, name, bound, {}};
  const bool larger = name == "C" && random_.chance(10);
  llvm::SmallVector<Expr, 4> shape;
  std::vector<std::string> extents;
  for (const BoundedAxis& axis : spatial_) {
    result.dimensions.push_back({Form::plain, axis, axis});
    shape.push_back(larger ? axis.extent.expr + 1 : axis.extent.expr);
    extents.push_back(axis.extent.text + (larger ? " + 1" : ""));
  }
  result.tensor = make_tensor(name, type, shape);
  declarations_ += fmt::format("Tensor {0}(\"{0}\", {1}, {{{2}}});\n", name, hone::name(type).str(),
                               join(extents));
  return result;
}

/// `reduction` has the value alone where the definition is elementwise; `text` is the right-hand
/// side.
void Generator::append_definition(const Operand& result, const Reduction& reduction,
                                  const std::string& text) {
  llvm::SmallVector<Expr, 4> indices;
  llvm::SmallVector<Axis, 4> axes;
  std::vector<std::string> names;
  for (const BoundedAxis& axis : spatial_) {
    indices.push_back(axis.axis);
    axes.push_back(axis.axis);
    names.push_back(axis.axis.name());
  }
  const Element element(result.tensor, indices, axes);
  definitions_.push_back(reduction.axes.empty() ? element = reduction.value : element = reduction);
  texts_ += fmt::format(",\n    {}({}) = {}", result.name, join(names), text);
}

void Generator::define_elementwise(const Operand& result, const Term& value) {
  append_definition(result, {{}, Expr(), value.expr, Update::set, {}}, value.text);
}

enum class Operator : uint8_t { sum, max, min, product, any, all, own };

struct Choice {
  Operator op;
  Term value;
  DType type;
  double bound;
};

Choice choose_operator(Random& random, const Term& value, DType type, double iterations,
                       bool one_axis) {
  const bool wraps = is_integer(type);
  auto op = static_cast<Operator>(random.weighted({50, 14, 8, 8, 5, 5, 10}));
  const bool adds = op == Operator::sum || op == Operator::own;
  if (!one_axis && (op == Operator::any || op == Operator::all)) op = Operator::max;
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
  return {op, value, type,
          op == Operator::sum || op == Operator::own ? value.bound * iterations : value.bound};
}

Reduction make_reduction(const Choice& choice, const std::vector<ReduceAxis>& axes) {
  Expr zero = cast(choice.type, 0);
  const auto build = [&](auto call) {
    return axes.size() == 1 ? call({axes[0]}) : call({axes[0], axes[1]});
  };
  switch (choice.op) {
    case Operator::sum:
      return build([&](ReduceAxes over) { return sum(over, choice.value.expr); });
    case Operator::max:
      return build([&](ReduceAxes over) { return max(over, choice.value.expr); });
    case Operator::min:
      return build([&](ReduceAxes over) { return min(over, choice.value.expr); });
    case Operator::product:
      return build([&](ReduceAxes over) { return product(over, choice.value.expr); });
    case Operator::any:
      return any(axes[0], choice.value.expr);
    case Operator::all:
      return all(axes[0], choice.value.expr);
    case Operator::own:
      return build([&](ReduceAxes over) {
        return reduce(over, zero, choice.value.expr, [](Expr acc, Expr v) { return v - acc; });
      });
  }
  llvm_unreachable("unknown operator");
}

std::string reduction_text(const Choice& choice, const std::vector<ReduceAxis>& axes) {
  constexpr const char* functions[] = {"sum", "max", "min", "product", "any", "all"};
  std::vector<std::string> names;
  for (const ReduceAxis& axis : axes) names.push_back(axis.name());
  const std::string over = names.size() == 1 && choice.op != Operator::own
                               ? names[0]
                               : fmt::format("{{{}}}", join(names));
  if (choice.op != Operator::own)
    return fmt::format("{}({}, {})", functions[static_cast<int>(choice.op)], over,
                       choice.value.text);
  return fmt::format("reduce({}, cast({}, 0), {}, [](Expr acc, Expr v) {{ return v - acc; }})",
                     over, name(choice.type).str(), choice.value.text);
}

Operand Generator::define(bool is_last, const Operand* before) {
  const std::string result_name = is_last ? "C" : temporary_names[temporary_count_++];
  Term value = random_value(before);
  if (!is_integer(type_) && value.bound * 64 > exact_limit(type_)) value = clamp(value);
  if (reduced_.empty()) {
    const Operand result = declare_result(result_name, type_, value.bound);
    define_elementwise(result, value);
    return result;
  }
  const auto& axes = reduce_axes_;
  const Choice choice = choose_operator(random_, value, type_, iterations(), axes.size() == 1);
  const Operand result = declare_result(result_name, choice.type, choice.bound);
  append_definition(result, make_reduction(choice, axes), reduction_text(choice, axes));
  return result;
}

std::vector<Sizes> random_sizes(Random& random, const std::vector<Term>& params) {
  std::vector<Sizes> sizes;
  for (int n = 0; n < (params.empty() ? 1 : 3); ++n) {
    Sizes values{{"S", random.between(1, 5)}};
    for (const Term& param : params) {
      const auto largest = static_cast<int64_t>(param.bound);
      values[param.text] = random.chance(20) ? random.between(0, 1) : random.between(2, largest);
    }
    sizes.push_back(std::move(values));
  }
  return sizes;
}

RandomProgram Generator::generate() {
  constexpr DType types[] = {f32, i32, f64, f16, i64, u8};
  const size_t count = 1 + random_.weighted({70, 22, 8});
  type_ = types[random_.weighted({60, 12, 8, 8, 6, 6})];
  first_axes();
  Operand last = define(count == 1, nullptr);
  for (size_t n = 1; n < count; ++n) {
    const Operand before = next_axes(last);
    last = define(n + 1 == count, &before);
  }
  RandomProgram result;
  result.program.emplace(name_, llvm::makeArrayRef(definitions_));
  result.text = fmt::format("{}Program program(\"{}\"{});\n", declarations_, name_, texts_);
  result.sizes = random_sizes(random_, params_);
  return result;
}

}  // namespace

RandomProgram random_program(Random& random, llvm::StringRef name) {
  return Generator(random, name).generate();
}

}  // namespace hone

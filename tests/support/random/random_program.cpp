#include "tests/support/random/random_program.h"

#include "fmt/format.h"
#include "tests/support/random/program_generator.h"
#include "tests/support/random/program_reduction.h"
#include "tests/support/random/words.h"

namespace hone {
namespace {

constexpr const char* temporary_names[] = {"T", "U"};

}  // namespace

double Generator::iterations() const {
  double product = 1;
  for (const BoundedAxis& axis : reduced_) product *= axis.extent.bound;
  return product;
}

/// A result may be larger than what is defined of it.
DrawnOperand Generator::declare_result(const std::string& name, DType type, double bound) {
  const bool larger = name == "C" && random_.chance(10);
  std::vector<Dimension> dimensions;
  for (const BoundedAxis& axis : spatial_) dimensions.push_back({Form::plain, axis, axis});
  for (const Dimension& place : scattered_)
    dimensions.push_back({Form::plain, place.axis, place.axis});
  DrawnOperand result =
      declare_tensor(name, type, std::move(dimensions), larger ? Term{1, " + 1", 0} : Term());
  result.bound = bound;
  return result;
}

/// The element that is defined, and its text.
Element Generator::element_of(const DrawnOperand& result, std::string& text) const {
  llvm::SmallVector<Expr, 4> indices;
  llvm::SmallVector<Axis, 4> axes;
  std::vector<std::string> names;
  for (const BoundedAxis& axis : spatial_) {
    indices.push_back(axis.axis);
    axes.push_back(axis.axis);
    names.push_back(axis.axis.name());
  }
  for (const Dimension& place : scattered_) {
    indices.push_back(place.index.expr);
    names.push_back(place.index.text);
  }
  text = fmt::format("{}({})", result.name, join(names));
  return Element(result.tensor, indices, axes);
}

/// `reduction` has the value alone where the definition is elementwise; `text` is the right-hand
/// side.
void Generator::append_definition(const DrawnOperand& result, const Reduction& reduction,
                                  const std::string& text) {
  std::string name;
  const Element element = element_of(result, name);
  definitions_.push_back(reduction.axes.empty() ? element = reduction.value : element = reduction);
  if (!random_.chance(Extra::in_places, 10)) {
    texts_ += fmt::format(",\n    {} = {}", name, text);
    return;
  }
  note("output(...)");
  definitions_.back() = output(definitions_.back());
  texts_ += fmt::format(",\n    output({} = {})", name, text);
}

/// The same for an element that goes on from the value it has.
void Generator::go_on(const DrawnOperand& result, const Reduction& reduction,
                      const std::string& text) {
  note("in place");
  std::string name;
  const Element element = element_of(result, name);
  const bool is_max = reduction.update == Update::max;
  if (reduction.axes.empty()) {
    const bool adds = random_.chance(50);
    definitions_.push_back(adds ? element += reduction.value : element = reduction.value - element);
    texts_ += adds ? fmt::format(",\n    {} += {}", name, text)
                   : fmt::format(",\n    {0} = {1} - {0}", name, text);
  } else if (is_max || reduction.update == Update::min) {
    definitions_.push_back(element = is_max ? max(element, reduction) : min(element, reduction));
    texts_ += fmt::format(",\n    {0} = {1}({0}, {2})", name, is_max ? "max" : "min", text);
  } else {
    const bool adds = reduction.update == Update::add;
    definitions_.push_back(adds ? element += reduction : element *= reduction);
    texts_ += fmt::format(",\n    {} {} {}", name, adds ? "+=" : "*=", text);
  }
}

/// A further definition of the same tensor, from the values that it has.
void Generator::define_again(const DrawnOperand& result) {
  if (!scattered_.empty() || result.tensor->type != type_) return;
  const Term value = read(declare_any_input(spatial_));
  note("defined again");
  go_on(result, {{}, Expr(), value.expr, Update::set, {}}, value.text);
}

void Generator::define_elementwise(const DrawnOperand& result, const Term& value) {
  append_definition(result, {{}, Expr(), value.expr, Update::set, {}}, value.text);
}

/// `alpha * reduction + beta * operand`, or a part of that.
void Generator::add_epilogue(Reduction& reduction, std::string& text, double& bound) {
  if (!is_integer(type_) && bound * 64 > exact_limit(type_)) return;
  if (random_.chance(60)) {
    const Term alpha = read(declare_input({}));
    reduction = alpha.expr * reduction;
    text = fmt::format("{} * {}", alpha.text, text);
    bound *= alpha.bound;
  }
  if (random_.chance(70)) {
    const Term operand = read(declare_any_input(spatial_));
    const Term beta = random_.chance(50) ? read(declare_input({})) : Term{cast(type_, 2), "2", 2};
    reduction = reduction + beta.expr * operand.expr;
    text = fmt::format("{} + {} * {}", text, beta.text, operand.text);
    bound += beta.bound * operand.bound;
  }
  if (!random_.chance(20)) return;
  reduction = max(reduction, cast(type_, 0));
  text = fmt::format("max({}, cast({}, 0))", text, name(type_).str());
}

DrawnOperand Generator::define(bool is_last, const DrawnOperand* before) {
  const std::string result_name = name_for(is_last ? "C" : temporary_names[temporary_count_++]);
  const bool is_first = definitions_.empty();
  Term value = is_first ? value_of_theme() : random_value(before);
  if (!is_integer(type_) && value.bound * 64 > exact_limit(type_)) value = clamp(value);
  scattered_.clear();
  const bool goes_on = random_.chance(Extra::in_places, 15);
  if (reduced_.empty()) {
    const double old = goes_on ? input_bound : 0;
    const DrawnOperand result = declare_result(result_name, type_, value.bound + old);
    if (goes_on)
      go_on(result, {{}, Expr(), value.expr, Update::set, {}}, value.text);
    else
      define_elementwise(result, value);
    return result;
  }
  if (random_.chance(Extra::scatters, theme_ == Theme::scalar ? 60 : 35))
    scattered_.push_back(scattered());
  const auto& axes = reduce_axes_;
  const bool adds = is_first && theme_ != Theme::anything && !random_.chance(15);
  RandomOperation operation =
      adds ? sum_or_less(value, type_, iterations())
           : choose_operation(random_, value, type_, iterations(), axes.size() == 1);
  constexpr const char* tuples[] = {"tuple of 2", "tuple of 3", "tuple of 4"};
  if (is_tuple(operation.type)) note(tuples[component_count(operation.type) - 2]);
  Reduction reduction = make_reduction(operation, axes);
  std::string text = reduction_text(operation, axes);
  const bool has_operator = reduction.update != Update::set && reduction.update != Update::custom;
  if (goes_on && has_operator && operation.is_number()) {
    const bool adds = reduction.update == Update::add;
    const double bound = adds ? operation.bound + input_bound : operation.bound * input_bound;
    const DrawnOperand result = declare_result(result_name, operation.type, bound);
    go_on(result, reduction, text);
    return result;
  }
  if (operation.is_number() && random_.chance(adds ? 40 : 20))
    add_epilogue(reduction, text, operation.bound);
  const DrawnOperand result = declare_result(result_name, operation.type, operation.bound);
  append_definition(result, reduction, text);
  return result;
}

DType Generator::random_type() {
  if (random_.chance(Extra::matrices, 85)) return random_.chance(50) ? bf16 : f16;
  constexpr DType types[] = {f32, i32, f64, f16, i64, u8, bf16, i8};
  const bool all = random_.has(Extra::types);
  return types[random_.weighted({60, 12, 8, 8, 6, 6, all ? 8u : 0u, all ? 8u : 0u})];
}

Theme Generator::random_theme() {
  const uint32_t row = random_.has(Extra::sizes) ? 1 : 0;
  const uint32_t scalar = random_.has(Extra::scalars) ? 10 : 0;
  const uint32_t tensors = random_.is_for_products() ? 400 : random_.has(Extra::tensors) ? 10 : 0;
  if (random_.has(Extra::engines))
    return static_cast<Theme>(random_.weighted({25, 50, 5, 15, 5, 0, scalar, tensors}));
  return static_cast<Theme>(random_.weighted({52, 24, 8, 8, 8, row, scalar, tensors}));
}

/// Notes the program's features for the statistics.
void Generator::note_program() {
  constexpr const char* themes[] = {
      "of any kind", "product",  "stencil", "convolution",
      "transpose",   "long row", "scalar",  "product of narrow types"};
  note(themes[static_cast<size_t>(theme_)]);
  note(params_.empty() ? "fixed sizes" : "params");
  features_.insert("of " + name(type_).str());
  features_.insert(fmt::format("{} definitions", definitions_.size()));
}

RandomProgram Generator::generate() {
  if (random_.chance(Extra::names, 10)) {
    name_ = random_word(random_, name_);
    note("word as the name of the program");
  }
  const size_t most = 1 + random_.weighted({50, 32, 18});
  type_ = random_type();
  theme_ = random_theme();
  if (theme_ == Theme::tensors) type_ = random_.chance(30) ? i32 : f32;
  // A long row that is computed anew for each element of another takes too long.
  const bool is_alone = theme_ == Theme::row || (theme_ == Theme::tensors && random_.chance(60));
  const size_t count = is_alone ? 1 : most;
  first_axes();
  const DrawnOperand first = define(count == 1, nullptr);
  if (random_.chance(Extra::in_places, 6)) define_again(first);
  DrawnOperand last = first;
  for (size_t n = 1; n < count; ++n) {
    const DrawnOperand before = next_axes(last);
    if (n > 1 && random_.chance(60)) recall(first);
    const bool is_apart = random_.chance(Extra::outputs, 15);
    if (is_apart) note("several outputs");
    last = define(n + 1 == count, is_apart ? nullptr : &before);
  }
  note_program();
  RandomProgram result;
  result.program.emplace(name_, llvm::ArrayRef<Definition>(definitions_));
  result.text = fmt::format("{}Program program(\"{}\"{});\n", declarations_, name_, texts_);
  result.sizes = random_sizes();
  result.definitions = std::move(definitions_);
  result.places = std::move(places_of_);
  result.is_long = theme_ == Theme::row;
  result.features = std::move(features_);
  return result;
}

RandomProgram random_program(Random& random, llvm::StringRef name) {
  return Generator(random, name).generate();
}

}  // namespace hone

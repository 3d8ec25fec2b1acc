#include "dsl/index_conditions.h"
#include "dsl/made.h"
#include "dsl/name.h"
#include "dsl/program.h"
#include "fmt/format.h"
#include "ir/algebra/polynomial.h"
#include "ir/core/counted.h"
#include "ir/core/layout.h"
#include "ir/core/layout_problem.h"
#include "ir/text/printer.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

constexpr const char* undefined = "{} is undefined; give the Expr a value first";

void check_extent(llvm::StringRef what, const Expr& extent) {
  if (!extent.defined())
    throw DefinitionError(fmt::format(undefined, "an extent of " + what.str()));
  if (extent.type() != DType::index)
    throw DefinitionError(fmt::format("the extent {} of {} has type {}", extent, what.str(),
                                      name(extent.type()).str()));
  if (as_int(extent).value_or(0) < 0)
    throw DefinitionError(
        fmt::format("the extent of {} must not be negative, got {}", what.str(), extent));
  walk(extent, [&](const Expr& part) {
    if (const auto* named = llvm::dyn_cast<Named>(part))
      throw DefinitionError(
          fmt::format("the extent {} of {} has a value with a name, {}; names are for what is "
                      "computed for each element",
                      extent, what.str(), named->name));
    if (llvm::isa<AxisRef, Load>(part))
      throw DefinitionError(fmt::format("the extent {} of {} is not made of params and constants",
                                        extent, what.str()));
  });
}

/// Global memory has rows at any distance, and no other gaps.
void check_layout(const TensorNode& tensor) {
  const Layout& layout = tensor.layout;
  if (!layout.swizzles.empty())
    throw DefinitionError(
        fmt::format("the layout of {} has a swizzle, which is for shared memory", tensor.name));
  if (layout.padding == 0 || layout.row_pitch.defined() || tensor.rank() == 0) {
    if (const auto problem = layout_problem(tensor))
      throw DefinitionError(fmt::format("the layout of {}: {}", tensor.name, *problem));
    return;
  }
  throw DefinitionError(fmt::format(
      "the layout of {} has a padding of {}, which is for shared memory; say how far its rows lie "
      "apart: pitch({})",
      tensor.name, layout.padding, row_pitch(tensor)));
}

/// The number of bytes must fit in 63 bits.
void check_size(const TensorNode& tensor) {
  int64_t bytes = size_of(tensor.type);
  for (const Expr& extent : storage_shape(tensor))
    if (__builtin_mul_overflow(bytes, as_int(extent).value_or(1), &bytes))
      throw DefinitionError(fmt::format("{} has more bytes than 63 bits count", tensor.name));
}

/// True if the right-hand side combines a reduction with the element by the reduction's own
/// operator: C(i) = max(C(i), max(k, A(i, k))).
bool is_continued(const Definition& definition) {
  const Reduction& reduction = definition.reduction;
  const bool has_operator = reduction.update != Update::set && reduction.update != Update::custom;
  if (!has_operator || !reduction.epilogue) return false;
  const Expr reduced = Load::make(definition.tensor, definition.indices);
  const Expr value = made([&] { return reduction.finished(reduced); });
  const auto* whole = value.defined() ? llvm::dyn_cast<Binary>(value) : nullptr;
  if (!whole || whole->op != combiner(reduction.update)) return false;
  const Expr& other = whole->lhs.same_as(reduced) ? whole->rhs : whole->lhs;
  const bool takes_it_once = whole->lhs.same_as(reduced) != whole->rhs.same_as(reduced);
  return takes_it_once && definition.is_own_element(other);
}

bool refers_to(const Expr& index, const Axis& axis) {
  const auto* reference = llvm::dyn_cast<AxisRef>(index);
  return reference && reference->axis == axis.node();
}

}  // namespace

Param::Param(llvm::StringRef name, Location location) try : node_(make_param(name)) {
  check_name_of_value("a param", name);
} catch (DefinitionError& error) {
  error.at(location);
  throw;
}

Axis::Axis(llvm::StringRef name, const Expr& extent, AxisKind kind, Location location) try
    : node_(make_axis(name, kind)), extent_(extent) {
  check_name_of_value("an axis", name);
  check_extent(name, extent);
} catch (DefinitionError& error) {
  error.at(location);
  throw;
}

Axis::Axis(AxisPtr node, Expr extent) : node_(std::move(node)), extent_(std::move(extent)) {
  if (!node_) throw DefinitionError("an axis is made of a null pointer");
  check_extent(node_->name, extent_);
}

ReduceAxis::ReduceAxis(const Axis& loop, Location location) try : Axis(loop) {
  if (loop.node()->kind != AxisKind::reduction)
    throw DefinitionError(fmt::format("{} is no axis of a reduction", loop.name()));
} catch (DefinitionError& error) {
  error.at(location);
  throw;
}

Tensor::Tensor(TensorPtr node) : node_(std::move(node)) {
  if (!node_) throw DefinitionError("a tensor is made of a null pointer");
}

Tensor::Tensor(llvm::StringRef name, DType type, std::initializer_list<Expr> shape,
               const Layout& layout, Location location) try
    : node_(make_tensor(name, type, llvm::ArrayRef<Expr>(shape.begin(), shape.size()),
                        Scope::global, layout)) {
  check_name_of_value("a tensor", name);
  for (const Expr& extent : shape) check_extent(name, extent);
  check_layout(*node_);
  check_size(*node_);
} catch (DefinitionError& error) {
  error.at(location);
  throw;
}

Element Tensor::element(llvm::ArrayRef<Expr> indices, llvm::ArrayRef<Axis> axes,
                        const Location& location) const {
  return located<DefinitionError>(location, [&] {
    llvm::SmallVector<Expr, 4> places;
    for (const Expr& index : indices) places.push_back(as_index(index));
    return Element(node_, places, axes, location);
  });
}

Expr Tensor::as_index(const Expr& expr) const {
  if (!expr.defined()) throw DefinitionError(fmt::format(undefined, "an index of " + name()));
  return is_integer(expr.type()) ? cast(DType::index, expr) : expr;
}

Element::Element(TensorPtr tensor, llvm::ArrayRef<Expr> indices, llvm::ArrayRef<Axis> axes,
                 Location location)
    : tensor_(std::move(tensor)),
      indices_(indices.begin(), indices.end()),
      axes_(axes.begin(), axes.end()),
      location_(location) {}

/// Checks that an axis may run through a dimension of the tensor that it defines.
void Element::check_axis(const Axis& axis, size_t dim) const {
  const std::string& name = tensor_->name;
  if (axis.node()->kind == AxisKind::reduction)
    throw DefinitionError(
        fmt::format("{} is a reduction axis and indexes {}, which it defines", axis.name(), name));
  for (size_t other = 0; other < dim; ++other)
    if (refers_to(indices_[other], axis))
      throw DefinitionError(fmt::format("{} indexes {} twice", axis.name(), name));
  if (equal(axis.extent(), tensor_->shape[dim])) return;
  const Polynomial room = Polynomial::of(tensor_->shape[dim]) - Polynomial::of(axis.extent());
  if (!proves_non_negative(room, {}))
    throw DefinitionError(fmt::format("{} runs to {}, and dimension {} of {} has the extent {}",
                                      axis.name(), axis.extent(), dim, name, tensor_->shape[dim]));
}

void Element::check() const {
  if (indices_.size() != tensor_->rank())
    throw DefinitionError(fmt::format("{} has {} and is defined with {}", tensor_->name,
                                      counted(tensor_->rank(), "dimension", "dimensions"),
                                      counted(indices_.size(), "index", "indices")));
  for (size_t dim = 0; dim < indices_.size(); ++dim)
    for (const Axis& axis : axes_)
      if (refers_to(indices_[dim], axis)) check_axis(axis, dim);
}

Definition Element::define(llvm::function_ref<void(Definition&)> complete) const {
  return located<DefinitionError>(location_, [&] {
    check();
    Definition result{tensor_, axes_, indices_, Expr(), {}};
    result.location = location_;
    complete(result);
    result.conditions = index_conditions(result);
    return result;
  });
}

bool Definition::is_own_element(const Expr& expr) const {
  const auto* load = llvm::dyn_cast<Load>(expr);
  return load && load->tensor == tensor && all_equal(load->indices, indices);
}

bool Definition::is_in_place() const {
  const auto is_own = [&](const Expr& part) { return is_own_element(part); };
  return update != Update::set || (!is_reduction() && any_of(value, is_own));
}

Definition output(Definition definition) {
  definition.is_output = true;
  return definition;
}

Definition Element::operator=(const Expr& value) const { return elementwise(Update::set, value); }
Definition Element::operator+=(const Expr& value) const { return elementwise(Update::add, value); }
Definition Element::operator*=(const Expr& value) const { return elementwise(Update::mul, value); }

Definition Element::elementwise(Update update, const Expr& value) const {
  return define([&](Definition& result) {
    result.update = update;
    if (axes_.size() != indices_.size())
      throw DefinitionError(fmt::format(
          "the left-hand side of {} has an index that is no axis; that takes a reduction, which "
          "combines what comes to one element",
          tensor_->name));
    if (!value.defined())
      throw DefinitionError(fmt::format(undefined, "the value of " + tensor_->name));
    result.value = value;
  });
}

Definition Element::operator=(const Reduction& reduction) const {
  return define([&](Definition& result) {
    if (!reduction.identity.defined() || !reduction.value.defined())
      throw DefinitionError(fmt::format("the reduction into {} has no {}", tensor_->name,
                                        reduction.value.defined() ? "identity" : "value"));
    result.reduction = reduction;
    if (is_continued(result)) {
      result.update = reduction.update;
      result.reduction.epilogue = {};
    } else if (reduction.epilogue && reduction.value.type() != tensor_->type) {
      result.accumulator = make_tensor(tensor_->name + ".acc", reduction.value.type(),
                                       tensor_->shape, Scope::global);
    }
  });
}

/// The element goes on from the value that it has.
Definition Element::accumulation(Update update, const Reduction& reduction) const {
  return located<DefinitionError>(location_, [&] {
    Definition result = *this = reduction;
    result.update = update;
    const char* const kind = update == Update::add ? "sum" : "product";
    if (reduction.update != update || reduction.epilogue)
      throw DefinitionError(fmt::format(
          "{} takes a {} alone; define the right-hand side as a tensor of its own, and {}",
          result.text(), kind, update == Update::add ? "add that" : "multiply by that"));
    return result;
  });
}

Definition Element::operator+=(const Reduction& reduction) const {
  return accumulation(Update::add, reduction);
}

Definition Element::operator*=(const Reduction& reduction) const {
  return accumulation(Update::mul, reduction);
}

Definition Element::operator-=(const Reduction& reduction) const {
  const bool is_sum = reduction.update == Update::add && !reduction.epilogue;
  if (!is_sum) return *this += -reduction;
  Reduction negated = reduction;
  negated.value = -reduction.value;
  return *this += negated;
}

Expr let(llvm::StringRef name, const Expr& value, Location location) {
  return located<DefinitionError>(location, [&] {
    check_name_of_value("a value", name);
    if (!value.defined()) throw DefinitionError(fmt::format(undefined, name.str()));
    if (value.type() == DType::index)
      throw DefinitionError(
          fmt::format("{}, {}, is an index, and has no name of its own; name a cast of it, "
                      "cast(i32, ...), or leave the name out",
                      name.str(), value));
    return Named::make(name, value);
  });
}

Expr exp(const Expr& x) { return Call::make(Intrinsic::exp, {x}); }
Expr log(const Expr& x) { return Call::make(Intrinsic::log, {x}); }
Expr sqrt(const Expr& x) { return Call::make(Intrinsic::sqrt, {x}); }
Expr rsqrt(const Expr& x) { return Call::make(Intrinsic::rsqrt, {x}); }
Expr sin(const Expr& x) { return Call::make(Intrinsic::sin, {x}); }
Expr cos(const Expr& x) { return Call::make(Intrinsic::cos, {x}); }
Expr tanh(const Expr& x) { return Call::make(Intrinsic::tanh, {x}); }
Expr tanh_approx(const Expr& x) { return Call::make(Intrinsic::tanh_approx, {x}); }
Expr erf(const Expr& x) { return Call::make(Intrinsic::erf, {x}); }
Expr abs(const Expr& x) { return Call::make(Intrinsic::abs, {x}); }
Expr floor(const Expr& x) { return Call::make(Intrinsic::floor, {x}); }
Expr ceil(const Expr& x) { return Call::make(Intrinsic::ceil, {x}); }
Expr round(const Expr& x) { return Call::make(Intrinsic::round, {x}); }
Expr pow(const Expr& x, const Expr& y) { return Call::make(Intrinsic::pow, {x, y}); }
Expr fma(const Expr& x, const Expr& y, const Expr& z) {
  return Call::make(Intrinsic::fma, {x, y, z});
}

}  // namespace hone

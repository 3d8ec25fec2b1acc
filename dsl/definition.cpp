#include <limits>

#include "dsl/program.h"
#include "fmt/format.h"
#include "ir/polynomial.h"
#include "ir/printer.h"
#include "ir/visit.h"

namespace hone {
namespace {

void check_name(llvm::StringRef what, llvm::StringRef name) {
  const auto is_word = [](char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  if (name.empty() || isdigit(static_cast<unsigned char>(name.front())) ||
      !llvm::all_of(name, is_word))
    throw DefinitionError(
        fmt::format("'{}' is no name for {}: letters, digits and '_', not starting "
                    "with a digit",
                    name.str(), what.str()));
}

void check_extent(llvm::StringRef what, const Expr& extent) {
  if (extent.type() != DType::index)
    throw DefinitionError(fmt::format("the extent {} of {} has type {}", extent, what.str(),
                                      name(extent.type()).str()));
  if (as_int(extent).value_or(0) < 0)
    throw DefinitionError(
        fmt::format("the extent of {} must not be negative, got {}", what.str(), extent));
  walk(extent, [&](const Expr& part) {
    if (llvm::isa<AxisRef, Load>(part))
      throw DefinitionError(fmt::format("the extent {} of {} is not made of params and constants",
                                        extent, what.str()));
  });
}

/// The number of bytes must fit in 63 bits.
void check_size(const TensorNode& tensor) {
  int64_t bytes = size_of(tensor.type);
  for (const Expr& extent : tensor.shape)
    if (__builtin_mul_overflow(bytes, as_int(extent).value_or(1), &bytes))
      throw DefinitionError(fmt::format("{} has more bytes than 63 bits count", tensor.name));
}

Expr constant(DType type, double value) {
  return is_float(type) ? FloatConst::make(value, type)
                        : IntConst::make(static_cast<int64_t>(value), type);
}

int64_t lowest_integer(DType type) {
  switch (type) {
    case DType::i64:
      return std::numeric_limits<int64_t>::min();
    case DType::i32:
      return std::numeric_limits<int32_t>::min();
    case DType::i8:
      return std::numeric_limits<int8_t>::min();
    default:
      return 0;
  }
}

int64_t highest_integer(DType type) {
  switch (type) {
    case DType::i64:
      return std::numeric_limits<int64_t>::max();
    case DType::i32:
      return std::numeric_limits<int32_t>::max();
    case DType::i8:
      return std::numeric_limits<int8_t>::max();
    default:
      return std::numeric_limits<uint8_t>::max();
  }
}

/// What changes nothing under max (`lowest`) or min.
Expr extreme(DType type, bool lowest) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (is_float(type)) return FloatConst::make(lowest ? -infinity : infinity, type);
  return IntConst::make(lowest ? lowest_integer(type) : highest_integer(type), type);
}

Reduction reduction(ReduceAxes axes, Update update, Expr identity, const Expr& value) {
  return {{axes.begin(), axes.end()}, std::move(identity), value, update, {}};
}

Reduction logical(const ReduceAxis& axis, Update update, bool identity, const Expr& value) {
  if (value.type() != DType::boolean)
    throw DefinitionError(fmt::format("{} has type {}, and any and all reduce bools", value,
                                      name(value.type()).str()));
  return reduction({axis}, update, identity, value);
}

llvm::StringRef function_name(Update update) {
  switch (update) {
    case Update::add:
      return "sum";
    case Update::mul:
      return "product";
    case Update::max:
      return "max";
    case Update::min:
      return "min";
    case Update::logical_or:
      return "any";
    case Update::logical_and:
      return "all";
    case Update::set:
      return "reduce";
  }
  llvm_unreachable("unknown update");
}

/// Loads read as the DSL writes them: A(i, k).
std::string call_syntax(const Expr& expr) {
  std::string text = to_string(expr);
  for (char& c : text) c = c == '[' ? '(' : c == ']' ? ')' : c;
  return text;
}

}  // namespace

Param::Param(llvm::StringRef name) : node_(make_param(name)) { check_name("a param", name); }

Axis::Axis(llvm::StringRef name, const Expr& extent, AxisKind kind)
    : node_(make_axis(name, kind)), extent_(extent) {
  check_name("an axis", name);
  check_extent(name, extent);
}

Tensor::Tensor(llvm::StringRef name, DType type, std::initializer_list<Expr> shape)
    : node_(make_tensor(name, type, llvm::ArrayRef<Expr>(shape.begin(), shape.size()))) {
  check_name("a tensor", name);
  for (const Expr& extent : shape) check_extent(name, extent);
  check_size(*node_);
}

Reduction sum(ReduceAxes axes, const Expr& value) {
  return reduction(axes, Update::add, constant(value.type(), 0), value);
}
Reduction product(ReduceAxes axes, const Expr& value) {
  return reduction(axes, Update::mul, constant(value.type(), 1), value);
}
Reduction max(ReduceAxes axes, const Expr& value) {
  return reduction(axes, Update::max, extreme(value.type(), true), value);
}
Reduction min(ReduceAxes axes, const Expr& value) {
  return reduction(axes, Update::min, extreme(value.type(), false), value);
}
Reduction sum(const ReduceAxis& axis, const Expr& value) { return sum({axis}, value); }
Reduction product(const ReduceAxis& axis, const Expr& value) { return product({axis}, value); }
Reduction max(const ReduceAxis& axis, const Expr& value) { return max({axis}, value); }
Reduction min(const ReduceAxis& axis, const Expr& value) { return min({axis}, value); }
Reduction any(const ReduceAxis& axis, const Expr& value) {
  return logical(axis, Update::logical_or, false, value);
}
Reduction all(const ReduceAxis& axis, const Expr& value) {
  return logical(axis, Update::logical_and, true, value);
}
Reduction reduce(ReduceAxes axes, const Expr& identity, const Expr& value,
                 std::function<Expr(Expr, Expr)> combine) {
  return {{axes.begin(), axes.end()}, identity, value, Update::set, std::move(combine)};
}

Element::Element(TensorPtr tensor, llvm::ArrayRef<Expr> indices, llvm::ArrayRef<Axis> axes)
    : tensor_(std::move(tensor)),
      indices_(indices.begin(), indices.end()),
      axes_(axes.begin(), axes.end()) {}

Definition Element::definition() const {
  const std::string& name = tensor_->name;
  if (indices_.size() != tensor_->rank())
    throw DefinitionError(fmt::format("{} has {} dimensions and is defined with {} indices", name,
                                      tensor_->rank(), indices_.size()));
  if (axes_.size() != indices_.size())
    throw DefinitionError(
        fmt::format("the left-hand side of {} has an index that is no axis", name));
  for (size_t dim = 0; dim < axes_.size(); ++dim) {
    const Axis& axis = axes_[dim];
    if (axis.node()->kind == AxisKind::reduction)
      throw DefinitionError(fmt::format("{} is a reduction axis and indexes {}, which it defines",
                                        axis.name(), name));
    for (size_t other = 0; other < dim; ++other)
      if (axes_[other].node() == axis.node())
        throw DefinitionError(fmt::format("{} indexes {} twice", axis.name(), name));
    const Polynomial room = Polynomial::of(tensor_->shape[dim]) - Polynomial::of(axis.extent());
    if (!proves_non_negative(room, {}))
      throw DefinitionError(fmt::format("{} runs to {}, and dimension {} of {} has the extent {}",
                                        axis.name(), axis.extent(), dim, name,
                                        tensor_->shape[dim]));
  }
  return {tensor_, axes_, Expr(), {}};
}

Definition Element::operator=(const Expr& value) const {
  Definition result = definition();
  result.value = value;
  return result;
}

Definition Element::operator=(const Reduction& reduction) const {
  Definition result = definition();
  result.reduction = reduction;
  return result;
}

std::string Definition::text() const {
  std::string indices;
  for (const Axis& axis : axes) indices += (indices.empty() ? "" : ", ") + axis.name();
  const std::string left = fmt::format("{}({}) = ", tensor->name, indices);
  if (!is_reduction()) return left + call_syntax(value);
  std::string over;
  for (const ReduceAxis& axis : reduction.axes) over += (over.empty() ? "" : ", ") + axis.name();
  if (reduction.axes.size() > 1) over = "{" + over + "}";
  return fmt::format("{}{}({}, {})", left, function_name(reduction.update).str(), over,
                     call_syntax(reduction.value));
}

Expr exp(const Expr& x) { return Call::make(Intrinsic::exp, {x}); }
Expr log(const Expr& x) { return Call::make(Intrinsic::log, {x}); }
Expr sqrt(const Expr& x) { return Call::make(Intrinsic::sqrt, {x}); }
Expr rsqrt(const Expr& x) { return Call::make(Intrinsic::rsqrt, {x}); }
Expr tanh(const Expr& x) { return Call::make(Intrinsic::tanh, {x}); }
Expr erf(const Expr& x) { return Call::make(Intrinsic::erf, {x}); }
Expr abs(const Expr& x) { return Call::make(Intrinsic::abs, {x}); }
Expr pow(const Expr& x, const Expr& y) { return Call::make(Intrinsic::pow, {x, y}); }
Expr fma(const Expr& x, const Expr& y, const Expr& z) {
  return Call::make(Intrinsic::fma, {x, y, z});
}

}  // namespace hone

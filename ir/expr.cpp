#include "ir/expr.h"

#include <atomic>
#include <cmath>

#include "fmt/format.h"
#include "ir/scalar.h"
#include "ir/text/printer.h"

namespace hone {
namespace {

[[noreturn]] void mismatch(llvm::StringRef operation, const Expr& lhs, const Expr& rhs) {
  throw DefinitionError(fmt::format("{} of {} ({}) and {} ({}); use cast", operation.str(), lhs,
                                    name(lhs.type()).str(), rhs, name(rhs.type()).str()));
}

llvm::StringRef noun(BinaryOp op) {
  switch (op) {
    case BinaryOp::add:
      return "sum";
    case BinaryOp::sub:
      return "difference";
    case BinaryOp::mul:
      return "product";
    case BinaryOp::div:
      return "quotient";
    case BinaryOp::mod:
      return "remainder";
    case BinaryOp::bit_and:
    case BinaryOp::bit_or:
    case BinaryOp::bit_xor:
      return "bit operation";
    case BinaryOp::shl:
    case BinaryOp::shr:
      return "shift";
    case BinaryOp::min:
      return "min";
    case BinaryOp::max:
      return "max";
    case BinaryOp::logical_and:
    case BinaryOp::logical_or:
      return "logical operation";
    default:
      return "comparison";
  }
}

/// Refuses tuples: all operations but select are of numbers and bools.
void check_no_tuple(llvm::StringRef operation, const Expr& operand) {
  if (is_tuple(operand.type()))
    throw DefinitionError(fmt::format("{} of {}, which is a tuple, {}; take first or second of it",
                                      operation.str(), operand, name(operand.type()).str()));
}

void check_operand(BinaryOp op, const Expr& lhs, const Expr& rhs) {
  if (is_tuple(lhs.type()) || is_tuple(rhs.type()))
    check_no_tuple(noun(op), is_tuple(lhs.type()) ? lhs : rhs);
  if (lhs.type() != rhs.type()) mismatch(noun(op), lhs, rhs);
  const bool is_bool = lhs.type() == DType::boolean;
  const bool takes_bool = is_logical(op) || op == BinaryOp::eq || op == BinaryOp::ne;
  if (is_logical(op) && !is_bool) mismatch(noun(op), lhs, rhs);
  if (is_bool && !takes_bool) mismatch(noun(op), lhs, rhs);
  const bool takes_floats = op != BinaryOp::mod && (op < BinaryOp::bit_and || op > BinaryOp::shr);
  if (is_float(lhs.type()) && !takes_floats) mismatch(noun(op), lhs, rhs);
}

/// More than a program may have, as passes add to expressions.
constexpr TreeSize largest_intermediate = {4 * largest_expression.depth,
                                           4 * largest_expression.nodes};

template <class... Operands>
void check_defined(llvm::StringRef operation, const Operands&... operands) {
  if (!(operands.defined() && ...))
    throw DefinitionError(
        fmt::format("{} of an undefined expression; give the Expr a value first", operation.str()));
}

}  // namespace

std::optional<std::string> size_problem(const TreeSize& size, const TreeSize& largest) {
  constexpr const char* advice =
      "define parts of it as tensors of their own, or reduce over an axis";
  if (size.depth > largest.depth)
    return fmt::format("an expression nests {} levels deep, and at most {} are taken; {}",
                       size.depth, largest.depth, advice);
  if (size.nodes > largest.nodes)
    return fmt::format(
        "an expression has {} nodes, where what is used twice counts twice, and at most {} are "
        "taken; {}",
        size.nodes, largest.nodes, advice);
  return std::nullopt;
}

TreeSize TreeSize::over(const Expr& operand) const {
  const TreeSize& inner = operand.get()->size;
  const TreeSize size = {std::max(depth, inner.depth + 1), nodes + inner.nodes};
  const TreeSize& largest = largest_intermediate;
  if (size.depth > largest.depth || size.nodes > largest.nodes)
    throw DefinitionError(size_problem(size, largest).value());
  return size;
}

TreeSize TreeSize::over(llvm::ArrayRef<Expr> operands) const {
  TreeSize size = *this;
  for (const Expr& operand : operands) size = size.over(operand);
  return size;
}

Expr Expr::int_literal(int64_t value) { return IntConst::make(value); }
Expr Expr::bool_literal(bool value) { return IntConst::make(value, DType::boolean); }
Expr Expr::float_literal(double value) { return FloatConst::make(value); }

uint64_t next_id() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

AxisPtr make_axis(llvm::StringRef name, AxisKind kind, llvm::ArrayRef<std::string> roots) {
  auto* axis = new AxisNode;
  axis->name = name.str();
  axis->kind = kind;
  axis->roots.assign(roots.begin(), roots.end());
  if (roots.empty()) axis->roots.push_back(name.split('.').first.str());
  return axis;
}

AxisPtr make_fused_axis(llvm::StringRef name, const AxisPtr& outer, const AxisPtr& inner,
                        std::optional<int64_t> inner_extent) {
  auto* axis = new AxisNode;
  axis->name = name.str();
  axis->kind = outer->kind;
  axis->roots = outer->roots;
  for (const std::string& root : inner->roots)
    if (!llvm::is_contained(axis->roots, root)) axis->roots.push_back(root);
  if (inner_extent) {
    axis->outer = outer;
    axis->inner = inner;
    axis->inner_extent = *inner_extent;
  }
  return axis;
}

AxisPtr make_variable() { return make_axis("", AxisKind::spatial); }

ParamPtr make_param(llvm::StringRef name) {
  auto* param = new ParamNode;
  param->name = name.str();
  return param;
}

llvm::StringRef name(Scope scope) {
  switch (scope) {
    case Scope::global:
      return "global";
    case Scope::shared:
      return "shared";
    case Scope::registers:
      return "registers";
  }
  llvm_unreachable("unknown scope");
}

TensorPtr make_tensor(llvm::StringRef name, DType type, llvm::ArrayRef<Expr> shape, Scope scope,
                      Layout layout, int64_t address) {
  auto* tensor = new TensorNode;
  tensor->name = name.str();
  tensor->type = type;
  tensor->shape.assign(shape.begin(), shape.end());
  tensor->scope = scope;
  tensor->layout = std::move(layout);
  tensor->address = address;
  return tensor;
}

TensorPtr make_twin(const TensorNode& tensor, llvm::StringRef name) {
  auto* twin = new TensorNode(tensor);
  twin->id = next_id();
  twin->name = name.str();
  return twin;
}

TensorPtr with_alignment(const TensorNode& tensor, int64_t alignment) {
  auto* aligned = new TensorNode(tensor);
  aligned->alignment = alignment;
  return aligned;
}

TensorPtr make_form(const TensorNode& tensor, llvm::ArrayRef<Expr> shape, Scope scope,
                    Layout layout, int64_t address) {
  auto* form = new TensorNode(tensor);
  form->shape.assign(shape.begin(), shape.end());
  form->scope = scope;
  form->layout = std::move(layout);
  form->address = address;
  return form;
}

Expr IntConst::make(int64_t value, DType type) {
  assert(!is_float(type) && !is_tuple(type) && "an integer constant of another type");
  return Expr(new IntConst(value, type));
}

Expr FloatConst::make(double value, DType type) {
  assert(is_float(type) && "a float constant of an integer type");
  return Expr(new FloatConst(round_to(type, value), value, type));
}

Expr AxisRef::make(AxisPtr axis) { return Expr(new AxisRef(std::move(axis))); }

Expr ParamRef::make(ParamPtr param) { return Expr(new ParamRef(std::move(param))); }

Expr ThreadIndex::make(IndexSpace space, unsigned dim) {
  assert(dim < 3 && "an index space has three dimensions");
  return Expr(new ThreadIndex(space, dim));
}

Expr Load::make(TensorPtr tensor, llvm::ArrayRef<Expr> indices) {
  if (!tensor) throw DefinitionError("element of a null tensor");
  if (indices.size() != tensor->rank())
    throw DefinitionError(fmt::format("{} has {} dimensions and is read with {} indices",
                                      tensor->name, tensor->rank(), indices.size()));
  for (const Expr& index : indices) {
    if (!index.defined())
      throw DefinitionError(
          fmt::format("an index of {} is undefined; give the Expr a value first", tensor->name));
    if (index.type() != DType::index)
      throw DefinitionError(
          fmt::format("{} is an index of {} and has type {}; use cast(index, ...)", index,
                      tensor->name, name(index.type()).str()));
  }
  return Expr(new Load(std::move(tensor), indices));
}

static bool takes(UnaryOp op, DType type) {
  if (op == UnaryOp::bit_not) return is_integer(type);
  return (type == DType::boolean) == (op == UnaryOp::logical_not);
}

Expr Unary::make(UnaryOp op, Expr operand) {
  const char* const operation = op == UnaryOp::negate    ? "negation"
                                : op == UnaryOp::bit_not ? "bit operation"
                                                         : "logical operation";
  check_defined(operation, operand);
  check_no_tuple(operation, operand);
  if (!takes(op, operand.type()))
    throw DefinitionError(fmt::format("{} has type {}, which '{}' does not take", operand,
                                      name(operand.type()).str(), "-!~"[static_cast<int>(op)]));
  return Expr(new Unary(op, std::move(operand)));
}

bool is_comparison(BinaryOp op) { return op >= BinaryOp::eq && op <= BinaryOp::ge; }

bool is_logical(BinaryOp op) { return op >= BinaryOp::logical_and; }

Expr Binary::make(BinaryOp op, Expr lhs, Expr rhs) {
  check_defined(noun(op), lhs, rhs);
  Expr left = adapt_literal(lhs, rhs.type());
  Expr right = adapt_literal(rhs, lhs.type());
  check_operand(op, left, right);
  const DType type = is_comparison(op) ? DType::boolean : left.type();
  return Expr(new Binary(op, type, std::move(left), std::move(right)));
}

Expr Select::make(Expr condition, Expr if_true, Expr if_false) {
  check_defined("select", condition, if_true, if_false);
  if (condition.type() != DType::boolean)
    throw DefinitionError(fmt::format("the condition {} of a select has type {}", condition,
                                      name(condition.type()).str()));
  const Expr left = adapt_literal(if_true, if_false.type());
  const Expr right = adapt_literal(if_false, if_true.type());
  if (left.type() != right.type()) mismatch("select", left, right);
  return Expr(new Select(std::move(condition), left, right));
}

Expr Cast::make(DType type, Expr operand) {
  check_defined("cast", operand);
  if (operand.type() == type) return operand;
  check_no_tuple("cast", operand);
  if (is_tuple(type))
    throw DefinitionError(fmt::format("cast of {} ({}) to {}; use pair or tuple", operand,
                                      name(operand.type()).str(), name(type).str()));
  return Expr(new Cast(type, std::move(operand)));
}

namespace {

struct IntrinsicInfo {
  const char* name;
  unsigned arity;
};
constexpr IntrinsicInfo intrinsics[] = {
    {"exp", 1}, {"log", 1}, {"sqrt", 1},  {"rsqrt", 1}, {"sin", 1},   {"cos", 1}, {"tanh", 1},
    {"erf", 1}, {"abs", 1}, {"floor", 1}, {"ceil", 1},  {"round", 1}, {"pow", 2}, {"fma", 3}};

}  // namespace

Expr MakeTuple::make(llvm::ArrayRef<Expr> components) {
  if (components.size() < 2 || components.size() > most_components)
    throw DefinitionError(fmt::format("a tuple of {} components; there are those of two to {}",
                                      components.size(), most_components));
  llvm::SmallVector<Expr, 4> adapted;
  llvm::SmallVector<DType, 4> types;
  for (const Expr& component : components) {
    check_defined("tuple", component);
    adapted.push_back(adapt_literal(component, adapted.empty() ? f32 : i32));
    types.push_back(adapted.back().type());
    if (!is_component_type(types.back()))
      throw DefinitionError(
          fmt::format("{} has type {}, and the components of a tuple are numbers "
                      "and bools; use {}",
                      adapted.back(), name(types.back()).str(),
                      is_tuple(types.back()) ? "first or second of it" : "cast"));
  }
  return Expr(new MakeTuple(tuple_of(types.data(), types.size()), adapted));
}

Expr Component::make(Expr tuple, unsigned position) {
  check_defined(component_name(position), tuple);
  if (!is_tuple(tuple.type()))
    throw DefinitionError(fmt::format("{} of {}, which has type {} and is no tuple",
                                      component_name(position).str(), tuple,
                                      name(tuple.type()).str()));
  if (position >= component_count(tuple.type()))
    throw DefinitionError(fmt::format("{} of {}, which is a tuple of {}, {}",
                                      component_name(position).str(), tuple,
                                      component_count(tuple.type()), name(tuple.type()).str()));
  return Expr(new Component(std::move(tuple), position));
}

llvm::StringRef component_name(unsigned position) {
  constexpr const char* names[most_components] = {"first", "second", "third", "fourth"};
  assert(position < most_components && "a tuple has at most four components");
  return names[position];
}

llvm::StringRef name(ShuffleMode mode) {
  return mode == ShuffleMode::down ? "shuffle_down" : "shuffle_exchange";
}

Expr Shuffle::make(ShuffleMode mode, Expr value, Expr offset, Expr lanes) {
  check_defined("shuffle", value, offset, lanes);
  for (const Expr& index : {offset, lanes})
    if (index.type() != DType::index) mismatch("shuffle", index, IntConst::make(0));
  return Expr(new Shuffle(mode, std::move(value), std::move(offset), std::move(lanes)));
}

llvm::StringRef name(Intrinsic intrinsic) { return intrinsics[static_cast<int>(intrinsic)].name; }

unsigned arity(Intrinsic intrinsic) { return intrinsics[static_cast<int>(intrinsic)].arity; }

Expr Call::make(Intrinsic intrinsic, llvm::ArrayRef<Expr> arguments) {
  assert(arguments.size() == arity(intrinsic) && "wrong number of arguments");
  for (const Expr& argument : arguments) check_defined(name(intrinsic), argument);
  const auto* typed =
      llvm::find_if(arguments, [](const Expr& e) { return !llvm::isa<IntConst, FloatConst>(e); });
  const DType type = typed == arguments.end() ? arguments[0].type() : typed->type();
  llvm::SmallVector<Expr, 3> adapted;
  for (const Expr& argument : arguments) adapted.push_back(adapt_literal(argument, type));
  for (const Expr& argument : adapted) check_no_tuple(name(intrinsic), argument);
  for (const Expr& argument : adapted)
    if (argument.type() != type) mismatch(name(intrinsic), adapted[0], argument);
  if (!is_float(type) && !(intrinsic == Intrinsic::abs && is_integer(type)))
    throw DefinitionError(fmt::format("{} of {}, which has type {}; use cast",
                                      name(intrinsic).str(), adapted[0], name(type).str()));
  return Expr(new Call(intrinsic, adapted));
}

namespace {

/// Of an integer literal that became an f32 or an i32 with its tuple.
std::optional<int64_t> whole_number(const Expr& component) {
  if (component.type() == i32) return as_int(component);
  const auto* real = llvm::dyn_cast<FloatConst>(component);
  if (!real || real->type != f32 || std::signbit(real->value) || !(real->value < 0x1p24) ||
      real->value != std::trunc(real->value))
    return std::nullopt;
  return static_cast<int64_t>(real->value);
}

Expr adapt_component(const Expr& component, DType type) {
  const Expr adapted = adapt_literal(component, type);
  if (adapted.type() == type) return adapted;
  const auto number = whole_number(component);
  return number ? adapt_literal(Expr(*number), type) : component;
}

Expr adapt_components(const MakeTuple& tuple, DType type) {
  if (!is_tuple(type) || component_count(type) != tuple.components.size()) return Expr(&tuple);
  llvm::SmallVector<Expr, 4> adapted;
  for (unsigned n = 0; n < tuple.components.size(); ++n) {
    adapted.push_back(adapt_component(tuple.components[n], component_type(type, n)));
    if (adapted.back().type() != component_type(type, n)) return Expr(&tuple);
  }
  return MakeTuple::make(adapted);
}

}  // namespace

Expr adapt_literal(const Expr& literal, DType type) {
  if (literal.type() == type) return literal;
  if (const auto* tuple = llvm::dyn_cast<MakeTuple>(literal)) return adapt_components(*tuple, type);
  if (const auto* value = llvm::dyn_cast<IntConst>(literal)) {
    if (literal.type() != DType::index) return literal;
    if (is_float(type)) return FloatConst::make(static_cast<double>(value->value), type);
    if (is_integer(type) && wrap_to(type, value->value) == value->value)
      return IntConst::make(value->value, type);
  }
  if (const auto* value = llvm::dyn_cast<FloatConst>(literal))
    if (literal.type() == DType::f32 && is_float(type))
      return FloatConst::make(value->written, type);
  return literal;
}

Expr operator+(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::add, lhs, rhs); }
Expr operator-(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::sub, lhs, rhs); }
Expr operator*(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::mul, lhs, rhs); }
Expr operator/(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::div, lhs, rhs); }
Expr operator%(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::mod, lhs, rhs); }
Expr operator&(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::bit_and, lhs, rhs); }
Expr operator|(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::bit_or, lhs, rhs); }
Expr operator^(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::bit_xor, lhs, rhs); }
Expr operator<<(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::shl, lhs, rhs); }
Expr operator>>(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::shr, lhs, rhs); }
Expr operator-(Expr operand) { return Unary::make(UnaryOp::negate, operand); }
Expr operator!(Expr operand) { return Unary::make(UnaryOp::logical_not, operand); }
Expr operator~(Expr operand) { return Unary::make(UnaryOp::bit_not, operand); }
Expr operator==(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::eq, lhs, rhs); }
Expr operator!=(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::ne, lhs, rhs); }
Expr operator<(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::lt, lhs, rhs); }
Expr operator<=(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::le, lhs, rhs); }
Expr operator>(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::gt, lhs, rhs); }
Expr operator>=(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::ge, lhs, rhs); }
Expr operator&&(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::logical_and, lhs, rhs); }
Expr operator||(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::logical_or, lhs, rhs); }
Expr min(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::min, lhs, rhs); }
Expr max(Expr lhs, Expr rhs) { return Binary::make(BinaryOp::max, lhs, rhs); }
Expr select(Expr condition, Expr if_true, Expr if_false) {
  return Select::make(condition, if_true, if_false);
}
Expr cast(DType type, Expr operand) {
  check_defined("cast", operand);
  const Expr literal = adapt_literal(operand, type);
  return literal.type() == type ? literal : Cast::make(type, operand);
}
Expr pair(Expr first, Expr second) { return MakeTuple::make({first, second}); }
Expr tuple(Expr first, Expr second, Expr third) { return MakeTuple::make({first, second, third}); }
Expr tuple(Expr first, Expr second, Expr third, Expr fourth) {
  return MakeTuple::make({first, second, third, fourth});
}
Expr first(Expr tuple) { return Component::make(tuple, 0); }
Expr second(Expr tuple) { return Component::make(tuple, 1); }
Expr third(Expr tuple) { return Component::make(tuple, 2); }
Expr fourth(Expr tuple) { return Component::make(tuple, 3); }

bool is_constant(const Expr& expr) {
  const auto* tuple = llvm::dyn_cast<MakeTuple>(expr);
  return llvm::isa<IntConst, FloatConst>(expr) ||
         (tuple && llvm::all_of(tuple->components, is_constant));
}

bool is_zero(const Expr& expr) {
  if (const auto* tuple = llvm::dyn_cast<MakeTuple>(expr))
    return llvm::all_of(tuple->components, is_zero);
  const auto* real = llvm::dyn_cast<FloatConst>(expr);
  return is_int(expr, 0) || (real && real->value == 0 && !std::signbit(real->value));
}

}  // namespace hone

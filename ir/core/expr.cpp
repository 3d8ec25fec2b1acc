#include "ir/core/expr.h"

#include <cmath>

#include "fmt/format.h"
#include "ir/core/counted.h"
#include "ir/scalar/adapt_literal.h"
#include "ir/scalar/scalar.h"
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

/// Refuses a tuple, or a float that only tensor cores compute with.
[[noreturn]] void refuse_type(llvm::StringRef operation, const Expr& operand) {
  check_no_tuple(operation, operand);
  throw DefinitionError(
      fmt::format("{} of {}, which is {}, a type without arithmetic; cast it to f32 first",
                  operation.str(), operand, name(operand.type()).str()));
}

void check_arithmetic(llvm::StringRef operation, const Expr& operand) {
  if (!has_arithmetic(operand.type())) refuse_type(operation, operand);
}

/// ^ is the operator of bits, as in C++.
[[noreturn]] void refuse_power(const Expr& lhs, const Expr& rhs) {
  throw DefinitionError(fmt::format(
      "{0} ^ {1} is an operation of bits, which {0} ({2}) has not; a power is a product: "
      "{0} * {0}",
      lhs, rhs, name(lhs.type()).str()));
}

void check_operand(BinaryOp op, const Expr& lhs, const Expr& rhs) {
  if (op == BinaryOp::bit_xor && is_float(lhs.type())) refuse_power(lhs, rhs);
  if (lhs.type() != rhs.type()) mismatch(noun(op), lhs, rhs);
  const bool is_bool = lhs.type() == DType::boolean;
  const bool takes_bool = is_logical(op) || op == BinaryOp::eq || op == BinaryOp::ne;
  if (is_logical(op) && !is_bool) mismatch(noun(op), lhs, rhs);
  if (is_bool && !takes_bool) mismatch(noun(op), lhs, rhs);
  const bool takes_floats = op != BinaryOp::mod && (op < BinaryOp::bit_and || op > BinaryOp::shr);
  if (is_float(lhs.type()) && !takes_floats) mismatch(noun(op), lhs, rhs);
}

[[noreturn]] void refuse_undefined(llvm::StringRef operation) {
  throw DefinitionError(
      fmt::format("{} of an undefined expression; give the Expr a value first", operation.str()));
}

template <class... Operands>
void check_defined(llvm::StringRef operation, const Operands&... operands) {
  if (!(operands.defined() && ...)) refuse_undefined(operation);
}

}  // namespace

Expr Expr::int_literal(int64_t value) { return IntConst::make(value); }
Expr Expr::bool_literal(bool value) { return IntConst::make(value, DType::boolean); }
Expr Expr::float_literal(double value) { return FloatConst::make(value); }

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
    throw DefinitionError(fmt::format("{} has {} and is read with {}", tensor->name,
                                      counted(tensor->rank(), "dimension", "dimensions"),
                                      counted(indices.size(), "index", "indices")));
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
  check_arithmetic(operation, operand);
  if (!takes(op, operand.type()))
    throw DefinitionError(fmt::format("{} has type {}, which '{}' does not take", operand,
                                      name(operand.type()).str(), "-!~"[static_cast<int>(op)]));
  return Expr(new Unary(op, std::move(operand)));
}

bool is_comparison(BinaryOp op) { return op >= BinaryOp::eq && op <= BinaryOp::ge; }

bool is_logical(BinaryOp op) { return op >= BinaryOp::logical_and; }

Expr Binary::make(BinaryOp op, Expr lhs, Expr rhs) {
  if (!lhs.defined() || !rhs.defined()) refuse_undefined(noun(op));
  for (const Expr* operand : {&lhs, &rhs})
    if (!has_arithmetic(operand->type())) refuse_type(noun(op), *operand);
  const DType left = lhs.type(), right = rhs.type();
  if (left != right) {
    lhs = adapt_literal(lhs, right);
    rhs = adapt_literal(rhs, left);
  }
  check_operand(op, lhs, rhs);
  const DType type = is_comparison(op) ? DType::boolean : lhs.type();
  return Expr(new Binary(op, type, std::move(lhs), std::move(rhs)));
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
constexpr IntrinsicInfo intrinsics[] = {{"exp", 1},   {"log", 1}, {"sqrt", 1},  {"rsqrt", 1},
                                        {"sin", 1},   {"cos", 1}, {"tanh", 1},  {"tanh_approx", 1},
                                        {"erf", 1},   {"abs", 1}, {"floor", 1}, {"ceil", 1},
                                        {"round", 1}, {"pow", 2}, {"fma", 3}};

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
          fmt::format("{} has type {}, and the components of a tuple are bools and numbers with "
                      "arithmetic; use {}",
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

Expr Named::make(llvm::StringRef name, Expr value) {
  check_defined("name", value);
  assert(value.type() != DType::index && "names are of values, and not of indices");
  return Expr(new Named(name, std::move(value)));
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
  for (const Expr& argument : adapted) check_arithmetic(name(intrinsic), argument);
  for (const Expr& argument : adapted)
    if (argument.type() != type) mismatch(name(intrinsic), adapted[0], argument);
  if (!is_float(type) && !(intrinsic == Intrinsic::abs && is_integer(type)))
    throw DefinitionError(fmt::format("{} of {}, which has type {}; use cast",
                                      name(intrinsic).str(), adapted[0], name(type).str()));
  return Expr(new Call(intrinsic, adapted));
}

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

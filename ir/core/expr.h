// Expressions: immutable, reference-counted values.
//
// Semantics
// - Every expression has a type. Both operands of a binary operator have the same type; a literal
//   takes the type of the other operand.
// - `index` arithmetic is exact; in x / y and x % y, x is not negative and y is positive, so that
//   the quotient is the floor. The interpreter reports a violation as an error.
// - Integers wrap around at their width; a division by zero is an error.
// - Floating-point operations are rounded to their type one by one, to nearest even. A generated
//   kernel may contract a product and a sum into one fma.
// - `&&`, `||` and `select` evaluate only the operands that they need.
// - Booleans are 0 or 1.
// - A tuple is made, chosen by `select` and taken apart; it is neither compared nor computed with.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/core/axis.h"
#include "ir/core/expr_node.h"
#include "ir/core/expr_operators.h"
#include "ir/core/tensor.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Casting.h"

namespace hone {

/// Base of the node types: the kind tag, classof, and the handle around a new node.
template <class Node, ExprKind node_kind>
struct ExprBase : ExprNode {
  static bool classof(const ExprNode* node) { return node->kind == node_kind; }

 protected:
  explicit ExprBase(DType type, TreeSize size = {}) : ExprNode(node_kind, type, size) {}
};

struct IntConst : ExprBase<IntConst, ExprKind::IntConst> {
  const int64_t value;
  static Expr make(int64_t value, DType type = DType::index);

 private:
  IntConst(int64_t value, DType type) : ExprBase(type), value(value) {}
};

struct FloatConst : ExprBase<FloatConst, ExprKind::FloatConst> {
  const double value;    ///< representable in the type
  const double written;  ///< before rounding: what a literal becomes beside an f64
  static Expr make(double value, DType type = DType::f32);

 private:
  FloatConst(double value, double written, DType type)
      : ExprBase(type), value(value), written(written) {}
};

struct AxisRef : ExprBase<AxisRef, ExprKind::AxisRef> {
  const AxisPtr axis;
  static Expr make(AxisPtr axis);

 private:
  explicit AxisRef(AxisPtr axis) : ExprBase(DType::index), axis(std::move(axis)) {}
};

struct ParamRef : ExprBase<ParamRef, ExprKind::ParamRef> {
  const ParamPtr param;
  static Expr make(ParamPtr param);

 private:
  explicit ParamRef(ParamPtr param) : ExprBase(DType::index), param(std::move(param)) {}
};

/// The coordinates of a block in the grid and of a thread in its block; dim 0, 1, 2 are x, y, z.
enum class IndexSpace : uint8_t { block, thread };

struct ThreadIndex : ExprBase<ThreadIndex, ExprKind::ThreadIndex> {
  const IndexSpace space;
  const uint8_t dim;
  static Expr make(IndexSpace space, unsigned dim);

 private:
  ThreadIndex(IndexSpace space, unsigned dim)
      : ExprBase(DType::index), space(space), dim(static_cast<uint8_t>(dim)) {}
};

struct Load : ExprBase<Load, ExprKind::Load> {
  const TensorPtr tensor;
  const llvm::SmallVector<Expr, 4> indices;
  static Expr make(TensorPtr tensor, llvm::ArrayRef<Expr> indices);

 private:
  Load(TensorPtr tensor, llvm::ArrayRef<Expr> indices)
      : ExprBase(tensor->type, TreeSize{.has_load = true}.over(indices)),
        tensor(std::move(tensor)),
        indices(indices.begin(), indices.end()) {}
};

enum class UnaryOp : uint8_t {
  negate,
  logical_not,
  bit_not,  // integers
};

struct Unary : ExprBase<Unary, ExprKind::Unary> {
  const UnaryOp op;
  const Expr operand;
  static Expr make(UnaryOp op, Expr operand);

 private:
  Unary(UnaryOp op, Expr operand)
      : ExprBase(operand.type(), TreeSize().over(operand)), op(op), operand(std::move(operand)) {}
};

enum class BinaryOp : uint8_t {
  add,
  sub,
  mul,
  div,
  mod,
  min,
  max,  // the type of the operands
  bit_and,
  bit_or,
  bit_xor,  // integers and indices; of indices that are not negative
  shl,
  shr,  // integers, by a number modulo their bits; indices that are not negative, by less than 63
  eq,
  ne,
  lt,
  le,
  gt,
  ge,  // bool
  logical_and,
  logical_or,  // bool, of bools
};
bool is_comparison(BinaryOp op);
bool is_logical(BinaryOp op);  ///< && and ||

struct Binary : ExprBase<Binary, ExprKind::Binary> {
  const BinaryOp op;
  const Expr lhs, rhs;
  /// Throws DefinitionError when the operands' types do not fit each other or the operator.
  static Expr make(BinaryOp op, Expr lhs, Expr rhs);

 private:
  Binary(BinaryOp op, DType type, Expr lhs, Expr rhs)
      : ExprBase(type, TreeSize().over(lhs).over(rhs)),
        op(op),
        lhs(std::move(lhs)),
        rhs(std::move(rhs)) {}
};

struct Select : ExprBase<Select, ExprKind::Select> {
  const Expr condition, if_true, if_false;
  static Expr make(Expr condition, Expr if_true, Expr if_false);

 private:
  Select(Expr condition, Expr if_true, Expr if_false)
      : ExprBase(if_true.type(), TreeSize().over(condition).over(if_true).over(if_false)),
        condition(std::move(condition)),
        if_true(std::move(if_true)),
        if_false(std::move(if_false)) {}
};

/// Conversion as in C++: to an integer it truncates towards zero, to a float it rounds.
struct Cast : ExprBase<Cast, ExprKind::Cast> {
  const Expr operand;
  static Expr make(DType type, Expr operand);

 private:
  Cast(DType type, Expr operand)
      : ExprBase(type, TreeSize().over(operand)), operand(std::move(operand)) {}
};

enum class Intrinsic : uint8_t {
  exp,
  log,
  sqrt,
  rsqrt,
  sin,
  cos,
  tanh,
  tanh_approx,  // tanh, off by 2^-11 of it at most: one instruction of GPUs since sm_75
  erf,
  abs,
  floor,
  ceil,
  round,  // to the nearest integer, ties to even
  pow,
  fma
};
llvm::StringRef name(Intrinsic intrinsic);
unsigned arity(Intrinsic intrinsic);

struct Call : ExprBase<Call, ExprKind::Call> {
  const Intrinsic intrinsic;
  const llvm::SmallVector<Expr, 3> arguments;
  /// Arguments of one float type; abs takes integers too.
  static Expr make(Intrinsic intrinsic, llvm::ArrayRef<Expr> arguments);

 private:
  Call(Intrinsic intrinsic, llvm::ArrayRef<Expr> arguments)
      : ExprBase(arguments[0].type(), TreeSize().over(arguments)),
        intrinsic(intrinsic),
        arguments(arguments.begin(), arguments.end()) {}
};

struct MakeTuple : ExprBase<MakeTuple, ExprKind::MakeTuple> {
  const llvm::SmallVector<Expr, 4> components;
  /// Of two to four. An integer literal becomes f32 in the first place and i32 in the others.
  /// Throws DefinitionError where a component is neither a number nor a bool.
  static Expr make(llvm::ArrayRef<Expr> components);

 private:
  MakeTuple(DType type, llvm::ArrayRef<Expr> components)
      : ExprBase(type, TreeSize().over(components)),
        components(components.begin(), components.end()) {}
};

struct Component : ExprBase<Component, ExprKind::Component> {
  const Expr tuple;
  const unsigned position;  ///< 0: first, 1: second...
  /// Throws DefinitionError where `tuple` is none, or has fewer components.
  static Expr make(Expr tuple, unsigned position);

 private:
  Component(Expr tuple, unsigned position)
      : ExprBase(component_type(tuple.type(), position), TreeSize().over(tuple)),
        tuple(std::move(tuple)),
        position(position) {}
};
/// "first", "second", "third" or "fourth"
llvm::StringRef component_name(unsigned position);

/// The `value` of another lane of the warp. The first `lanes` lanes of the warp evaluate it
/// together, and no others.
enum class ShuffleMode : uint8_t {
  down,      ///< lane + offset; a lane that has no such partner gets any value
  exchange,  ///< lane ^ offset
};
llvm::StringRef name(ShuffleMode mode);

/// Kernel IR only.
struct Shuffle : ExprBase<Shuffle, ExprKind::Shuffle> {
  const ShuffleMode mode;
  const Expr value, offset, lanes;
  static Expr make(ShuffleMode mode, Expr value, Expr offset, Expr lanes);

 private:
  Shuffle(ShuffleMode mode, Expr value, Expr offset, Expr lanes)
      : ExprBase(value.type(), TreeSize().over(value).over(offset).over(lanes)),
        mode(mode),
        value(std::move(value)),
        offset(std::move(offset)),
        lanes(std::move(lanes)) {}
};

/// A value that a user named. It is evaluated where it stands, as if it had no name; text says it
/// before the statement, in a line of its own. Kernels have registers in its place in the end.
struct Named : ExprBase<Named, ExprKind::Named> {
  const std::string name;
  const Expr value;
  static Expr make(llvm::StringRef name, Expr value);

 private:
  Named(llvm::StringRef name, Expr value)
      : ExprBase(value.type(), TreeSize{.has_name = true}.over(value)),
        name(name.str()),
        value(std::move(value)) {}
};

/// The value of an integer constant.
inline std::optional<int64_t> as_int(const Expr& expr) {
  if (const auto* constant = llvm::dyn_cast<IntConst>(expr)) return constant->value;
  return std::nullopt;
}

inline bool is_int(const Expr& expr, int64_t value) { return as_int(expr) == value; }

/// A number, a bool, or a tuple of those.
bool is_constant(const Expr& expr);
/// A constant whose bits are all 0, as those of -0.0 are not.
bool is_zero(const Expr& expr);

}  // namespace hone

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

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>

#include "ir/storage_digits.h"
#include "ir/type.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Casting.h"

namespace hone {

enum class ExprKind : uint8_t {
#define HONE_EXPR(Name) Name,
#define HONE_STMT(Name)
#include "ir/nodes.def"
};

class Expr;

/// The size of an expression as a tree: a node that is used twice counts twice.
struct TreeSize {
  unsigned depth = 1;  ///< nodes on the longest way down
  unsigned nodes = 1;

  /// With one more operand. Throws DefinitionError where that is far too large to be worked with.
  TreeSize over(const Expr& operand) const;
  TreeSize over(llvm::ArrayRef<Expr> operands) const;
};

/// The limit of an expression: whatever walks one may recurse, and takes time for each node.
inline constexpr TreeSize largest_expression = {1000, 10000};

/// The problem with a larger one: "an expression of 20000 nodes; ..."; nothing with any other.
std::optional<std::string> size_problem(const TreeSize& size, const TreeSize& largest);

struct ExprNode : llvm::ThreadSafeRefCountedBase<ExprNode> {
  const ExprKind kind;
  const DType type;
  const TreeSize size;
  virtual ~ExprNode() = default;

 protected:
  ExprNode(ExprKind kind, DType type, TreeSize size) : kind(kind), type(type), size(size) {}
};

/// A handle to an expression; null when default-constructed, and then an operand of nothing.
class Expr {
 public:
  Expr() = default;
  explicit Expr(const ExprNode* node) : node_(node) {}
  Expr(std::integral auto value) : Expr(int_literal(static_cast<int64_t>(value))) {}
  Expr(bool value) : Expr(bool_literal(value)) {}
  Expr(std::floating_point auto value) : Expr(float_literal(static_cast<double>(value))) {}

  bool defined() const { return node_.get() != nullptr; }
  const ExprNode* get() const { return node_.get(); }
  DType type() const { return node_->type; }
  ExprKind kind() const { return node_->kind; }
  /// The same node, not merely an equal one: see ir/equal.h.
  bool same_as(const Expr& other) const { return node_ == other.node_; }

 private:
  static Expr int_literal(int64_t value);
  static Expr bool_literal(bool value);
  static Expr float_literal(double value);

  llvm::IntrusiveRefCntPtr<const ExprNode> node_;
};

/// An expression that cannot be built: operands of different types, a wrong number of indices.
class DefinitionError : public std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// ---- What expressions refer to ------------------------------------------------------------------

enum class AxisKind : uint8_t { spatial, reduction };

/// A number that no other axis, tensor or operator has; later ones are larger. An order by it is
/// the same in every run, wherever things lie in memory.
uint64_t next_id();

/// An iteration variable. Two handles are the same axis when they share the node; names are unique
/// within a function, so that text identifies an axis too.
struct AxisNode : llvm::ThreadSafeRefCountedBase<AxisNode> {
  const uint64_t id = next_id();
  std::string name;  ///< empty: a variable of proofs, which is in no function
  AxisKind kind;
  /// The declared axes that this one descends from by split, tile and fuse.
  llvm::SmallVector<std::string, 1> roots;
  /// Of a fused axis: where it is outer*inner_extent + inner. Null, and 0, for any other, and where
  /// the extent is not constant.
  llvm::IntrusiveRefCntPtr<const AxisNode> outer, inner;
  int64_t inner_extent = 0;
};
using AxisPtr = llvm::IntrusiveRefCntPtr<const AxisNode>;

/// `roots` defaults to the part of the name before the first '.'.
AxisPtr make_axis(llvm::StringRef name, AxisKind kind, llvm::ArrayRef<std::string> roots = {});
/// The axis outer*inner_extent + inner, which descends from the roots of both.
AxisPtr make_fused_axis(llvm::StringRef name, const AxisPtr& outer, const AxisPtr& inner,
                        std::optional<int64_t> inner_extent);

/// A variable of proofs: an axis without a name, which is equal to itself alone.
AxisPtr make_variable();

/// A size that is known when the kernel is launched; not negative. Its name is its identity, by
/// which sizes are given.
struct ParamNode : llvm::ThreadSafeRefCountedBase<ParamNode> {
  std::string name;
};
using ParamPtr = llvm::IntrusiveRefCntPtr<const ParamNode>;

ParamPtr make_param(llvm::StringRef name);

/// The places of the elements of a tensor, by digits of their indices. A row is what the fastest
/// digit runs through.
///
///   Layout::order({1, 0}).pad(4)       dimension 0 is the fastest; rows lie 4 elements apart
///   Layout::order({IndexDigit(1) / 64, 0, IndexDigit(1) % 64})         panels of 64 columns
struct Layout {
  llvm::SmallVector<IndexDigit, 4> digits;  ///< from the slowest to the fastest; empty: row-major
  int64_t padding = 0;                      ///< unused elements after each row
  Expr row_pitch;  ///< elements from row to row; undefined: a row and its padding
  llvm::SmallVector<Swizzle, 1> swizzles;  ///< one after the other, each on what the last one left

  /// Dimensions, or digits of their indices, from the slowest to the fastest.
  static Layout order(std::initializer_list<IndexDigit> digits) { return {digits, 0, {}, {}}; }
  static Layout row_major() { return {}; }
  /// Of a matrix.
  static Layout column_major() { return order({1, 0}); }
  Layout pad(int64_t elements) const;
  /// Rows lie `elements` apart, as those of cudaMallocPitch: a param, or an expression over params.
  Layout pitch(const Expr& elements) const;
  /// One swizzle more.
  Layout swizzle(const Swizzle& chunks) const;

  /// True if it takes indices apart.
  bool has_digits() const;
  bool is_dense() const { return padding == 0 && !row_pitch.defined() && swizzles.empty(); }
  bool is_row_major() const { return digits.empty() && is_dense(); }
};

enum class Scope : uint8_t { global, shared, registers };
llvm::StringRef name(Scope scope);

struct TensorNode : llvm::ThreadSafeRefCountedBase<TensorNode> {
  uint64_t id =
      next_id();     ///< its forms have it too: laid out, flat, at an address, the part of a thread
  std::string name;  ///< empty: a tensor of proofs, which is in no function
  DType type;
  llvm::SmallVector<Expr, 4> shape;  ///< index expressions over params and constants
  Scope scope;
  Layout layout;
  /// Kernel IR, @shared: bytes from the start of the block's shared memory; -1 in loop IR.
  int64_t address = -1;
  /// @shared: bytes, of which the address is a multiple; 0: no more than what vectors need.
  int64_t alignment = 0;

  unsigned rank() const { return shape.size(); }
};
using TensorPtr = llvm::IntrusiveRefCntPtr<const TensorNode>;

TensorPtr make_tensor(llvm::StringRef name, DType type, llvm::ArrayRef<Expr> shape,
                      Scope scope = Scope::global, Layout layout = {}, int64_t address = -1);
/// Another tensor that differs in its name alone.
TensorPtr make_twin(const TensorNode& tensor, llvm::StringRef name);
/// The same tensor at another alignment.
TensorPtr with_alignment(const TensorNode& tensor, int64_t alignment);
/// The same tensor in another form.
TensorPtr make_form(const TensorNode& tensor, llvm::ArrayRef<Expr> shape, Scope scope,
                    Layout layout = {}, int64_t address = -1);

// ---- Nodes --------------------------------------------------------------------------------------

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
      : ExprBase(tensor->type, TreeSize().over(indices)),
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

// ---- Building -----------------------------------------------------------------------------------

/// `literal` as a constant of `type` where that loses nothing, and so the literals in a tuple; any
/// other expression as it is.
Expr adapt_literal(const Expr& literal, DType type);

Expr operator+(Expr lhs, Expr rhs);
Expr operator-(Expr lhs, Expr rhs);
Expr operator*(Expr lhs, Expr rhs);
Expr operator/(Expr lhs, Expr rhs);
Expr operator%(Expr lhs, Expr rhs);
Expr operator&(Expr lhs, Expr rhs);
Expr operator|(Expr lhs, Expr rhs);
Expr operator^(Expr lhs, Expr rhs);
Expr operator<<(Expr lhs, Expr rhs);
Expr operator>>(Expr lhs, Expr rhs);
Expr operator-(Expr operand);
Expr operator!(Expr operand);
Expr operator~(Expr operand);
Expr operator==(Expr lhs, Expr rhs);
Expr operator!=(Expr lhs, Expr rhs);
Expr operator<(Expr lhs, Expr rhs);
Expr operator<=(Expr lhs, Expr rhs);
Expr operator>(Expr lhs, Expr rhs);
Expr operator>=(Expr lhs, Expr rhs);
Expr operator&&(Expr lhs, Expr rhs);
Expr operator||(Expr lhs, Expr rhs);
Expr min(Expr lhs, Expr rhs);
Expr max(Expr lhs, Expr rhs);
Expr select(Expr condition, Expr if_true, Expr if_false);
Expr cast(DType type, Expr operand);
/// Two to four numbers or bools as one value, and the components of such a value.
Expr pair(Expr first, Expr second);
Expr tuple(Expr first, Expr second, Expr third);
Expr tuple(Expr first, Expr second, Expr third, Expr fourth);
Expr first(Expr tuple);
Expr second(Expr tuple);
Expr third(Expr tuple);
Expr fourth(Expr tuple);

}  // namespace hone

/// llvm::isa, cast and dyn_cast see through the handle: `dyn_cast<Load>(expr)` is a const Load*.
template <>
struct llvm::simplify_type<hone::Expr> {
  using SimpleType = const hone::ExprNode*;
  static SimpleType getSimplifiedValue(const hone::Expr& expr) { return expr.get(); }
};
template <>
struct llvm::simplify_type<const hone::Expr> : llvm::simplify_type<hone::Expr> {};

namespace hone {

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

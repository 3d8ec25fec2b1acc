// The computation: sizes, axes, tensors, and definitions over them.
//
//   Param M("M"), N("N"), K("K");
//   Tensor A("A", f32, {M, K}), B("B", f32, {K, N}), C("C", f32, {M, N});
//   Axis i("i", M), j("j", N);
//   ReduceAxis k("k", K);
//   Program matmul("matmul", C(i, j) = sum(k, A(i, k) * B(k, j)));
//
// Everything is a value. A definition that cannot be meant throws DefinitionError, and so does an
// Expr that has not been given a value.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>

#include "ir/core/stmt.h"
#include "ir/interpret/buffer.h"

namespace hone {

/// A size that is known when a kernel is launched.
class Param {
 public:
  explicit Param(llvm::StringRef name, Location location = Location::current());
  operator Expr() const { return ParamRef::make(node_); }
  const std::string& name() const { return node_->name; }

 private:
  ParamPtr node_;
};

/// An axis of the iteration space, running through 0..extent. The axes that primitives return are
/// of this type too.
class Axis {
 public:
  Axis(llvm::StringRef name, const Expr& extent, Location location = Location::current())
      : Axis(name, extent, AxisKind::spatial, location) {}
  /// A loop of a function.
  Axis(AxisPtr node, Expr extent);

  operator Expr() const { return AxisRef::make(node_); }
  const std::string& name() const { return node_->name; }
  const Expr& extent() const { return extent_; }
  const AxisPtr& node() const { return node_; }

 protected:
  Axis(llvm::StringRef name, const Expr& extent, AxisKind kind, Location location);

 private:
  AxisPtr node_;
  Expr extent_;
};

/// An axis that a reduction runs over.
class ReduceAxis : public Axis {
 public:
  ReduceAxis(llvm::StringRef name, const Expr& extent, Location location = Location::current())
      : Axis(name, extent, AxisKind::reduction, location) {}
  /// A loop over a part of a reduction axis. Throws DefinitionError for any other.
  explicit ReduceAxis(const Axis& loop, Location location = Location::current());
};

/// A reduction of `value` over `axes`, on the right-hand side of a definition, and the operations
/// on its result.
struct Reduction {
  llvm::SmallVector<ReduceAxis, 2> axes;
  Expr identity, value;
  Update update = Update::set;
  /// Of a user's own operator that is not declared associative; empty for any other.
  std::function<Expr(Expr accumulator, Expr value)> combine = {};
  /// From the reduced value to the element that is defined; empty where they are the same.
  std::function<Expr(Expr reduced)> epilogue = {};
  OperatorPtr op = nullptr;  ///< of Update::custom

  /// The same reduction with one more step behind it. Arithmetic with expressions says the same:
  ///
  ///   norm(i) = sum(k, A(i, k) * A(i, k)).then([](Expr total) { return sqrt(total); })
  ///   D(i, j) = alpha() * sum(k, A(i, k) * B(k, j)) + beta() * C(i, j)
  Reduction then(std::function<Expr(Expr reduced)> step,
                 Location location = Location::current()) const;
  /// The value of the definition, made of the reduced value.
  Expr finished(const Expr& reduced) const { return epilogue ? epilogue(reduced) : reduced; }
  /// The value that is combined with an element; the element itself is `accumulator`.
  Expr combined(const Expr& accumulator) const {
    return combine ? combine(accumulator, value) : value;
  }
  /// Without the rest around it: "sum(k, A(i, k) * B(k, j))".
  std::string text() const;
};

using ReduceAxes = std::initializer_list<ReduceAxis>;

Reduction sum(const ReduceAxis& axis, const Expr& value, Location location = Location::current());
Reduction sum(ReduceAxes axes, const Expr& value, Location location = Location::current());
Reduction product(const ReduceAxis& axis, const Expr& value,
                  Location location = Location::current());
Reduction product(ReduceAxes axes, const Expr& value, Location location = Location::current());
/// A NaN loses against a number, as in fmax; where all values are NaN, the result is -inf.
Reduction max(const ReduceAxis& axis, const Expr& value, Location location = Location::current());
Reduction max(ReduceAxes axes, const Expr& value, Location location = Location::current());
Reduction min(const ReduceAxis& axis, const Expr& value, Location location = Location::current());
Reduction min(ReduceAxes axes, const Expr& value, Location location = Location::current());
/// Of bools.
Reduction any(const ReduceAxis& axis, const Expr& value, Location location = Location::current());
Reduction any(ReduceAxes axes, const Expr& value, Location location = Location::current());
Reduction all(const ReduceAxis& axis, const Expr& value, Location location = Location::current());
Reduction all(ReduceAxes axes, const Expr& value, Location location = Location::current());

/// The largest value and its index: a pair of an f32, f64, i32 or i64 and an i32 or i64. Bools and
/// types that are narrower become f32. Of equal values the first one counts, and a NaN is above all
/// numbers, as numpy has it. Without values: the least value of the type, and the largest of
/// `index`. With an i32 there are at most 2147483648 values: others are refused, at a launch if
/// they are not constant. Throws DefinitionError where `index` is another type.
///
///   best() = argmax(k, A(k))             a Tensor best("best", f32_i32, {}) of floats
///   index() = second(best())
///   place() = argmax(k, B(k), i64)       a Tensor place("place", tuple_of({i64, i64}), {}) of i64
Reduction argmax(const ReduceAxis& axis, const Expr& value, DType index = i32,
                 Location location = Location::current());
/// The same with the smallest value; a NaN is below all numbers. Without values: the greatest value
/// of the type, and the largest of `index`.
Reduction argmin(const ReduceAxis& axis, const Expr& value, DType index = i32,
                 Location location = Location::current());

struct OperatorOptions {
  /// In the text of the program, where operators of one name are the same.
  std::string name = "combine";
  /// A promise: the operator is associative and commutative, and its identity does not change a
  /// combined value. Schedules may then regroup and reorder it, as they may a sum.
  bool associative = false;
};

/// A user's own operator. Schedules keep its order, unless it is declared associative:
///
///   largest() = reduce({k}, 0.0, A(k), [](Expr x, Expr y) { return max(abs(x), abs(y)); },
///                      {.name = "absmax", .associative = true});
///
/// An operator that is declared so is made of its two operands and constants alone, and its
/// identity is a constant. The promise is tried on numbers of all sizes, without rounding, and
/// refused where it fails for some. Integers in tuples of three and four are tried above 0 alone.
///
/// Two values are reduced at once as a pair, of which `first` and `second` are the components, and
/// three or four as a tuple; they may be numbers and bools of any types:
///
///   moments(i) = reduce({k}, pair(0.0, 0.0), pair(A(i, k), A(i, k) * A(i, k)),
///                       [](Expr x, Expr y) {
///                         return pair(first(x) + first(y), second(x) + second(y));
///                       },
///                       {.name = "add_both", .associative = true});
///   extent(i) = reduce({k}, tuple(infinity, -infinity, 0), tuple(A(i, k), A(i, k), 1),
///                      [](Expr x, Expr y) {
///                        return tuple(min(first(x), first(y)), max(second(x), second(y)),
///                                     third(x) + third(y));
///                      },
///                      {.name = "extent", .associative = true});
Reduction reduce(ReduceAxes axes, const Expr& identity, const Expr& value,
                 std::function<Expr(Expr accumulator, Expr value)> combine,
                 OperatorOptions options = {}, Location location = Location::current());

Reduction operator+(const Reduction& lhs, const Expr& rhs);
Reduction operator+(const Expr& lhs, const Reduction& rhs);
Reduction operator-(const Reduction& lhs, const Expr& rhs);
Reduction operator-(const Expr& lhs, const Reduction& rhs);
Reduction operator*(const Reduction& lhs, const Expr& rhs);
Reduction operator*(const Expr& lhs, const Reduction& rhs);
Reduction operator/(const Reduction& lhs, const Expr& rhs);
Reduction operator/(const Expr& lhs, const Reduction& rhs);
Reduction operator-(const Reduction& operand);
/// C(i, j) = cast(bf16, sum(k, ...)): the sums have a temporary of their own type, C.acc.
Reduction cast(DType type, const Reduction& operand);
Reduction max(const Reduction& lhs, const Expr& rhs);
Reduction max(const Expr& lhs, const Reduction& rhs);
Reduction min(const Reduction& lhs, const Expr& rhs);
Reduction min(const Expr& lhs, const Reduction& rhs);

// A definition has one reduction: these throw DefinitionError.
Reduction operator+(const Reduction& lhs, const Reduction& rhs);
Reduction operator-(const Reduction& lhs, const Reduction& rhs);
Reduction operator*(const Reduction& lhs, const Reduction& rhs);
Reduction operator/(const Reduction& lhs, const Reduction& rhs);
Reduction max(const Reduction& lhs, const Reduction& rhs);
Reduction min(const Reduction& lhs, const Reduction& rhs);

/// The value that an element gets:
///
///   D(i, j) = A(i, j) + B(i, j)
///   C(i, j) = sum(k, A(i, k) * B(k, j))
///   C(i, j) += sum(k, A(i, k) * B(k, j))        in place: C comes with values, which are added to
///   X(i) = X(i) * scale(i)                      in place
struct Definition {
  TensorPtr tensor;
  llvm::SmallVector<Axis, 4> axes;     ///< those among the indices
  llvm::SmallVector<Expr, 4> indices;  ///< one per dimension of the tensor
  Expr value;                          ///< undefined where `reduction` is the right-hand side
  Reduction reduction;
  Update update = Update::set;  ///< of the value that the element has
  bool is_output = false;       ///< although other definitions read the tensor
  Location location = {};       ///< of its left-hand side
  /// A temporary C.acc of the shape of C, where the values that are reduced have another type than
  /// the element, which is made of their result.
  TensorPtr accumulator = nullptr;
  /// The sizes for which the indices lie within their tensors; a launch checks them.
  llvm::SmallVector<SizeCheck, 2> conditions = {};

  /// The tensor that a reduction combines into.
  const TensorPtr& reduced() const { return accumulator ? accumulator : tensor; }
  bool is_reduction() const { return !value.defined(); }
  /// True if the new value of an element depends on its old one.
  bool is_in_place() const;
  /// True if `expr` reads the element that is defined.
  bool is_own_element(const Expr& expr) const;
  /// As written: "C(i, j) = sum(k, A(i, k) * B(k, j))".
  std::string text() const;
};

/// The tensor of the definition is an argument of the program, which callers see, also where other
/// definitions read it:
///
///   Program jacobi("jacobi", output(New(i) = (Old(i) + Old(i + 2)) / 2),
///                  residual() = max(i, abs(New(i) - Old(i + 1))));
Definition output(Definition definition);

/// One element of a tensor: an operand, or the left-hand side of a definition. An integer may stand
/// for an index.
///
/// A reduction may say for each value which element it is combined into. All elements start at its
/// identity; several dimensions, and spatial axes among them, are as usual:
///
///   histogram(data(k)) = sum(k, 1)                   how many k there are with that data(k)
///   largest(i, bin(i, k)) = max(k, A(i, k))
class Element {
 public:
  Element(TensorPtr tensor, llvm::ArrayRef<Expr> indices, llvm::ArrayRef<Axis> axes,
          Location location = {});

  operator Expr() const {
    return located<DefinitionError>(location_, [&] { return Load::make(tensor_, indices_); });
  }
  Definition operator=(const Expr& value) const;
  Definition operator=(const Element& value) const { return *this = Expr(value); }
  Definition operator=(const Reduction& reduction) const;
  /// The element keeps its value, and the value, or the values of the reduction, are added to it:
  /// the reduction is a sum, for *= a product. A maximum goes on by C(i) = max(C(i), max(k, ...)).
  Definition operator+=(const Expr& value) const;
  Definition operator+=(const Reduction& reduction) const;
  Definition operator-=(const Expr& value) const { return *this += -value; }
  Definition operator-=(const Reduction& reduction) const;
  Definition operator*=(const Expr& value) const;
  Definition operator*=(const Reduction& reduction) const;
  Element(const Element&) = default;

  const TensorPtr& tensor() const { return tensor_; }
  llvm::ArrayRef<Expr> indices() const { return indices_; }

 private:
  /// The definition that `complete` makes of one without a value.
  Definition define(llvm::function_ref<void(Definition&)> complete) const;
  void check() const;
  Definition elementwise(Update update, const Expr& value) const;
  Definition accumulation(Update update, const Reduction& reduction) const;
  void check_axis(const Axis& axis, size_t dim) const;

  TensorPtr tensor_;
  llvm::SmallVector<Expr, 4> indices_;
  llvm::SmallVector<Axis, 4> axes_;  ///< the indices that are plain axes
  Location location_;
};

/// An array: its element type, its shape, and where its elements lie. Arguments of a kernel live in
/// global memory.
///
///   Tensor A("A", f32, {M, K});                            dense, row-major
///   Tensor B("B", f32, {K, N}, Layout::column_major());
///   Tensor C("C", f32, {M, N}, Layout().pitch(ldc));       rows lie ldc elements apart
///   Tensor alpha("alpha", f32, {});                        one element, alpha()
class Tensor {
 public:
  Tensor(llvm::StringRef name, DType type, std::initializer_list<Expr> shape,
         const Layout& layout = {}, Location location = Location::current());
  /// A tensor of a function.
  explicit Tensor(TensorPtr node);

  /// An index, and the place of the element that it is an index of.
  struct FirstIndex {
    template <class Index>
    FirstIndex(const Index& index, Location location = Location::current())
        : index(index), location(location) {
      append_axis(axis, index);
    }
    Expr index;
    llvm::SmallVector<Axis, 1> axis;  ///< where it is a plain one
    Location location;
  };

  template <class... More>
  Element operator()(const FirstIndex& first, const More&... more) const {
    llvm::SmallVector<Axis, 4> axes(first.axis.begin(), first.axis.end());
    (append_axis(axes, more), ...);
    return element({first.index, Expr(more)...}, axes, first.location);
  }
  Element operator()(Location location = Location::current()) const {
    return element({}, {}, location);
  }

  const std::string& name() const { return node_->name; }
  const TensorPtr& node() const { return node_; }

 private:
  Element element(llvm::ArrayRef<Expr> indices, llvm::ArrayRef<Axis> axes,
                  const Location& location) const;
  /// An element that is an integer, as an index.
  Expr as_index(const Expr& expr) const;

  template <class Index>
  static void append_axis(llvm::SmallVectorImpl<Axis>& axes, const Index& index) {
    if constexpr (std::is_base_of_v<Axis, Index>) axes.push_back(index);
  }

  TensorPtr node_;
};

/// A value with a name, which the text of the loops and the kernel have too. It is evaluated where
/// it stands, as without the name:
///
///   const Expr x = let("x", (cast(f32, i) + 0.5) * scale() - 0.5);
///   Y(i) = x * x
///
/// Throws DefinitionError for an index: indices are simplified, and code generation names them.
Expr let(llvm::StringRef name, const Expr& value, Location location = Location::current());

Expr exp(const Expr& x);
Expr log(const Expr& x);
Expr sqrt(const Expr& x);
Expr rsqrt(const Expr& x);
Expr sin(const Expr& x);
Expr cos(const Expr& x);
Expr tanh(const Expr& x);
/// tanh, off by 2^-11 of it at most, where a GPU has an instruction for that: `tanh.approx.f32`,
/// since sm_75. Elsewhere, and for f64, it is tanh.
Expr tanh_approx(const Expr& x);
Expr erf(const Expr& x);
Expr abs(const Expr& x);
Expr floor(const Expr& x);
Expr ceil(const Expr& x);
/// To the nearest integer; of two that are as near, to the even one, as numpy and rint have it.
Expr round(const Expr& x);
Expr pow(const Expr& x, const Expr& y);
Expr fma(const Expr& x, const Expr& y, const Expr& z);

/// One or more definitions, in order. Tensors that are only read are inputs, tensors that are
/// defined and not read are outputs, and tensors that are defined and then read are temporaries,
/// unless `output` says that callers see them. A tensor whose first definition is in place comes
/// with values, and is an output too. Only definitions in place may follow a definition of the same
/// tensor.
class Program {
 public:
  /// A name, and the place of the program that it is the name of.
  struct Name {
    template <class Text>
    Name(const Text& text, Location location = Location::current())
        : text(text), location(location) {}
    llvm::StringRef text;
    Location location;
  };

  template <class... More>
  Program(const Name& name, const Definition& first, const More&... more)
      : Program(name, llvm::ArrayRef<Definition>({first, more...})) {}
  Program(const Name& name, llvm::ArrayRef<Definition> definitions);

  /// The program without a schedule: one loop nest per definition. Arguments are the inputs in the
  /// order of first use, then the outputs.
  const Function& function() const { return function_; }

 private:
  void add(llvm::ArrayRef<Definition> definitions);

  Function function_;
};

/// The program that a text spells: its arguments, with names that are new as params, and
/// definitions as `Definition::text` has them. An axis runs through the dimensions that it is an
/// index of; where it is none by itself, or a result is to have another type or shape, the text
/// says so:
///
///   matmul(A: f32[M, K], B: f32[K, N]) -> C(i, j) = sum(k, A(i, k) * B(k, j))
///   blur(X: f32[N]) -> Y(i): f32[N - 2] = sum(r: 3, X(i + r)) / 3
///
/// Sizes in `fixed` are constants. Throws ParseError.
Program parse_program(llvm::StringRef text, const Sizes& fixed = {});

}  // namespace hone

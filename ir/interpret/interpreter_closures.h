// The closures that the interpreter runs: compiled IR, for one set of sizes. Axes are cells and
// tensors are storages that the closures point to, so that running looks nothing up.
#pragma once

#include <deque>
#include <functional>

#include "ir/interpret/interpreter.h"
#include "ir/interpret/interpreter_storage.h"
#include "llvm/ADT/StringMap.h"

namespace hone::detail {

/// The value of an axis, and the cell of the axis around it.
struct AxisCell {
  const AxisNode* axis;
  const AxisCell* outer;
  int64_t value = 0;
};

/// Throws InterpretError: "where: what (i = 3, j = 0)".
[[noreturn]] void fail(llvm::StringRef where, llvm::StringRef what, const AxisCell* around);

/// The value of `param`. Throws std::invalid_argument where there is none, or it is negative.
int64_t size_of_param(const ParamNode& param, const Sizes& sizes);

using Evaluate = std::function<Scalar()>;
using Execute = std::function<void()>;

/// One access `T[e0, e1]`.
struct Access {
  Expr expr;  ///< as a load, to be shown in errors
  Storage* storage;
  llvm::SmallVector<Evaluate, 4> indices;
  const AxisCell* around;

  /// The place of the element; fails if an index is outside.
  int64_t position() const;
  /// Fails when nothing has written the element.
  Scalar read(int64_t position) const;
};

/// Writes an element.
using Move = std::function<void(const Access& target)>;

/// Compiles expressions and statements. Owns what the closures point to, hence outlives them.
class Closures {
 public:
  explicit Closures(const Sizes& sizes) : sizes_(sizes) {}

  void bind(const TensorNode& argument, Buffer& buffer);

  Evaluate compile(const Expr& expr);
  Execute compile(const Stmt& stmt);

 private:
  Evaluate compile_axis(const AxisNode* axis) const;
  Evaluate compile_unary(const Expr& expr, const Unary& unary);
  Evaluate compile_binary(const Expr& expr, const Binary& binary);
  Evaluate compile_select(const Select& select);
  Evaluate compile_call(const Call& call);
  Evaluate compile_tuple(const MakeTuple& tuple);
  Execute compile_for(const For& loop);
  Execute compile_let(const Let& let);
  Move compile_move(const Expr& value);
  Execute compile_store(const Store& store);
  Execute compile_alloc(const Alloc& alloc);
  Execute compile_copy(const Stmt& stmt, const Copy& copy);

  Access access(const TensorPtr& tensor, llvm::ArrayRef<Expr> indices);
  Storage* storage_of(const TensorNode& tensor) const;
  AxisCell* enter(const AxisPtr& axis);

  const Sizes& sizes_;
  std::deque<AxisCell> cells_;
  std::deque<Storage> storages_;
  // The scope at the point of compilation.
  const AxisCell* innermost_ = nullptr;
  llvm::StringMap<Storage*> tensors_;  ///< by name
};

}  // namespace hone::detail

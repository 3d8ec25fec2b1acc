// The memory that statements touch.
#pragma once

#include "ir/core/stmt.h"

namespace hone {

using AxisRange = std::pair<AxisPtr, Expr>;  ///< an axis and its extent

/// A read or a write of a tensor, with the loops that stand between it and the statement that was
/// asked about.
struct MemoryAccess {
  TensorPtr tensor;
  llvm::SmallVector<Expr, 4> indices;
  bool writes = false;
  Update update = Update::set;  ///< of a write: how it combines; anything but `set` reads too
  Stmt statement;
  llvm::SmallVector<AxisRange, 4> inner;
  llvm::SmallVector<Expr, 2> guards;  ///< conditions under which it happens
  /// Tensors that indices and guards read and the statement changes: two instances of the access
  /// may find different values there.
  llvm::SmallVector<TensorPtr, 1> changing = {};
  Timeline timeline = Timeline::thread;  ///< who makes it
  /// The copy that moves the elements, and clips them to the tensor; null of others, among them
  /// those that the places of a copy read.
  const Copy* copy = nullptr;

  /// As it stands in the text, lets spelled out: "C[i, j]", "C[i .. +8, j]".
  std::string text() const;
};
using Accesses = llvm::SmallVector<MemoryAccess, 8>;

/// Every access in `stmt` to memory that lives outside it, in the order of the text.
Accesses collect_accesses(const Stmt& stmt);

/// The number of accesses of `stmt` to the tensor, which lives outside it.
size_t count_accesses(const Stmt& stmt, const TensorPtr& tensor);
bool touches(const Stmt& stmt, const TensorPtr& tensor);
bool writes(const Stmt& stmt, const TensorPtr& tensor);
bool reads(const Expr& expr, const TensorPtr& tensor);

/// Both touch one tensor, and at least one writes.
bool conflict(const MemoryAccess& lhs, const MemoryAccess& rhs);
/// The first access that writes a tensor which `value` reads; null where its value cannot change.
const MemoryAccess* find_change(const Expr& value, llvm::ArrayRef<MemoryAccess> accesses);
/// Both are the same `op=`: their order does not matter, up to rounding.
bool commute(const MemoryAccess& lhs, const MemoryAccess& rhs);

}  // namespace hone

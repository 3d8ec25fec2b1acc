// What is known where an expression stands: the ranges of the axes around it and the guards that
// hold. Params are not negative everywhere.
#pragma once

#include <utility>

#include "ir/stmt.h"

namespace hone {

class Facts {
 public:
  /// Inside a loop: 0 <= axis < extent, and so extent >= 1. The latest statement about an axis
  /// counts.
  void add_axis(const AxisPtr& axis, const Expr& extent) { axes_.push_back({axis, extent, {}}); }
  /// Inside a let: axis == value. A value that reads a tensor says nothing: stores may change it.
  void define(const AxisPtr& axis, const Expr& value);
  /// A condition that holds; a conjunction counts as its parts. A part that reads a tensor is not
  /// kept, since a store may end it.
  void assume(const Expr& condition);

  /// The extent of an axis; undefined when nothing is known about it.
  Expr extent(const AxisNode* axis) const;
  /// The value of an axis that a let defines; undefined for any other.
  Expr value(const AxisNode* axis) const;
  llvm::ArrayRef<Expr> conditions() const { return conditions_; }
  /// The extents of all axes, outermost first.
  llvm::SmallVector<Expr, 8> extents() const;

  /// `rewind` forgets what was added since `mark`: facts follow the nesting of the text.
  struct Mark {
    size_t axes, conditions;
  };
  Mark mark() const { return {axes_.size(), conditions_.size()}; }
  void rewind(Mark mark);

 private:
  struct Known {
    AxisPtr axis;
    Expr extent, value;  ///< at most one of them
  };
  const Known* find(const AxisNode* axis) const;

  llvm::SmallVector<Known, 8> axes_;
  llvm::SmallVector<Expr, 4> conditions_;
};

/// What assumptions say about the params.
Facts facts_of(llvm::ArrayRef<Expr> assumptions);

/// The comparison that is true exactly where `op` is false, over a totally ordered type.
BinaryOp opposite(BinaryOp op);

/// The condition that holds where `condition` does not; undefined where no operator says it.
Expr negated(const Expr& condition);

/// Whether the value depends on the elements of a tensor.
bool reads_tensor(const Expr& expr);

}  // namespace hone

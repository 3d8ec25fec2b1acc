// Differences between the iterations of a loop.
#pragma once

#include "ir/analysis/site.h"
#include "llvm/ADT/DenseSet.h"

namespace hone {

/// The tensors that iterations of a loop fill with values of their own: from its axis, or from
/// other such tensors.
class AxisDependence {
 public:
  explicit AxisDependence(const For& loop);

  /// True if iterations write different values to `tensor`, or to different elements of it.
  bool reaches(const TensorNode& tensor) const { return tensors_.contains(&tensor); }
  /// A condition between the loop and `stmt` inside it that differs; null where there is none.
  Expr guard_around(const StmtNode& stmt) const;

 private:
  bool differs(const Expr& expr) const;
  bool spreads(const Stmt& stmt, bool is_divergent);
  Expr guard_around(const Stmt& stmt, const StmtNode& target, bool& found) const;

  const For& loop_;
  llvm::DenseSet<const AxisNode*> axes_;  ///< that of the loop, and lets
  llvm::DenseSet<const TensorNode*> tensors_;
};

}  // namespace hone

// The part of a tensor that a statement touches: a box with a symbolic corner and constant extents.
#pragma once

#include "ir/analysis/dependence.h"
#include "ir/schedule/site.h"

namespace hone {

/// Per dimension: `base`, the same for all accesses and fixed while the statement runs, and the
/// number of elements from there.
struct Box {
  llvm::SmallVector<Expr, 4> base;
  llvm::SmallVector<int64_t, 4> extents;

  /// One element.
  bool is_point() const;
};

/// The box of `tensor` that `stmt` touches, where `facts` hold around it. Refuses a tensor that it
/// does not touch, accesses with different corners, and extents that are not constant.
Box touched_box(const Preconditions& check, const StmtNode* stmt, const Accesses& accesses,
                const TensorPtr& tensor, const Facts& facts);

/// The part of `index` that moves within the box: index - base.
Expr offset_in_box(const Expr& index, const Expr& base, const Facts& facts);

}  // namespace hone

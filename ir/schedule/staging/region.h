// The part of a tensor that a statement touches: a box with a symbolic corner and constant extents.
#pragma once

#include "ir/analysis/dependence.h"
#include "ir/schedule/legality/preconditions.h"

namespace hone {

/// Per dimension: `base`, the same for all accesses and fixed while the statement runs, and the
/// number of elements from there, `stride` apart.
struct Box {
  llvm::SmallVector<Expr, 4> base;
  llvm::SmallVector<int64_t, 4> extents, strides;

  /// One element.
  bool is_point() const;
};

/// The box of `tensor` that `stmt` touches, where `facts` hold around it. Refuses a tensor that it
/// does not touch, accesses with different corners, and extents that are not constant.
Box touched_box(const Preconditions& check, const StmtNode* stmt, const Accesses& accesses,
                const TensorPtr& tensor, const Facts& facts);

/// True where loops of constant extents, and corners that do not depend on them, make the part of
/// `tensor` that the accesses touch a box.
bool has_constant_size(const Accesses& accesses, const TensorPtr& tensor);

/// `box` without the elements between those that are touched: C[w*4 + t] for w in 0..8 takes every
/// fourth.
Box without_gaps(Box box, const Accesses& accesses, const TensorPtr& tensor);

/// `box` with as many elements more, on both ends of its rows, as make those whole vectors where
/// vectors of the tensor begin: A[i*128 .. +130] takes 132 elements. As it is where nothing is
/// known of where it begins.
Box in_whole_vectors(Box box, const TensorNode& tensor, int64_t vector, const Facts& facts);

/// The position of an index in one dimension of the box: (index - base) / stride.
Expr position_in_box(const Expr& index, const Box& box, size_t dim, const Facts& facts);

}  // namespace hone

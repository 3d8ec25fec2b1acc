// Where elements lie in memory: the one place that turns the indices of a tensor into those of its
// storage. Readers and writers all go through it.
#pragma once

#include "ir/expr.h"

namespace hone {

/// Dimensions from the slowest to the fastest.
llvm::SmallVector<int, 4> storage_order(const TensorNode& tensor);

/// The dimension whose neighbours lie side by side; of a tensor that has dimensions.
int fastest_dim(const TensorNode& tensor);

/// Elements from the start of a row to that of the next: the extent of the fastest dimension, with
/// what the layout adds.
Expr row_pitch(const TensorNode& tensor);

/// Extents in storage, from the slowest dimension to the fastest, which is as long as the pitch.
llvm::SmallVector<Expr, 4> storage_shape(const TensorNode& tensor);

/// Indices in storage: in storage order, the last one swizzled.
llvm::SmallVector<Expr, 4> storage_indices(const TensorNode& tensor, llvm::ArrayRef<Expr> indices);

/// Elements from the start of the storage.
Expr storage_offset(const TensorNode& tensor, llvm::ArrayRef<Expr> indices);

/// Elements of the storage; 1 without dimensions.
Expr storage_size(const TensorNode& tensor);

/// A global tensor as the body of a kernel indexes it: by one offset in elements.
TensorPtr flattened(const TensorNode& tensor);

/// Why the layout does not fit the tensor: "its order does not name each of 2 dimensions once";
/// nothing where it fits.
std::optional<std::string> layout_problem(const TensorNode& tensor);

/// As in the text: " @order(1, 0) @pad(4) @pitch(lda) @swizzle(4, 8, 4)"; empty for row-major.
std::string to_string(const Layout& layout);

/// `tensor` under another layout: a new tensor, which is to take the place of the old one.
TensorPtr with_layout(const TensorNode& tensor, const Layout& layout);

}  // namespace hone

// The places of elements in memory: the one file that turns the indices of a tensor into those of
// its storage. Readers and writers all go through it.
#pragma once

#include "ir/core/expr.h"

namespace hone {

/// Digits of the indices from the slowest to the fastest: what the storage is indexed by.
llvm::SmallVector<IndexDigit, 4> storage_digits(const TensorNode& tensor);

/// Dimensions from the slowest to the fastest; one that has several digits stands where its fastest
/// one does.
llvm::SmallVector<int, 4> storage_order(const TensorNode& tensor);

/// The dimension whose neighbours lie side by side; of a tensor that has dimensions.
int fastest_dim(const TensorNode& tensor);

/// Elements from the start of a row to that of the next: the values of the fastest digit, with what
/// the layout adds.
Expr row_pitch(const TensorNode& tensor);

/// Extents in storage, from the slowest digit to the fastest, which is as long as the pitch.
llvm::SmallVector<Expr, 4> storage_shape(const TensorNode& tensor);

/// Indices in storage: a digit each, swizzled.
llvm::SmallVector<Expr, 4> storage_indices(const TensorNode& tensor, llvm::ArrayRef<Expr> indices);

/// Elements from the start of the storage.
Expr storage_offset(const TensorNode& tensor, llvm::ArrayRef<Expr> indices);

/// Elements of the storage; 1 without dimensions.
Expr storage_size(const TensorNode& tensor);

/// A global tensor as the body of a kernel indexes it: by one offset in elements.
TensorPtr flattened(const TensorNode& tensor);

/// The swizzles of the tensor, each with the two digits of storage that it is about. One by the
/// number of a row is one by each of the digits before the fastest that tell apart rows with
/// different permutations.
llvm::SmallVector<Swizzle, 2> named_swizzles(const TensorNode& tensor);

/// As in the text: " @order(1, 0) @pad(4) @pitch(lda) @swizzle(4, 8, 4)"; empty for row-major.
/// Digits are "1/64" and "1%64", and a swizzle of digits that it names "@swizzle(4, 8, 4, 2 ^ 0)".
std::string to_string(const Layout& layout);

/// "1", "1/64", "1%64", "1/8%8".
std::string to_string(const IndexDigit& digit);

/// The layout with one dimension more, 0, which is the slowest.
Layout with_slowest_dim(Layout layout);

/// `tensor` under another layout: a new tensor, which is to take the place of the old one.
TensorPtr with_layout(const TensorNode& tensor, const Layout& layout);

}  // namespace hone

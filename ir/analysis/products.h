// Sums of products of elements: what tensor cores compute.
#pragma once

#include <optional>

#include "ir/core/stmt.h"

namespace hone {

/// The factors of a product of any number of them, from left to right; the value alone if it is no
/// product.
llvm::SmallVector<Expr, 4> factors_of(const Expr& value);

/// The type of the elements, if the store adds a product of elements of two tensors of one type,
/// converted or not, or zero where a condition says so: bf16 of
/// C[i, j] += f32(A[i, k]) * f32(B[k, j]). A product of converted ones may have other factors, too:
/// scales that are no converted elements.
std::optional<DType> product_type(const Store& store);

}  // namespace hone

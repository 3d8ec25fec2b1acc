// The arithmetic of instructions of tensor cores, by their meaning: lanes that issue one together
// add products of the elements that they have.
#pragma once

#include <optional>

#include "ir/core/instr.h"

namespace hone {

struct TensorOperations {
  /// Of all lanes together, divided by their number: the product and the sum are two.
  int64_t per_lane = 0;
  DType type = f32;  ///< of the elements that are multiplied
};

/// Nothing if lanes do not issue the statement together, or add no products.
std::optional<TensorOperations> tensor_operations(const Stmt& stmt);

}  // namespace hone

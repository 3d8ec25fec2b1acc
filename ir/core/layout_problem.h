// The rules by which a layout fits a tensor.
#pragma once

#include "ir/core/expr.h"

namespace hone {

/// The reason that the layout does not fit the tensor: "its order does not name each of 2
/// dimensions once"; nothing where it fits.
std::optional<std::string> layout_problem(const TensorNode& tensor);

}  // namespace hone

// Tensors whose elements are indices.
#pragma once

#include "ir/interpret/buffer.h"

namespace hone {

/// The extent of the least dimension, with these sizes, in which elements of the tensor are indices
/// as they are: "table[index(place[i])]". 0 where they are none. Tensors count by their names.
int64_t index_extent(const Function& function, const TensorNode& tensor, const Sizes& sizes);

}  // namespace hone

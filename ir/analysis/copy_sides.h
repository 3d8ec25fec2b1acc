// The two sides of a copy, and the dimension that its vectors lie along.
#pragma once

#include <optional>

#include "ir/core/stmt.h"

namespace hone {

/// The side whose elements must lie side by side: global memory before shared memory, and memory
/// before registers.
const Region& memory_side(const Copy& copy);

/// The dimension of the copy, among those that are no points, that vectors lie along; nothing where
/// memory has none.
std::optional<size_t> vector_dim(const Copy& copy);

}  // namespace hone

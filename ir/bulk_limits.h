// Limits of the copy engine of a GPU.
#pragma once

#include <cstdint>

namespace hone {

inline constexpr int64_t most_bulk_extent = 256;  ///< of a box, in each dimension
inline constexpr int64_t most_bulk_rank = 5;
inline constexpr int64_t bulk_row_bytes = 16;  ///< rows, of tensors and boxes, are multiples of it

/// The swizzle that rows of so many bytes can have; 0 where there is none.
constexpr int64_t bulk_swizzle(int64_t row_bytes) {
  return row_bytes == 32 || row_bytes == 64 || row_bytes == 128 ? row_bytes : 0;
}

}  // namespace hone

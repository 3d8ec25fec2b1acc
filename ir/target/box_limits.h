// The one table of what the copy engine of a GPU takes: what a tensor map wants of a tensor and of
// a box (cuTensorMapEncodeTiled), and the engine of the place of a box.
#pragma once

#include <cstdint>

namespace hone {

inline constexpr int64_t most_box_extent = 256;  ///< of a box, in each dimension
inline constexpr int64_t most_box_rank = 5;

/// Bytes, of which these are multiples: the address of a tensor, the distance of its rows, the rows
/// of a box, and the column at which a box starts. The engine writes in pieces of so many.
inline constexpr int64_t box_row_bytes = 16;

/// Bytes, of which the address of a tile is a multiple.
inline constexpr int64_t box_tile_bytes = 128;

inline constexpr int64_t most_map_stride = (int64_t{1} << 40) - 1;  ///< bytes between rows
inline constexpr int64_t most_map_elements = INT32_MAX;  ///< along a dimension: of coordinates

/// True of the bytes of an element that boxes may have.
constexpr bool is_box_element(int64_t bytes) {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

/// The swizzle that rows of so many bytes can have; 0 where there is none.
constexpr int64_t box_swizzle(int64_t row_bytes) {
  return row_bytes == 32 || row_bytes == 64 || row_bytes == 128 ? row_bytes : 0;
}

}  // namespace hone

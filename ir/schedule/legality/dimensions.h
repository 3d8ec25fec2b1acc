// Dimensions of a grid and of its blocks, which loops are bound to.
#pragma once

#include "ir/stmt.h"

namespace hone {

constexpr Binding dimension(Binding::Kind kind, uint8_t dim) { return {kind, dim, 0}; }

/// Blocks of a grid.
inline constexpr Binding block_x = dimension(Binding::Kind::block, 0);
inline constexpr Binding block_y = dimension(Binding::Kind::block, 1);
inline constexpr Binding block_z = dimension(Binding::Kind::block, 2);
/// Threads of a block.
inline constexpr Binding thread_x = dimension(Binding::Kind::thread, 0);
inline constexpr Binding thread_y = dimension(Binding::Kind::thread, 1);
inline constexpr Binding thread_z = dimension(Binding::Kind::thread, 2);

}  // namespace hone

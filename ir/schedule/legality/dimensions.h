// Dimensions of a grid and of its blocks, and units of threads, which loops are bound to.
#pragma once

#include "ir/core/stmt.h"

namespace hone {

/// A number that is none of a dimension stays one: 255.
constexpr Binding dimension(Binding::Kind kind, int64_t dim) {
  return {kind, static_cast<uint8_t>(dim < 0 || dim > 255 ? 255 : dim), 0};
}

/// Blocks of a grid.
inline constexpr Binding block_x = dimension(Binding::Kind::block, 0);
inline constexpr Binding block_y = dimension(Binding::Kind::block, 1);
inline constexpr Binding block_z = dimension(Binding::Kind::block, 2);
/// Threads of a block.
inline constexpr Binding thread_x = dimension(Binding::Kind::thread, 0);
inline constexpr Binding thread_y = dimension(Binding::Kind::thread, 1);
inline constexpr Binding thread_z = dimension(Binding::Kind::thread, 2);

/// Blocks of a cluster, which follow each other in block.x.
inline constexpr Binding cluster_x = dimension(Binding::Kind::thread, cluster_dim);

constexpr Binding unit(ThreadUnit unit) {
  return {Binding::Kind::thread, 0, 0, {}, {.unit = unit}};
}

/// Digits of the number of a thread in its block, which is one of thread.x: thread.x % 32,
/// thread.x / 32 and thread.x / 128.
inline constexpr Binding lane = unit(ThreadUnit::lane);
inline constexpr Binding warp = unit(ThreadUnit::warp);
inline constexpr Binding warpgroup = unit(ThreadUnit::warpgroup);

}  // namespace hone

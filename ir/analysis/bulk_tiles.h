// Tiles as the copy engine of a GPU moves them: a box of a tensor in global memory, whose rows it
// lays out one after the other in shared memory, swizzled where that is asked for.
#pragma once

#include "ir/bulk_limits.h"
#include "ir/stmt.h"

namespace hone {

/// Bytes, of which the address of a tile is a multiple, with rows swizzled in so many; 0: in none.
int64_t bulk_alignment(int64_t swizzle);

/// The place to which the engine moves the byte that lies so many bytes from the start of a tile.
int64_t bulk_place(int64_t offset, int64_t swizzle);

/// Extents of the part of the source that the copy moves, one per dimension of it: 1 for a single
/// index. Nothing where one of them is no constant.
std::optional<llvm::SmallVector<int64_t, 5>> box_of(const Copy& copy);

/// The bytes of swizzle with which each element of the box lies where the destination has it, 0 for
/// none; nothing where no swizzle does. For a copy that fills a slot of its destination, dimension
/// 0 of which counts slots, or all of it.
std::optional<int64_t> swizzle_of(const Copy& copy);

}  // namespace hone

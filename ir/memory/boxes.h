// Tiles as the copy engine of a GPU moves them: a box of a tensor in global memory, whose rows it
// lays out one after the other in shared memory, swizzled where that is asked for.
#pragma once

#include "ir/core/stmt.h"
#include "ir/target/box_limits.h"

namespace hone {

/// Bytes, of which the address of a tile is a multiple, with rows swizzled in so many; 0: in none.
int64_t box_alignment(int64_t swizzle);

/// The place to which the engine moves the byte that lies so many bytes from the start of a tile.
int64_t swizzled_place(int64_t offset, int64_t swizzle);

/// True of a copy that the engine makes for the block, from shared to global memory.
bool is_box_store(const Copy& copy);

/// The side of a copy between shared and global memory that is a tile, and the other one.
const Region& tile_side(const Copy& copy);
const Region& global_side(const Copy& copy);

/// Extents of a box of global memory that the copy moves, one per dimension: 1 for a single index.
/// Nothing where one of them is no constant. A tile whose rows lie in panels, one behind the other,
/// takes several boxes: one for each.
std::optional<llvm::SmallVector<int64_t, 5>> box_of(const Copy& copy);

/// The first elements of the boxes of a copy.
struct BoxCorners {
  llvm::SmallVector<Expr, 4> tile, memory;
};
llvm::SmallVector<BoxCorners, 4> boxes_of(const Copy& copy);

/// The dimension of the tile of which so many blocks have equal parts, such that each part is as
/// many boxes as can be, swizzled as they are; nothing where there is none. For a copy with a
/// swizzle_of.
std::optional<int> dim_to_share(const Copy& copy, int64_t blocks);
/// The copy of one of these parts, by its number, in dimension `dim`.
Stmt share_of(const Copy& copy, int dim, int64_t blocks, const Expr& number);

/// The bytes of swizzle with which each element of the box lies where the tile has it, 0 for none;
/// nothing where no swizzle does. For a copy of a slot of its tile, dimension 0 of which counts
/// slots, or of all of it.
std::optional<int64_t> swizzle_of(const Copy& copy);

/// The greatest number of bytes of which the boxes that copies of this kind fill start at
/// multiples: of all slots, parts and panels; 0 where there is one box. For a copy with a
/// swizzle_of.
int64_t distance_of_boxes(const Copy& copy);

/// The alignment that the engine wants of the tile; that which it has where no box is one of it.
int64_t alignment_for_boxes(const Copy& copy);

/// The extents of the box and its swizzle, which the engine must have: the constants of a bulk
/// move.
llvm::SmallVector<int64_t, 6> box_constants(const Copy& copy);

}  // namespace hone

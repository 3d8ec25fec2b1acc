// Idioms that schedules of matrix products share: plain functions over a schedule.
#pragma once

#include "examples/ladders/matmul.h"

namespace hone {

/// Callers promise that the sizes are multiples of these, where those that are expected are: then
/// nothing sticks out, and no guard is left. True if they do.
bool promise_whole_tiles(Schedule& s, const Matmul& p, int64_t M, int64_t N, int64_t K);

/// Square blocks whose threads stage a square tile of each operand in shared memory. Returns the
/// axes of the steps over k, and within a step.
std::array<Axis, 2> shared_tiles(Schedule& s, const Matmul& p, int64_t tile,
                                 const Layout& B_layout = {});

/// As shared_tiles, for threads that compute `rows` elements each, which lie a stride apart.
void thread_columns(Schedule& s, const Matmul& p, int64_t tile, int64_t rows);

/// The part of the result that a block and a thread compute, and how much of k a step takes.
struct TileShape {
  int64_t block_rows, block_columns, step;
  int64_t thread_rows, thread_columns;
};

/// 128 x 128 elements for 256 threads, eight products deep.
inline constexpr TileShape large_tiles = {128, 128, 8, 8, 8};

/// Threads of a block in one dimension, each of which computes a tile of the result in registers.
struct ThreadTiles {
  Axis threads, outer_step, inner_step;
};
ThreadTiles thread_tiles(Schedule& s, const Matmul& p, const TileShape& shape);

/// thread_tiles whose operands are staged in shared memory, and go from there to registers.
ThreadTiles staged_tiles(Schedule& s, const Matmul& p, const TileShape& shape,
                         const Layout& B_layout = {});

/// staged_tiles of 128 x 128 elements a block, four steps at a time: the loads of a step go out
/// while the products of those before it are computed.
ThreadTiles large_staged_tiles(Schedule& s, const Matmul& p);

/// Blocks take the tiles of a result in groups of so many rows of tiles, and in a group column by
/// column: those that run at a time read fewer rows and columns of the operands, which they find in
/// the L2 cache. `y` and `x` are the axes of the tiles, around all others, and not bound yet. The
/// last group may have fewer rows. Returns the axis of the tiles of a group.
Axis grouped_raster(Schedule& s, const Axis& y, const Axis& x, int64_t rows);

/// So many blocks compute all tiles of a result, row by row of tiles: each takes its next one when
/// it has computed one (persistent blocks). `y` and `x` are the axes of the tiles, around all
/// others, and not bound yet. Returns the axis of a block's tiles.
Axis persistent_blocks(Schedule& s, const Axis& y, const Axis& x, int64_t blocks);

/// Elements that an access takes where rows of so many have to hold whole vectors: four, or as many
/// as the length allows.
int64_t widest_vectors(int64_t elements);
/// The same of the rows of all matrices.
int64_t widest_vectors(const Matmul& p);

/// Rows of an operand hold whole vectors, of 16 bytes or as many elements as `expected` has of
/// those as a factor. Returns their length, in elements.
int64_t promise_vectors(Schedule& s, const Tensor& operand, const Expr& row, int64_t expected);

inline constexpr int64_t line_bytes = 128;  ///< of memory

/// A copy of the operand, whose rows start at lines of memory. Blocks of 256 threads take a row
/// each. Rows have so many elements, `expected` where they are a param.
Tensor at_whole_lines(Schedule& s, const Tensor& operand, const Expr& row, int64_t expected);

/// staged_tiles with vectors wherever data move; A is transposed on its way to shared memory.
/// `width` is the number of elements that move at a time to and from global memory.
void vectorized_tiles(Schedule& s, const Matmul& p, const TileShape& shape, int64_t width);

/// The part of the result that a block and a warp compute, and how much of k a step takes.
struct WarpShape {
  int64_t block_rows, block_columns, step;
  int64_t warp_rows, warp_columns;  ///< multiples of 16 and of 32
  int64_t group_rows = 0;           ///< of tiles (grouped_raster); 0: blocks go row by row
  int64_t blocks = 0;               ///< that share the tiles (persistent_blocks); 0: one for each

  int64_t warps() const { return block_rows / warp_rows * (block_columns / warp_columns); }
};

/// 128 x 128 elements for 8 warps, sixteen products deep.
inline constexpr WarpShape large_warp_tiles = {128, 128, 16, 32, 64};

/// Tiles of a block's warps: their steps, and the operands in shared memory.
struct WarpTiles {
  Axis outer_step, inner_step;
  Cache A_shared, B_shared;
};

/// The same, with the loop that loads fragments of A, which last for four products: as a pipeline
/// of one stage, it loads each row as soon as its registers are free.
struct OrderedWarpTiles : WarpTiles {
  Axis fragment_step;
};

/// As vectorized_tiles, where each warp has a part of the block's tile to itself. Its 4 x 8 lanes
/// take turns over that, with 4 x 4 elements each: neighbours read neighbouring vectors.
WarpTiles warp_tiles(Schedule& s, const Matmul& p, const WarpShape& shape);

/// warp_tiles whose operands lie in rings of so many stages, which asynchronous copies fill ahead
/// of their use; the registers of the next product are filled during this one.
void pipelined_warp_tiles(Schedule& s, const Matmul& p, const WarpShape& shape, int64_t stages);

/// 128 x 256 elements for 8 warps: 8 x 16 for each thread.
inline constexpr WarpShape huge_warp_tiles = {128, 256, 16, 32, 128};

/// As warp_tiles, where A lies in shared memory as it is, along k, and threads take four elements
/// of k of each of their rows at a time. Products stand in the order in which they run. Warps may
/// have any multiple of 4 rows.
OrderedWarpTiles ordered_warp_tiles(Schedule& s, const Matmul& p, const WarpShape& shape,
                                    int64_t stages, const WarpRoles& roles);

/// Some of the operands of a product.
struct Operands {
  bool A = false, B = false;

  bool operator==(const Operands&) const = default;
  Operands operator|(const Operands& other) const { return {A || other.A, B || other.B}; }
};

/// The operands whose rows hold whole vectors of four: the copy engine can move their tiles.
Operands in_whole_vectors(const Sizes& sizes);

/// The same, where the copy engine moves the tiles of some operands.
OrderedWarpTiles bulk_warp_tiles(Schedule& s, const Matmul& p, const WarpShape& shape,
                                 int64_t stages, const WarpRoles& roles, const Operands& bulk);

/// The kernel that adds up the parts of the result's sums: a thread has `width` neighbours of a
/// row. Returns the loop over them.
Axis add_up_parts(Schedule& s, const Matmul& p, const Axis& part, int64_t width);

/// The products that each of the parts of a sum over K has, whole steps of 16.
int64_t length_of_part(int64_t K, int64_t parts);

/// So many blocks share the sums of each tile (split-K): a second kernel adds up what they leave.
/// Returns the product of a part, whose axes are those of the result that the blocks leave.
Matmul split_sums(Schedule& s, const Matmul& p, int64_t parts);

/// 64 x 128 elements for 4 warps.
inline constexpr WarpShape small_warp_tiles = {64, 128, 16, 32, 64};

/// warp_tiles whose operands lie in rings of so many stages, which warps of their own fill.
void specialized_warp_tiles(Schedule& s, const Matmul& p, const WarpShape& shape, int64_t stages,
                            const WarpRoles& roles);

}  // namespace hone

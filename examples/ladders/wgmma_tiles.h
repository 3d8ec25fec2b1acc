// Tiles that warpgroups multiply, and the ways of their operands and results, as schedules of
// products and of convolutions have them.
#pragma once

#include "examples/ladders/hgemm_shapes.h"

namespace hone {

/// The neighbour of a tile that comes next.
enum class TileOrder : uint8_t { across, down };

/// Loops over tiles of a result, `by` and `bx`, and in a tile over the steps of its sums, the
/// warpgroups, and the 64 rows and the columns that one of them multiplies.
struct TileLoops {
  Axis by, bx, step;
  Axis group, row, column;
  TileOrder order = TileOrder::across;
  int row_dims = 1;  ///< of a tile, that rows run over: rows may be pixels, y by x

  /// The inner of the loops over tiles.
  const Axis& tile() const { return order == TileOrder::down ? by : bx; }
};

/// Tiles of the rows of `y` and the columns of `x`, which are some of C's.
TileLoops tile_loops(Schedule& s, const NarrowMatmul& p, const Axis& y, const Axis& x,
                     const WgmmaShape& shape, TileOrder order = TileOrder::across);

/// Elements of operands that threads move at a time; 0 where the copy engine moves boxes.
struct OperandVectors {
  int64_t A = 0, B = 0;
};

/// The operands of a step in shared memory.
struct SharedOperands {
  Cache A, B;
  std::optional<Cache> scales = std::nullopt;  ///< of A's rows
};

struct WgmmaTiles : TileLoops {
  Axis of_warp, pair;  ///< of neighbours that a lane has; both in the loop that rounds
  SharedOperands shared;
  Cache sums;
};

/// The tensor cores multiply tiles whose rows are 128 bytes deep.
WgmmaTiles wgmma_tiles(Schedule& s, const NarrowMatmul& p, const TileLoops& loops,
                       const WgmmaShape& shape, const OperandVectors& vectors = {});

/// Producers ask the copy engine for the tiles of both operands. Scales of rows, which lie apart in
/// memory, they copy one by one.
void fill_by_engine(Schedule& s, const WgmmaTiles& tiles, const WgmmaShape& shape);

/// All threads fill the tiles of both operands.
void fill_by_threads(Schedule& s, const WgmmaTiles& tiles);

/// A warpgroup's results go to memory from a tile in shared memory, where its warps put them: in
/// whole pieces by the copy engine, and else by neighbouring threads.
void store_from_tile(Schedule& s, const NarrowMatmul& p, const WgmmaTiles& tiles, int64_t columns,
                     const Axis& turn);

/// A tile's sums go to memory by way of shared memory, so many columns at a time.
void store_in_stages(Schedule& s, const NarrowMatmul& p, const Cache& sums,
                     const WgmmaShape& shape);

/// The results are rounded, and stored during the first steps of the next tile, 64 columns each.
void store_later(Schedule& s, const NarrowMatmul& p, const WgmmaTiles& tiles, const Axis& turn,
                 int64_t staged);

}  // namespace hone

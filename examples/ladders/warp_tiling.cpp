#include "examples/ladders/tiling.h"

namespace hone {
namespace {

/// Elements of a lane at a time, in both directions, and the lanes of a warp.
constexpr int64_t quad = 4, lane_rows = 4, lane_columns = 8, lanes = lane_rows * lane_columns;

/// Returns the innermost axis of those that say which tile it is.
Axis bind_tiles(Schedule& s, const Axis& y, const Axis& x, const WarpShape& shape) {
  if (shape.group_rows > 0) return grouped_raster(s, y, x, shape.group_rows);
  if (shape.blocks > 0) return persistent_blocks(s, y, x, shape.blocks);
  s.bind(y, block.y);
  s.bind(x, block.x);
  return x;
}

/// The tiles of blocks and of warps, each by rows and columns, and the loops within the latter.
std::array<Axis, 6> tiles_of_warps(Schedule& s, const Matmul& p, const WarpShape& shape) {
  auto [by, bx, rows, columns] = s.tile({p.y, p.x}, {shape.block_rows, shape.block_columns},
                                        {.names = {"block_row", "block_column", nullptr, nullptr}});
  auto [wy, wx, y, x] = s.tile({rows, columns}, {shape.warp_rows, shape.warp_columns},
                               {.names = {"warp_row", "warp_column", nullptr, nullptr}});
  return {by, bx, wy, wx, y, x};
}

}  // namespace

WarpTiles warp_tiles(Schedule& s, const Matmul& p, const WarpShape& shape) {
  const int64_t width = widest_vectors(p);
  for (const Tensor& tensor : {p.A, p.B, p.result})
    s.assume_aligned(tensor, width * static_cast<int64_t>(sizeof(float)));
  promise_whole_tiles(s, p, shape.block_rows, shape.block_columns, shape.step);
  auto [by, bx, wy, wx, warp_rows, warp_columns] = tiles_of_warps(s, p, shape);
  auto [quad_row, quad_column, row_quads, column_quads] =
      s.tile({warp_rows, warp_columns}, {lane_rows * quad, lane_columns * quad},
             {.names = {"quad_row", "quad_column", nullptr, nullptr}});
  auto [y, x, row, column] = s.tile({row_quads, column_quads}, {quad, quad},
                                    {.names = {"lane_row", "lane_column", "row", "column"}});
  auto [ko, ki] = s.split(p.k, shape.step, {.names = {"step", "k"}});
  s.reorder({by, bx, wy, wx, y, x, ko, ki, quad_row, row, quad_column, column});
  bind_tiles(s, by, bx, shape);
  s.bind({wy, wx}, warp);
  s.bind({y, x}, lane);
  s.cache_registers(p.result, x, {.vectorize = width});
  const Cache A_shared = s.cache_shared(p.A, ko, {.layout = Layout::column_major().pad(quad)});
  const Cache B_shared = s.cache_shared(p.B, ko, {.vectorize = width});
  s.cache_registers(A_shared, ki, {.vectorize = quad});
  s.cache_registers(B_shared, ki, {.vectorize = quad});
  s.unroll(ki);
  return {ko, ki, A_shared, B_shared};
}

void pipelined_warp_tiles(Schedule& s, const Matmul& p, const WarpShape& shape, int64_t stages) {
  const WarpTiles tiles = warp_tiles(s, p, shape);
  s.copy_async(tiles.A_shared);
  s.copy_async(tiles.B_shared);
  s.pipeline(tiles.inner_step, 2);
  s.pipeline(tiles.outer_step, stages);
}

void specialized_warp_tiles(Schedule& s, const Matmul& p, const WarpShape& shape, int64_t stages,
                            const WarpRoles& roles) {
  const WarpTiles tiles = warp_tiles(s, p, shape);
  s.copy_async(tiles.A_shared);
  s.copy_async(tiles.B_shared);
  s.pipeline(tiles.inner_step, 2);
  s.specialize(tiles.outer_step, stages, roles);
}

namespace {

/// Neighbouring threads store neighbours: a row for each warp at a time.
void store_rows(Schedule& s, const Cache& tile, int64_t warps) {
  const std::vector<Axis> copy = s.copy_loops(tile, Direction::write_back);
  auto [turn, row] = s.split(copy[0], warps, {.names = {"store_turn", "store_row"}});
  auto [piece, column] = s.split(copy[1], lanes, {.names = {"store_piece", "store_column"}});
  s.bind(row, warp);
  s.bind(column, lane);
  s.unroll(piece);
}

/// The sums of a block stay in its threads' registers. Where its tile may stick out, or rows hold
/// no whole vectors, they go by way of shared memory: threads that store their own elements, each
/// behind its guards, would take each sector four times. Rows lie so that the threads of a warp
/// write to different banks.
void stage_sums(Schedule& s, const Tensor& result, const WarpShape& shape, const Axis& block,
                const Axis& thread) {
  const Cache tile = s.cache_shared(result, block, {.layout = Layout().pad(1)});
  s.cache_registers(tile, thread);
  store_rows(s, tile, shape.warps());
}

/// The operands of a warp's threads: four elements of A along k for each of their rows, and those
/// of B for the next product while this one is computed. Returns the loop that those of A are
/// loaded in.
Axis cache_fragments(Schedule& s, const WarpTiles& tiles, const Axis& row,
                     std::initializer_list<Axis> columns) {
  s.cache_registers(tiles.B_shared, tiles.inner_step, {.vectorize = quad});
  s.pipeline(tiles.inner_step, 2);
  auto [kq, k] = s.split(tiles.inner_step, quad, {.names = {"k_quad", "k"}});
  s.cache_registers(tiles.A_shared, kq, {.vectorize = quad});
  s.unroll(kq);
  s.unroll(k);
  s.serpentine(row, columns);
  s.keep_order(s.axis("B.reg.fill.ahead"));
  s.keep_order(kq);
  return kq;
}

}  // namespace

OrderedWarpTiles ordered_warp_tiles(Schedule& s, const Matmul& p, const WarpShape& shape,
                                    int64_t stages, const WarpRoles& roles) {
  const int64_t A_width = promise_vectors(s, p.A, p.K, p.expected.at("K"));
  const int64_t B_width = promise_vectors(s, p.B, p.N, p.expected.at("N"));
  const bool is_whole =
      promise_whole_tiles(s, p, shape.block_rows, shape.block_columns, shape.step);
  auto [by, bx, wy, wx, warp_rows, warp_columns] = tiles_of_warps(s, p, shape);
  auto [row, quad_column, y, column_quads] =
      s.tile({warp_rows, warp_columns}, {lane_rows, lane_columns * quad},
             {.names = {"row", "quad_column", "lane_row", nullptr}});
  auto [x, column] = s.split(column_quads, quad, {.names = {"lane_column", "column"}});
  auto [ko, ki] = s.split(p.k, shape.step, {.names = {"step", "k"}});
  s.reorder({by, bx, wy, wx, y, x, ko, ki, row, quad_column, column});
  const Axis tile = bind_tiles(s, by, bx, shape);
  s.bind({wy, wx}, warp);
  s.bind({y, x}, lane);
  if (is_whole)
    s.cache_registers(p.result, x);
  else
    stage_sums(s, p.result, shape, tile, x);
  const Cache A_shared =
      s.cache_shared(p.A, ko, {.vectorize = A_width, .layout = Layout().swizzle_bytes(64, f32)});
  const Cache B_shared = s.cache_shared(p.B, ko, {.vectorize = B_width});
  const WarpTiles tiles = {ko, ki, A_shared, B_shared};
  const Axis fragment_step = cache_fragments(s, tiles, row, {quad_column, column});
  s.copy_async(A_shared);
  s.copy_async(B_shared);
  s.specialize(ko, stages, roles);
  return {tiles, fragment_step};
}

Operands in_whole_vectors(const Sizes& sizes) {
  return {widest_vectors(sizes.at("K")) == quad, widest_vectors(sizes.at("N")) == quad};
}

OrderedWarpTiles bulk_warp_tiles(Schedule& s, const Matmul& p, const WarpShape& shape,
                                 int64_t stages, const WarpRoles& roles, const Operands& bulk) {
  const OrderedWarpTiles tiles = ordered_warp_tiles(s, p, shape, stages, roles);
  if (bulk.A) s.copy_bulk(tiles.A_shared);
  if (bulk.B) s.copy_bulk(tiles.B_shared);
  return tiles;
}

Axis add_up_parts(Schedule& s, const Matmul& p, const Axis& part, int64_t width) {
  auto [bx, columns] = s.split(p.x, 128 * width, {.names = {"chunk", nullptr}});
  auto [tx, column] = s.split(columns, width, {.names = {"vector", "element"}});
  s.reorder({p.y, bx, tx, part, column});
  s.bind(p.y, block.y);
  s.bind(bx, block.x);
  s.bind(tx, thread.x);
  s.cache_registers(p.result, tx, {.vectorize = width});
  if (width > 1) s.vectorize(column);
  return column;
}

int64_t length_of_part(int64_t K, int64_t parts) {
  const int64_t steps = (K + parts * 16 - 1) / (parts * 16);
  return std::max<int64_t>(steps, 1) * 16;
}

Matmul split_sums(Schedule& s, const Matmul& p, int64_t parts) {
  auto [part, k] =
      s.split(p.k, length_of_part(p.expected.at("K"), parts), {.names = {"part", "k"}});
  const RFactor sums = s.rfactor(p.result, part);
  s.bind(sums.partial, block.z);
  add_up_parts(s, p, sums.total, promise_vectors(s, p.result, p.N, p.expected.at("N")));
  Matmul product = p;
  product.result = sums.tensor;
  product.y = s.axis(sums.tensor, p.y);
  product.x = s.axis(sums.tensor, p.x);
  product.k = ReduceAxis(s.axis(sums.tensor, k));
  return product;
}

}  // namespace hone

#include "examples/ladders/wgmma_tiles.h"

namespace hone {
namespace {

/// Rows of 128 bytes, of one panel of 64 columns after the other, in a tile whose rows run over so
/// many dimensions.
Layout panels(int64_t columns, int row_dims = 1) {
  const IndexDigit column(row_dims);
  Layout rows;
  if (columns > chunk_columns) {
    rows.digits.push_back(column / chunk_columns);
    for (int dim = 0; dim < row_dims; ++dim) rows.digits.push_back(dim);
    rows.digits.push_back(column % chunk_columns);
  }
  return rows.swizzle_bytes(row_bytes, bf16);
}

/// The rows and columns of a warpgroup's sums, among its lanes. Returns the loop over neighbours.
Axis spread_over_group(Schedule& s, const Axis& row, const Axis& column, int64_t run) {
  auto [of_warp, rows] = s.split(row, 16);
  s.bind(of_warp, warp);
  return spread_sums(s, rows, column, run);
}

/// Lanes have pairs of neighbours, and store those of sums that nothing rounds at once.
int64_t width_of_sums(Schedule& s, const NarrowMatmul& p) {
  if (p.is_rounded()) return 0;
  return std::min<int64_t>(promise_vectors(s, p.C, p.N, p.expected.at("N")), 2);
}

}  // namespace

TileLoops tile_loops(Schedule& s, const NarrowMatmul& p, const Axis& y, const Axis& x,
                     const WgmmaShape& shape) {
  auto [by, bx, rows, column] = s.tile({y, x}, {shape.rows(), shape.columns},
                                       {Tail::pad, {"tile_row", "tile_column", nullptr, "column"}});
  auto [group, row] = s.split(rows, group_rows, {.names = {"consumer", "row"}});
  auto [step, of_step] = s.split(p.k, depth_of(p), {.tail = Tail::pad, .names = {"step", nullptr}});
  s.reorder({by, bx, step, group, row, column, of_step});
  return {by, bx, step, group, row, column};
}

WgmmaTiles wgmma_tiles(Schedule& s, const NarrowMatmul& p, const TileLoops& loops,
                       const WgmmaShape& shape, const OperandVectors& vectors) {
  const auto& [by, bx, step, group, row, column, row_dims, run] = loops;
  std::vector<std::string> parts = {".init"};
  if (p.is_rounded()) parts.push_back(".post");
  s.bind(group, warpgroup);
  for (const std::string& part : parts) s.bind(s.axis(group.name() + part), warpgroup);
  Axis pair = bx;
  for (const std::string& part : parts)
    pair = spread_over_group(s, s.axis(row.name() + part), s.axis(column.name() + part), run);
  s.tensorize(row, shape.instruction(p));
  s.cache_registers(p.result, bx, {.vectorize = width_of_sums(s, p)});
  const Layout rows_of_128_bytes = Layout().swizzle_bytes(row_bytes, p.type());
  const Layout B_layout = p.is_transposed ? rows_of_128_bytes : panels(shape.columns);
  return {loops, pair,
          s.cache_shared(p.A, step, {.vectorize = vectors.A, .layout = rows_of_128_bytes}),
          s.cache_shared(p.B, step, {.vectorize = vectors.B, .layout = B_layout})};
}

void fill_by_engine(Schedule& s, const WgmmaTiles& tiles, const WgmmaShape& shape) {
  s.specialize(tiles.step, shape.stages, shape.roles(), CopyEngine::boxes);
}

void fill_by_threads(Schedule& s, const WgmmaTiles& tiles) {
  for (const Cache& tile : {tiles.A_shared, tiles.B_shared}) s.align(tile, 1024);
}

void store_from_tile(Schedule& s, const NarrowMatmul& p, const WgmmaTiles& tiles, int64_t columns,
                     const Axis& turn) {
  const Cache C_shared = s.cache_shared(p.C, turn, {.layout = panels(columns, tiles.row_dims)});
  s.write_back_at(C_shared, s.axis(tiles.group.name() + ".post"));
  if (p.stores_whole_pieces()) s.copy_bulk(C_shared);
  if (!p.has_bias || p.expected.at("N") % 2 == 0) s.vectorize(tiles.pair);
}

void store_later(Schedule& s, const NarrowMatmul& p, const WgmmaTiles& tiles, const Axis& turn,
                 int64_t staged) {
  const Cache rounded = s.cache_registers(p.C, turn);
  // By row: warpgroup, warp, half of a warp's rows, lane. By column: eight at a time, lane, pair.
  const std::vector<Axis> parts = s.copy_loops(rounded, Direction::write_back);
  auto [stage, columns] = s.split(parts[4], staged / 8);
  auto [chunk, eight] = s.split(columns, chunk_columns / 8);
  s.reorder({stage, chunk, parts[0], parts[1], parts[2], parts[3]});
  const Cache C_shared = s.cache_shared(p.C, stage, {.layout = panels(staged)});
  s.write_back_at(C_shared, parts[0]);
  s.copy_bulk(C_shared);
  s.vectorize(parts[6]);
  s.defer(tiles.step, {stage, chunk});
}

}  // namespace hone

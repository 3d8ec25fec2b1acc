#include "examples/ladders/wgmma_tiles.h"

#include <numeric>

namespace hone {
namespace {

/// Rows of 128 bytes, or of the largest part of them that divides the columns, of one panel after
/// the other, in a tile whose rows run over so many dimensions.
Layout panels(int64_t columns, DType type, int row_dims = 1) {
  const int64_t panel = std::gcd(columns, row_bytes / size_of(type));
  const IndexDigit column(row_dims);
  Layout rows;
  if (columns > panel) {
    rows.digits.push_back(column / panel);
    for (int dim = 0; dim < row_dims; ++dim) rows.digits.push_back(dim);
    rows.digits.push_back(column % panel);
  }
  return rows.swizzle_bytes(panel * size_of(type), type);
}

/// A nest that sets sums or takes them goes over lanes as the instruction has spread these. Returns
/// its loops, of which the first is that over warps.
std::vector<Axis> spread_nest(Schedule& s, const NarrowMatmul& p, const TileLoops& loops,
                              const std::string& nest, const std::string& instruction) {
  const Axis row = s.axis(loops.row.name() + "." + nest);
  const Axis column = s.axis(loops.column.name() + "." + nest);
  if (p.is_result_transposed) return s.spread({column, row}, instruction);
  return s.spread({row, column}, instruction);
}

/// Lanes have pairs of neighbours, and store those of sums that nothing rounds at once.
int64_t width_of_sums(Schedule& s, const NarrowMatmul& p) {
  if (p.is_rounded() || p.is_result_transposed) return 0;
  return std::min<int64_t>(p.promise_result_vectors(s), 2);
}

/// The sums of a step start from zero, and are scaled before they are added to those of all steps.
/// The loops that start them, multiply, and add them become one, with the name of the second,
/// before they are bound.
Tensor sums_of_steps(Schedule& s, const NarrowMatmul& p, TileLoops& loops) {
  const Tensor sums = s.reduce_at(p.result, loops.step);
  const std::string name = loops.group.name();
  const Axis start = s.axis(name + ".start");
  s.merge(start, loops.group);
  s.merge(start, s.axis(name + ".combine"));
  loops.group = s.rename(start, name);
  s.bind(loops.group, warpgroup);
  s.bind(s.axis(name + ".init"), warpgroup);
  if (p.is_rounded()) s.bind(s.axis(name + ".post"), warpgroup);
  return sums;
}

SharedOperands shared_operands(Schedule& s, const NarrowMatmul& p, const Axis& step,
                               const WgmmaShape& shape, const OperandVectors& vectors) {
  const Layout rows_of_128_bytes = Layout().swizzle_bytes(row_bytes, p.type());
  const Layout A_layout = p.is_left_transposed ? panels(shape.rows(), p.type()) : rows_of_128_bytes;
  const Layout B_layout = p.is_transposed ? rows_of_128_bytes : panels(shape.columns, p.type());
  SharedOperands shared = {s.cache_shared(p.A, step, {.vectorize = vectors.A, .layout = A_layout}),
                           s.cache_shared(p.B, step, {.vectorize = vectors.B, .layout = B_layout})};
  if (!p.scales) return shared;
  shared.scales = s.cache_shared(p.scales->A, step);
  s.cache_registers(p.scales->B, step);
  return shared;
}

/// Each warp puts its results into a tile in shared memory four matrices of 8 x 8 at a time.
void store_matrices(Schedule& s, const NarrowMatmul& p, const Cache& C_shared,
                    const Axis& of_warp) {
  s.cache_registers(C_shared, of_warp);
  s.tensorize(C_shared,
              fmt::format("stmatrix_x4_{}{}", p.is_result_transposed ? "trans_columns_" : "",
                          ptx_name(p.C.node()->type).str()));
}

}  // namespace

TileLoops tile_loops(Schedule& s, const NarrowMatmul& p, const Axis& y, const Axis& x,
                     const WgmmaShape& shape, TileOrder order) {
  auto [by, bx, rows, column] = s.tile({y, x}, {shape.rows(), shape.columns},
                                       {Tail::pad, {"tile_row", "tile_column", nullptr, "column"}});
  auto [group, row] = s.split(rows, group_rows, {.names = {"consumer", "row"}});
  // Beyond the end, a guard leaves scales as they are: factors of a step's sums.
  const Tail tail = p.scales ? Tail::guard : Tail::pad;
  auto [step, of_step] = s.split(p.k, depth_of(p), {.tail = tail, .names = {"step", "k"}});
  if (!p.scales) s.bind(group, warpgroup);
  const bool is_turned = p.is_result_transposed, goes_down = order == TileOrder::down;
  s.reorder({goes_down ? bx : by, goes_down ? by : bx, step, group, is_turned ? column : row,
             is_turned ? row : column, of_step});
  return {by, bx, step, group, row, column, order};
}

WgmmaTiles wgmma_tiles(Schedule& s, const NarrowMatmul& p, const TileLoops& tile,
                       const WgmmaShape& shape, const OperandVectors& vectors) {
  TileLoops loops = tile;
  std::optional<Tensor> sums;
  if (p.scales) sums = sums_of_steps(s, p, loops);
  std::vector<std::string> nests = {"init"};
  if (p.is_rounded()) nests.push_back("post");
  if (sums) nests.insert(nests.begin(), {"start", "combine"});
  const std::string instruction = shape.instruction(p);
  std::vector<Axis> spread;
  for (const std::string& nest : nests) spread = spread_nest(s, p, loops, nest, instruction);
  s.tensorize(p.is_result_transposed ? loops.column : loops.row, instruction);
  const SharedOperands shared = shared_operands(s, p, loops.step, shape, vectors);
  const Cache registers = s.cache_registers(
      p.result, loops.tile(), {.vectorize = shape.staged > 0 ? 0 : width_of_sums(s, p)});
  if (p.bias) s.cache_shared(*p.bias, loops.tile());
  if (sums) s.cache_registers(*sums, loops.group);
  return {loops, spread.front(), spread.back(), shared, registers};
}

void fill_by_engine(Schedule& s, const WgmmaTiles& tiles, const WgmmaShape& shape) {
  if (tiles.shared.scales) s.copy_async(*tiles.shared.scales);
  s.specialize(tiles.step, shape.stages, shape.roles(), CopyEngine::boxes);
}

void fill_by_threads(Schedule& s, const WgmmaTiles& tiles) {
  for (const Cache& tile : {tiles.shared.A, tiles.shared.B}) s.align(tile, 1024);
}

void store_from_tile(Schedule& s, const NarrowMatmul& p, const WgmmaTiles& tiles, int64_t columns,
                     const Axis& turn) {
  const Cache C_shared =
      s.cache_shared(p.C, turn, {.layout = panels(columns, p.C.node()->type, tiles.row_dims)});
  s.write_back_at(C_shared, s.axis(tiles.group.name() + ".post"));
  if (p.stores_whole_pieces()) s.copy_bulk(C_shared);
  const bool has_matrices = tiles.row_dims == 1;
  if (has_matrices) store_matrices(s, p, C_shared, tiles.of_warp);
  if (!has_matrices || p.bias) s.vectorize(tiles.pair);
}

namespace {

/// The loops of a copy out of registers, where lanes have sums as warpgroups spread them.
struct LaneStores {
  std::vector<Axis> rows;  ///< warpgroup, if there are several, warp, half of a warp's rows, lane
  Axis octet, element;     ///< of columns, eight at a time, and of two neighbours
};
LaneStores lane_stores(Schedule& s, const Cache& registers, bool has_groups) {
  std::vector<const char*> names = {"store_warp", "store_half",   "store_row",
                                    nullptr,      "store_column", "store_element"};
  if (has_groups) names.insert(names.begin(), "store_group");
  std::vector<Axis> loops = s.copy_loops(registers, Direction::write_back, {.names = names});
  const Axis octet = loops[loops.size() - 3], element = loops.back();
  loops.resize(loops.size() - 3, octet);
  return {loops, octet, element};
}

}  // namespace

void store_in_stages(Schedule& s, const NarrowMatmul& p, const Cache& sums,
                     const WgmmaShape& shape) {
  p.promise_result_vectors(s);
  const bool has_groups = shape.groups > 1;
  const auto [rows, octet, element] = lane_stores(s, sums, has_groups);
  auto [stage, of_stage] = s.split(octet, shape.staged / 8, {.names = {"stage", "store_octet"}});
  if (has_groups)
    s.reorder({stage, rows[0], rows[1], rows[2], rows[3]});
  else
    s.reorder({stage, rows[0], rows[1], rows[2]});
  const Cache C_shared =
      s.cache_shared(p.C, stage, {.layout = panels(shape.staged, p.C.node()->type)});
  if (has_groups) s.write_back_at(C_shared, rows[0]);
  s.copy_bulk(C_shared);
  s.vectorize(element);
}

void store_later(Schedule& s, const NarrowMatmul& p, const WgmmaTiles& tiles, const Axis& turn,
                 int64_t staged) {
  const auto [rows, octet, element] = lane_stores(s, s.cache_registers(p.C, turn), true);
  auto [stage, columns] = s.split(octet, staged / 8, {.names = {"stage"}});
  auto [chunk, eight] = s.split(columns, chunk_columns / 8, {.names = {"chunk", "store_octet"}});
  s.reorder({stage, chunk, rows[0], rows[1], rows[2], rows[3]});
  const Cache C_shared = s.cache_shared(p.C, stage, {.layout = panels(staged, p.C.node()->type)});
  s.write_back_at(C_shared, rows[0]);
  s.copy_bulk(C_shared);
  if (p.bias)
    s.vectorize(tiles.pair);
  else
    store_matrices(s, p, C_shared, rows[1]);
  s.vectorize(element);
  s.defer(tiles.step, {stage, chunk});
}

}  // namespace hone

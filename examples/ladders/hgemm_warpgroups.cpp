// Products by warpgroups, whose tensor cores read tiles in shared memory.

#include "examples/ladders/hgemm_shapes.h"

namespace hone {
namespace {

/// Rows of 128 bytes, of one panel of 64 columns after the other.
Layout panels(int64_t columns) {
  const IndexDigit column(1);
  const Layout rows = columns > 64 ? Layout::order({column / 64, 0, column % 64}) : Layout();
  return rows.swizzle_bytes(row_bytes, bf16);
}

/// The operands of a step in shared memory.
struct SharedOperands {
  Cache A, B;
  std::optional<Cache> scales = std::nullopt;  ///< of A's rows
};

struct WgmmaTiles {
  Axis by, bx, step;
  Axis group;
  Axis of_warp, pair;  ///< of neighbours that a lane has; both in the loop that rounds
  SharedOperands shared;
};

/// The rows and columns of a warpgroup's sums, among its lanes. Returns the loop over the warps,
/// and that over neighbours.
std::pair<Axis, Axis> spread_over_group(Schedule& s, const Axis& row, const Axis& column) {
  auto [of_warp, rows] = s.split(row, 16);
  s.bind(of_warp, warp);
  return {of_warp, spread_sums(s, rows, column)};
}

/// Lanes have pairs of neighbours, and store those of sums that nothing rounds at once.
int64_t width_of_sums(Schedule& s, const NarrowMatmul& p) {
  if (p.is_rounded()) return 0;
  return std::min<int64_t>(promise_vectors(s, p.C, p.N, p.expected.at("N")), 2);
}

/// Elements of operands that threads move at a time; 0 where the copy engine moves boxes.
struct OperandVectors {
  int64_t A = 0, B = 0;
};

/// A block's rows: those of a warpgroup, in blocks of 64 where it has several.
struct GroupRows {
  llvm::SmallVector<Axis, 2> around;  ///< the row: of the warpgroup, and of the block of rows
  Axis row;
};
GroupRows split_rows(Schedule& s, const Axis& rows, const WgmmaShape& shape) {
  if (shape.row_blocks == 1) {
    auto [group, row] = s.split(rows, group_rows, {.names = {"consumer", "row"}});
    return {{group}, row};
  }
  auto [group, of_group] = s.split(rows, shape.rows_of_group(), {.names = {"consumer", nullptr}});
  auto [block, row] = s.split(of_group, group_rows, {.names = {"row_block", "row"}});
  return {{group, block}, row};
}

/// The loops that start the sums of a step, multiply, and add them to those of all steps become
/// one, with the name of the second.
Axis one_loop(Schedule& s, const Axis& products) {
  const std::string name = products.name();
  const Axis start = s.axis(name + ".start");
  s.merge(start, products);
  s.merge(start, s.axis(name + ".combine"));
  return s.rename(start, name);
}

/// The sums of a step start from zero, and are scaled before they are added to those of all steps.
/// They live while a warpgroup multiplies a block of rows.
Tensor sums_of_steps(Schedule& s, const NarrowMatmul& p, const Axis& step, GroupRows& rows) {
  const Tensor sums = s.reduce_at(p.result, step);
  for (Axis& axis : rows.around) axis = one_loop(s, axis);
  return sums;
}

SharedOperands shared_operands(Schedule& s, const NarrowMatmul& p, const Axis& step,
                               const WgmmaShape& shape, const OperandVectors& vectors) {
  const Layout rows_of_128_bytes = Layout().swizzle_bytes(row_bytes, p.type());
  const Layout B_layout = p.is_transposed ? rows_of_128_bytes : panels(shape.columns);
  SharedOperands shared = {
      s.cache_shared(p.A, step, {.vectorize = vectors.A, .layout = rows_of_128_bytes}),
      s.cache_shared(p.B, step, {.vectorize = vectors.B, .layout = B_layout})};
  if (!p.scales) return shared;
  shared.scales = s.cache_shared(p.scales->A, step);
  s.cache_registers(p.scales->B, step);
  return shared;
}

/// Tiles of the rows of `y` and the columns of `x`, which are some of C's; rows of 128 bytes deep.
WgmmaTiles wgmma_tiles(Schedule& s, const NarrowMatmul& p, const Axis& y, const Axis& x,
                       const WgmmaShape& shape, const OperandVectors& vectors = {}) {
  auto [by, bx, rows_of_tile, column] =
      s.tile({y, x}, {shape.rows(), shape.columns},
             {Tail::pad, {"tile_row", "tile_column", nullptr, "column"}});
  GroupRows rows = split_rows(s, rows_of_tile, shape);
  // Beyond the end, a guard leaves scales as they are: factors of a step's sums.
  const Tail tail = p.scales ? Tail::guard : Tail::pad;
  auto [step, of_step] = s.split(p.k, depth_of(p), {.tail = tail, .names = {"step", nullptr}});
  if (shape.row_blocks == 1)
    s.reorder({by, bx, step, rows.around[0], rows.row, column, of_step});
  else
    s.reorder({by, bx, step, rows.around[0], rows.around[1], rows.row, column, of_step});
  std::vector<std::string> parts = {".init"};
  if (p.is_rounded()) parts.push_back(".post");
  std::optional<Tensor> sums;
  if (p.scales) sums = sums_of_steps(s, p, step, rows);
  const Axis group = rows.around.front();
  s.bind(group, warpgroup);
  for (const std::string& part : parts) s.bind(s.axis(group.name() + part), warpgroup);
  if (sums) parts.insert(parts.begin(), {".start", ".combine"});
  std::pair<Axis, Axis> spread = {bx, bx};
  for (const std::string& part : parts)
    spread = spread_over_group(s, s.axis(rows.row.name() + part), s.axis(column.name() + part));
  s.tensorize(rows.row, shape.instruction(p));
  s.cache_registers(p.result, bx, {.vectorize = width_of_sums(s, p)});
  if (p.bias) s.cache_shared(*p.bias, bx);
  if (sums) s.cache_registers(*sums, rows.around.back());
  return {by,
          bx,
          step,
          group,
          spread.first,
          spread.second,
          shared_operands(s, p, step, shape, vectors)};
}

/// Producers ask the copy engine for the tiles of both operands. Scales of rows, which lie apart in
/// memory, they copy one by one.
void fill_by_engine(Schedule& s, const WgmmaTiles& tiles, const WgmmaShape& shape) {
  if (tiles.shared.scales) s.copy_async(*tiles.shared.scales);
  s.specialize(tiles.step, shape.stages, shape.roles(), CopyEngine::boxes);
}

/// A copy of the operand, whose rows start at lines of memory. Blocks of 256 threads take a row
/// each.
Tensor at_whole_lines(Schedule& s, const Tensor& operand, const Expr& row, int64_t expected) {
  const int64_t width = promise_vectors(s, operand, row, expected);
  const int64_t line = line_bytes / size_of(operand.node()->type);
  auto [copy, axes] = s.cache_global(operand, Layout().pitch((row + (line - 1)) / line * line));
  const Axis rows = axes.size() > 2 ? s.fuse(axes[0], axes[1]) : axes[0];
  auto [part, vectors] = s.split(axes.back(), 256 * width);
  auto [own, element] = s.split(vectors, width);
  s.bind(rows, block.x);
  s.bind(own, thread.x);
  s.unroll(part, 4);
  if (width > 1) s.vectorize(element);
  return copy;
}

OperandVectors vectors_of(Schedule& s, const NarrowMatmul& p) {
  return {promise_vectors(s, p.A, p.K, p.expected.at("K")), p.promise_right_vectors(s)};
}

/// The problem on operands that the copy engine can move: on copies of those whose rows lie at
/// other places than multiples of so many bytes.
NarrowMatmul for_engine(Schedule& s, NarrowMatmul p, const RowBytes& least = {}) {
  const auto fit = [&](Tensor& operand, const Expr& row, int64_t expected, int64_t bytes) {
    if (alignment_of_rows(p, expected) < bytes)
      operand = at_whole_lines(s, operand, row, expected);
    else
      promise_vectors(s, operand, row, expected);
  };
  fit(p.A, p.K, p.expected.at("K"), least.A);
  fit(p.B, p.is_transposed ? p.K : p.N, p.expected.at(p.right_row()), least.B);
  return p;
}

/// Each warp puts its results into a tile in shared memory four matrices of 8 x 8 at a time.
void store_matrices(Schedule& s, const NarrowMatmul& p, const Cache& C_shared,
                    const Axis& of_warp) {
  s.cache_registers(C_shared, of_warp);
  s.tensorize(C_shared, fmt::format("stmatrix_x4_{}", ptx_name(p.C.node()->type)));
}

/// A warpgroup's results go to memory from a tile in shared memory, where its threads put them: in
/// whole pieces by the copy engine, and else by neighbouring threads.
void store_from_tile(Schedule& s, const NarrowMatmul& p, const WgmmaTiles& tiles, int64_t columns,
                     const Axis& turn) {
  const Cache C_shared = s.cache_shared(p.C, turn, {.layout = panels(columns)});
  s.write_back_at(C_shared, s.axis(tiles.group.name() + ".post"));
  if (p.stores_whole_pieces()) s.copy_bulk(C_shared);
  store_matrices(s, p, C_shared, tiles.of_warp);
  if (p.bias) s.vectorize(tiles.pair);
}

/// The results are rounded, and stored during the first steps of the next tile, 64 columns each.
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
  store_matrices(s, p, C_shared, parts[1]);
  s.vectorize(parts[6]);
  if (p.bias) s.vectorize(tiles.pair);
  s.defer(tiles.step, {stage, chunk});
}

/// The turns of blocks that stay, one for each multiprocessor, which take one tile after the other.
/// With a `peer`, two blocks take neighbours.
Axis turns_of_blocks(Schedule& s, const NarrowMatmul& p, const Axis& group, const Axis& slow,
                     const Axis& fast, const std::optional<Axis>& peer = std::nullopt) {
  const Axis inner = s.fuse(slow, fast);
  const Axis outer = p.batch ? s.fuse(*p.batch, group) : group;
  if (!peer) return persistent_blocks(s, outer, inner, multiprocessors);
  const Axis tile = s.rename(s.fuse(outer, inner), "tile");
  auto [turn, own] = s.split(tile, multiprocessors / cluster_blocks, {.names = {"turn", "own"}});
  s.reorder({own, *peer, turn});
  s.bind(s.fuse(own, *peer), block.x);
  return turn;
}

/// Tiles of blocks that stay. Those of two blocks that share an operand's tile are neighbours.
struct PersistentTiles {
  WgmmaTiles tiles;
  Axis turn;
};
PersistentTiles tiles_in_turns(Schedule& s, const NarrowMatmul& p, const WgmmaShape& shape,
                               const Preparation& how) {
  const int64_t rows = grid_of(p, shape, how).rows_of_group();
  auto [group, y] = s.split(p.y, rows * shape.rows(), {.tail = Tail::pad});
  if (how.shared == Shared::A) {
    auto [pair, x] = s.split(p.x, cluster_blocks * shape.columns, {.tail = Tail::pad});
    s.reorder({pair, y, x});
    const WgmmaTiles tiles = wgmma_tiles(s, p, y, x, shape);
    return {tiles, turns_of_blocks(s, p, group, pair, tiles.by, tiles.bx)};
  }
  const WgmmaTiles tiles = wgmma_tiles(s, p, y, p.x, shape);
  if (how.shared == Shared::none) {
    s.reorder({group, tiles.bx, tiles.by});
    return {tiles, turns_of_blocks(s, p, group, tiles.bx, tiles.by)};
  }
  auto [pair, peer] = s.split(tiles.by, cluster_blocks, {.names = {"pair", "peer"}});
  s.reorder({group, tiles.bx, pair, peer});
  return {tiles, turns_of_blocks(s, p, group, tiles.bx, pair, peer)};
}

/// The copy engine takes results from shared memory while blocks multiply the next tile.
void persistent_tiles(Schedule& s, const NarrowMatmul& problem, const WgmmaShape& shape,
                      const Preparation& how = {}) {
  const NarrowMatmul p = for_engine(s, problem, how.least);
  if (p.is_rounded()) promise_vectors(s, p.C, p.N, p.expected.at("N"));
  const auto [tiles, turn] = tiles_in_turns(s, p, shape, how);
  fill_by_engine(s, tiles, shape);
  if (how.shared != Shared::none)
    s.multicast(how.shared == Shared::B ? tiles.shared.B : tiles.shared.A, cluster_blocks);
  if (!p.is_rounded()) return;
  if (shape.deferred == 0) return store_from_tile(s, p, tiles, shape.columns, turn);
  s.assume(p.K > (shape.columns / chunk_columns - 1) * depth_of(p));
  store_later(s, p, tiles, turn, shape.deferred);
}

/// The kernel that adds up the parts of sums and rounds them.
void round_sums(Schedule& s, const NarrowMatmul& p, const Axis& part) {
  const int64_t width = std::min<int64_t>(promise_vectors(s, p.C, p.N, p.expected.at("N")), 4);
  const Axis column = add_up_parts(s, p, part, width);
  if (width > 1) s.vectorize(s.axis(column.name() + ".post"));
}

/// Parts of each sum are products of their own, as those of a batch, which are added up behind.
void tiles_of_parts(Schedule& s, const NarrowMatmul& p, const WgmmaShape& shape,
                    const Preparation& how) {
  const int64_t steps = llvm::divideCeil(p.expected.at("K"), depth_of(p));
  auto [part, k] =
      s.split(p.k, llvm::divideCeil(steps, how.parts) * depth_of(p), {.tail = Tail::pad});
  const RFactor sums = s.rfactor(p.result, part);
  NarrowMatmul product = p;
  product.batch = sums.partial;
  product.result = product.C = sums.tensor;
  product.y = s.axis(sums.tensor, p.y);
  product.x = s.axis(sums.tensor, p.x);
  product.k = ReduceAxis(s.axis(sums.tensor, k));
  persistent_tiles(s, product, shape, how);
  round_sums(s, p, sums.total);
}

}  // namespace

/// All threads fill tiles where rows hold no whole pieces of 16 bytes.
void hgemm_wgmma(Schedule& s, const NarrowMatmul& problem) {
  const WgmmaShape shape = problem.scales ? scaled_shape : WgmmaShape{2, 256, 4};
  const bool has_engine = problem.has_whole_pieces();
  const NarrowMatmul p = has_engine ? for_engine(s, problem) : problem;
  const WgmmaTiles tiles =
      wgmma_tiles(s, p, p.y, p.x, shape, has_engine ? OperandVectors() : vectors_of(s, p));
  if (p.batch) s.bind(*p.batch, block.z);
  grouped_raster(s, tiles.by, tiles.bx, 8);
  if (has_engine) {
    fill_by_engine(s, tiles, shape);
  } else {
    for (const Cache& tile : {tiles.shared.A, tiles.shared.B}) s.align(tile, 1024);
  }
  if (p.is_rounded() && promise_vectors(s, p.C, p.N, p.expected.at("N")) > 1)
    s.vectorize(tiles.pair);
}

void hgemm_persistent(Schedule& s, const NarrowMatmul& p) {
  persistent_tiles(s, p, p.scales ? scaled_shape : WgmmaShape{2, 256, 3});
}

void hgemm_deferred(Schedule& s, const NarrowMatmul& p) {
  const bool has_steps = p.expected.at("K") > 3 * depth_of(p);
  if (!p.stores_whole_pieces() || !has_steps) return hgemm_persistent(s, p);
  persistent_tiles(s, p, deferred_shape);
}

/// The shape by the sizes; operands are copied, and sums split, where that pays. A launch overlaps
/// with the one before.
void hgemm_tuned(Schedule& s, const NarrowMatmul& p) {
  s.launch_early();
  const auto [shape, how] = fastest(p);
  if (how.parts > 1) return tiles_of_parts(s, p, shape, how);
  persistent_tiles(s, p, shape, how);
}

}  // namespace hone

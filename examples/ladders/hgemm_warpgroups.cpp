// Products by warpgroups, whose tensor cores read tiles in shared memory.

#include "examples/ladders/wgmma_tiles.h"

namespace hone {
namespace {

OperandVectors vectors_of(Schedule& s, const NarrowMatmul& p) {
  return {promise_vectors(s, p.A, p.K, p.expected.at("K")), p.promise_right_vectors(s)};
}

/// The problem on operands that the copy engine can move: on copies of those whose rows lie at
/// other places than multiples of so many bytes.
NarrowMatmul for_engine(Schedule& s, NarrowMatmul p, const RowBytes& least = {}) {
  const auto fit = [&](Tensor& operand, const char* row, int64_t bytes) {
    const int64_t expected = p.expected.at(row);
    if (alignment_of_rows(p, expected) < bytes)
      operand = at_whole_lines(s, operand, p.size(row), expected);
    else
      promise_vectors(s, operand, p.size(row), expected);
  };
  fit(p.A, p.left_row(), least.A);
  fit(p.B, p.right_row(), least.B);
  return p;
}

/// The turns of blocks that stay, one for each multiprocessor, which take one tile after the other.
/// With a `peer`, the blocks of a cluster take neighbours.
Axis turns_of_blocks(Schedule& s, const NarrowMatmul& p, int64_t cluster, const Axis& group,
                     const Axis& slow, const Axis& fast,
                     const std::optional<Axis>& peer = std::nullopt) {
  const Axis inner = s.fuse(slow, fast);
  const Axis outer = p.batch ? s.fuse(*p.batch, group) : group;
  if (!peer) return persistent_blocks(s, outer, inner, multiprocessors);
  const Axis tile = s.fuse(outer, inner, {.name = "tile"});
  auto [turn, first] =
      s.split(tile, blocks_at_once(cluster) / cluster, {.names = {"turn", "pair_of_blocks"}});
  s.reorder({first, *peer, turn});
  s.bind(s.fuse(first, *peer), block.x);
  return turn;
}

/// Tiles of blocks that stay. Those of blocks that share an operand's tile are neighbours.
struct PersistentTiles {
  WgmmaTiles tiles;
  Axis turn;
};
PersistentTiles tiles_in_turns(Schedule& s, const NarrowMatmul& p, const WgmmaShape& shape,
                               const Preparation& how) {
  const int64_t rows = grid_of(p, shape, how).rows_of_group();
  auto [group, y] = s.split(p.y, rows * shape.rows(), {.tail = Tail::pad, .names = {"group"}});
  if (how.shared == Shared::A) {
    auto [pair, x] =
        s.split(p.x, how.blocks * shape.columns, {.tail = Tail::pad, .names = {"pair"}});
    s.reorder({pair, y, x});
    const WgmmaTiles tiles = wgmma_tiles(s, p, tile_loops(s, p, y, x, shape), shape);
    return {tiles, turns_of_blocks(s, p, how.blocks, group, pair, tiles.by, tiles.bx)};
  }
  const WgmmaTiles tiles =
      wgmma_tiles(s, p, tile_loops(s, p, y, p.x, shape, TileOrder::down), shape);
  if (how.shared == Shared::none)
    return {tiles, turns_of_blocks(s, p, how.blocks, group, tiles.bx, tiles.by)};
  auto [pair, peer] = s.split(tiles.by, how.blocks, {.names = {"pair", "peer"}});
  return {tiles, turns_of_blocks(s, p, how.blocks, group, tiles.bx, pair, peer)};
}

/// The copy engine takes results from shared memory while blocks multiply the next tile.
void persistent_tiles(Schedule& s, const NarrowMatmul& problem, const WgmmaShape& shape,
                      const Preparation& how = {}) {
  const NarrowMatmul p = for_engine(s, problem, how.least);
  if (p.is_rounded()) p.promise_result_vectors(s);
  const auto [tiles, turn] = tiles_in_turns(s, p, shape, how);
  fill_by_engine(s, tiles, shape);
  if (how.shared != Shared::none)
    s.multicast(how.shared == Shared::B ? tiles.shared.B : tiles.shared.A, how.blocks);
  if (shape.staged > 0) return store_in_stages(s, p, tiles.sums, shape);
  if (!p.is_rounded()) return;
  const int64_t row = p.is_result_transposed ? shape.rows() : shape.columns;
  if (shape.deferred == 0) return store_from_tile(s, p, tiles, row, turn);
  s.assume(p.K > (shape.columns / chunk_columns - 1) * depth_of(p));
  store_later(s, p, tiles, turn, shape.deferred);
}

/// The kernel that adds up the parts of sums and rounds them.
void round_sums(Schedule& s, const NarrowMatmul& p, const Axis& part) {
  const int64_t width = std::min<int64_t>(p.promise_result_vectors(s), 4);
  const Axis column = add_up_parts(s, p, part, width);
  if (width > 1) s.vectorize(s.axis(column.name() + ".post"));
}

/// Parts of each sum are products of their own, as those of a batch, which are added up behind.
void tiles_of_parts(Schedule& s, const NarrowMatmul& p, const WgmmaShape& shape,
                    const Preparation& how) {
  const int64_t steps = llvm::divideCeil(p.expected.at("K"), depth_of(p));
  auto [part, k] = s.split(p.k, llvm::divideCeil(steps, how.parts) * depth_of(p),
                           {.tail = Tail::pad, .names = {"part", "k"}});
  const RFactor sums = s.rfactor(p.result, part);
  NarrowMatmul product = p;
  product.batch = sums.partial;
  product.result = product.C = sums.tensor;
  product.bias = std::nullopt;  // it is added behind
  product.y = s.axis(sums.tensor, p.y);
  product.x = s.axis(sums.tensor, p.x);
  product.k = ReduceAxis(s.axis(sums.tensor, k));
  persistent_tiles(s, product, shape, how);
  round_sums(s, p, sums.total);
}

/// The loops of a product whose sums are a tile's, of the blocks of a cluster.
TileLoops loops_in_cluster(Schedule& s, const NarrowMatmul& product, const Axis& part) {
  auto [group, row] = s.split(product.y, group_rows, {.names = {"consumer", "row_of_part"}});
  auto [step, of_step] =
      s.split(product.k, depth_of(product), {.tail = Tail::pad, .names = {"step", nullptr}});
  s.bind(group, warpgroup);
  s.reorder({part, step, group, row, product.x, of_step});
  return {part, part, step, group, row, product.x};
}

/// Each block of the cluster adds up the parts of its share of the tile's rows, which lie in the
/// shared memory of all blocks: a vector for each thread, and rows of them for all.
void add_up_in_cluster(Schedule& s, const NarrowMatmul& p, const Axis& part, const Axis& row,
                       const Axis& column, const WgmmaShape& shape, int64_t parts) {
  const auto [width, threads, rows_at_once] = shares_of_sums(p, shape);
  p.promise_result_vectors(s);
  auto [block_in_cluster, own_row] =
      s.split(row, shape.rows() / parts, {.names = {"share", nullptr}});
  auto [turn, thread_row] = s.split(own_row, rows_at_once, {.names = {"turn", "thread_row"}});
  auto [vector, element] = s.split(column, width, {.names = {nullptr, "element"}});
  auto [piece, thread_column] = s.split(vector, threads, {.names = {"piece", "thread_column"}});
  s.reorder({block_in_cluster, thread_row, thread_column, turn, piece, part, element});
  s.bind(block_in_cluster, cluster.x);
  s.bind({thread_row, thread_column}, thread.x);
  for (const Axis& all_at_once : {turn, piece, part}) s.unroll(all_at_once);
  s.cache_registers(p.result, piece);
  if (width == 1) return;
  s.vectorize(element);
  s.vectorize(s.axis(element.name() + ".post"));
}

/// Parts of each sum are those of the blocks of a cluster.
void tiles_of_clusters(Schedule& s, const NarrowMatmul& problem, const WgmmaShape& shape,
                       const Preparation& how) {
  const NarrowMatmul p = for_engine(s, problem, how.least);
  auto [steps, of_step] = s.split(p.k, depth_of(p), {.tail = Tail::pad});
  auto [part, step] =
      s.split_into(steps, how.parts, {.tail = Tail::pad, .names = {"part", "step"}});
  const Axis k = s.fuse(step, of_step);
  const RFactor sums = s.rfactor(p.result, part);
  s.bind(sums.partial, cluster.x);
  auto [by, bx, row, column] = s.tile({p.y, p.x}, {shape.rows(), shape.columns},
                                      {Tail::pad, {"tile_row", "tile_column", "row", "column"}});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  const Tensor tile = s.compute_at(sums.tensor, bx, {.scope = Scope::shared});
  constexpr int64_t padding = 8;  // rows of a warp's lanes start at banks of their own
  s.layout(tile, Layout().pad(padding));
  NarrowMatmul product = p;
  product.result = product.C = tile;
  product.bias = std::nullopt;  // it is added behind
  product.y = s.axis(tile, p.y);
  product.x = s.axis(tile, p.x);
  product.k = ReduceAxis(k);
  product.N = product.expected["N"] = shape.columns;
  const TileLoops loops = loops_in_cluster(s, product, sums.partial);
  fill_by_engine(s, wgmma_tiles(s, product, loops, shape), shape);
  add_up_in_cluster(s, p, sums.total, row, column, shape, how.parts);
}

void tiles_of(Schedule& s, const NarrowMatmul& problem, const WgmmaChoice& choice) {
  const auto& [shape, how] = choice;
  const NarrowMatmul p = shape.is_turned ? problem.turned() : problem;
  if (shape.is_turned) s.reorder({p.y, p.x});
  if (how.parts == 1) return persistent_tiles(s, p, shape, how);
  (how.in_cluster ? tiles_of_clusters : tiles_of_parts)(s, p, shape, how);
}

}  // namespace

/// All threads fill tiles where rows hold no whole pieces of 16 bytes.
void hgemm_wgmma(Schedule& s, const NarrowMatmul& problem) {
  const WgmmaShape shape = problem.scales ? scaled_shape : WgmmaShape{2, 256, 4};
  const bool has_engine = problem.has_whole_pieces();
  const NarrowMatmul p = has_engine ? for_engine(s, problem) : problem;
  const OperandVectors vectors = has_engine ? OperandVectors() : vectors_of(s, p);
  const WgmmaTiles tiles = wgmma_tiles(s, p, tile_loops(s, p, p.y, p.x, shape), shape, vectors);
  if (p.batch) s.bind(*p.batch, block.z);
  const int64_t tile_rows = grid_of(p, shape, {}).rows;
  grouped_raster(s, tiles.by, tiles.bx, std::clamp<int64_t>(tile_rows, 1, 8));
  if (has_engine) {
    fill_by_engine(s, tiles, shape);
  } else {
    fill_by_threads(s, tiles);
  }
  if (p.is_rounded() && p.promise_result_vectors(s) > 1) s.vectorize(tiles.pair);
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
/// with the one before. Many tiles of products with scales are faster in blocks of their own.
void hgemm_tuned(Schedule& s, const NarrowMatmul& p) {
  s.launch_early();
  if (p.scales && p.has_whole_pieces() && grid_of(p, scaled_shape, {}).rounds() > 1)
    return hgemm_wgmma(s, p);
  tiles_of(s, p, fastest(p));
}

void hgemm_by_choice(Schedule& s, const NarrowMatmul& p, tune::Choices& choices) {
  s.launch_early();
  tiles_of(s, p, chosen(p, choices));
}

}  // namespace hone

// hgemm: C = A B of bf16, with sums in single precision.

#include "examples/ladders/matmul_tiles.h"

namespace hone {
namespace {

Matmul hgemm(const Sizes& fixed, const Sizes& expected) {
  const MatmulShape p(fixed);
  const Tensor A("A", bf16, {p.M, p.K}), B("B", bf16, {p.K, p.N}), C("C", f32, {p.M, p.N});
  const Program program("hgemm",
                        C(p.i, p.j) = sum(p.k, cast(f32, A(p.i, p.k)) * cast(f32, B(p.k, p.j))));
  return {p, A, B, C, p.i, p.j, program, expected};
}

/// The part of the result that a block and a warp compute, and how much of k a step takes.
struct MmaShape {
  int64_t block_rows, block_columns, step;
  int64_t warp_rows, warp_columns;
  int64_t group_rows = 0;  ///< of tiles (grouped_raster); 0: blocks go row by row
};

struct MmaTiles {
  Axis step, k_tile;
  Cache A_shared, B_shared, A_fragments, B_fragments;
  int64_t width;  ///< of the vectors of both operands
};

constexpr int64_t mma_rows = 16, mma_columns = 8, mma_depth = 16;

/// The loops that set a warp's sums to zero, or take them, go over its lanes as an mma has spread
/// them. Returns the loop over two neighbours.
Axis spread_sums(Schedule& s, const Axis& row, const Axis& column) {
  auto [upper, lane_row] = s.split(row, 8);
  auto [column_part, pairs] = s.split(column, 8);
  auto [lane_column, pair] = s.split(pairs, 2);
  s.bind({lane_row, lane_column}, lane);
  return pair;
}

MmaTiles mma_tiles(Schedule& s, const Matmul& p, const MmaShape& shape) {
  const int64_t A_width = promise_vectors(s, p.A, p.K, p.expected.at("K"));
  const int64_t B_width = promise_vectors(s, p.B, p.N, p.expected.at("N"));
  promise_vectors(s, p.result, p.N, p.expected.at("N"));
  auto [by, bx, rows, columns] =
      s.tile({p.y, p.x}, {shape.block_rows, shape.block_columns}, {.tail = Tail::pad});
  auto [wy, wx, warp_rows, warp_columns] =
      s.tile({rows, columns}, {shape.warp_rows, shape.warp_columns});
  auto [row_tile, column_tile, row, column] =
      s.tile({warp_rows, warp_columns}, {mma_rows, mma_columns});
  auto [step, of_step] = s.split(p.k, shape.step, {.tail = Tail::pad});
  auto [k_tile, k] = s.split(of_step, mma_depth);
  s.reorder({by, bx, wy, wx, step, k_tile, row_tile, column_tile, row, column, k});
  if (shape.group_rows > 0) {
    grouped_raster(s, by, bx, shape.group_rows);
  } else {
    s.bind(by, block.y);
    s.bind(bx, block.x);
  }
  s.bind({wy, wx}, warp);
  spread_sums(s, s.axis("i.1.1.1.init"), s.axis("j.1.1.1.init"));
  s.tensorize(row, "mma_m16n8k16_bf16");
  s.cache_registers(p.result, wx);
  const Cache A_shared =
      s.cache_shared(p.A, step, {.vectorize = A_width, .layout = Layout().pad(8)});
  const Cache B_shared =
      s.cache_shared(p.B, step, {.vectorize = B_width, .layout = Layout().pad(8)});
  const Cache A_fragments = s.cache_registers(A_shared, k_tile);
  const Cache B_fragments = s.cache_registers(B_shared, k_tile);
  s.unroll(k_tile);
  return {step, k_tile, A_shared, B_shared, A_fragments, B_fragments, std::min(A_width, B_width)};
}

/// Fragments are loaded 16 by 16 elements at a time.
void load_matrices(Schedule& s, const MmaTiles& tiles) {
  s.tensorize(tiles.A_fragments, "ldmatrix_x4_bf16");
  s.tensorize(tiles.B_fragments, "ldmatrix_x4_trans_bf16");
}

constexpr MmaShape large_mma_tiles = {128, 128, 32, 64, 32};

void mma_sync(Schedule& s, const Matmul& p) { mma_tiles(s, p, large_mma_tiles); }

void ldmatrix(Schedule& s, const Matmul& p) { load_matrices(s, mma_tiles(s, p, large_mma_tiles)); }

void async_copy(Schedule& s, const Matmul& p) {
  const MmaTiles tiles = mma_tiles(s, p, large_mma_tiles);
  load_matrices(s, tiles);
  if (tiles.width == 1) return;  // asynchronous copies move 4 bytes at least
  s.copy_async(tiles.A_shared);
  s.copy_async(tiles.B_shared);
  s.pipeline(tiles.step, 3);
}

constexpr MmaShape huge_mma_tiles = {128, 256, 32, 64, 64, 8};

/// Producers move single elements where rows hold no vectors: the blocks make their copies together
/// then.
void producer_consumer(Schedule& s, const Matmul& p) {
  const MmaTiles tiles = mma_tiles(s, p, huge_mma_tiles);
  load_matrices(s, tiles);
  if (tiles.width == 1) return;
  s.copy_async(tiles.A_shared);
  s.copy_async(tiles.B_shared);
  s.pipeline(tiles.k_tile, 2);
  s.specialize(tiles.step, 4,
               {.producer_warps = 4, .producer_registers = 40, .consumer_registers = 232});
  s.prefetch(tiles.step);
}

// ---- B transposed -------------------------------------------------------------------------------

/// A product whose sums, in single precision, are rounded to bf16.
struct RoundedMatmul : Matmul {
  Tensor sums;
  Axis sum_y, sum_x;
};

RoundedMatmul hgemm_transposed(const Sizes& fixed, const Sizes& expected) {
  const MatmulShape p(fixed);
  const Tensor A("A", bf16, {p.M, p.K}), B("B", bf16, {p.N, p.K}), C("C", bf16, {p.M, p.N});
  const Tensor S("S", f32, {p.M, p.N});
  const Axis y("y", p.M), x("x", p.N);
  const Program program("hgemm_nt",
                        {S(p.i, p.j) = sum(p.k, cast(f32, A(p.i, p.k)) * cast(f32, B(p.j, p.k))),
                         C(y, x) = cast(bf16, S(y, x))});
  return {{p, A, B, C, y, x, program, expected}, S, p.i, p.j};
}

/// A kernel for the sums, and one that rounds them.
void sums_and_roundings(Schedule& s, const RoundedMatmul& p) {
  Matmul of_sums = p;
  of_sums.result = p.sums;
  of_sums.y = p.sum_y;
  of_sums.x = p.sum_x;
  sums_in_registers(s, of_sums);
  square_blocks(s, p, 32);
}

constexpr int64_t wgmma_rows = 64, wgmma_columns = 256, wgmma_depth = 64;
constexpr WarpRoles wgmma_roles = {
    .producer_warps = 4, .producer_registers = 40, .consumer_registers = 232};

/// Tiles of sums, of which two warpgroups have 64 rows each, and what they take of k.
struct WgmmaTiles {
  Axis by, bx, group, step, row;
};

WgmmaTiles wgmma_tiles(Schedule& s, const Axis& y, const Axis& x, const Axis& k) {
  auto [by, bx, rows, column] =
      s.tile({y, x}, {2 * wgmma_rows, wgmma_columns}, {.tail = Tail::pad});
  auto [group, row] = s.split(rows, wgmma_rows);
  auto [step, of_step] = s.split(k, wgmma_depth, {.tail = Tail::pad});
  s.reorder({by, bx, group, step, row, column, of_step});
  return {by, bx, group, step, row};
}

/// The rows of a warpgroup's lanes, and their columns. Returns the loop over two neighbours.
Axis spread_over_group(Schedule& s, const Axis& row, const Axis& column) {
  auto [of_warp, rows] = s.split(row, 16);
  s.bind(of_warp, warp);
  return spread_sums(s, rows, column);
}

/// The copy engine fills the tiles of both operands, which producers ask for, where rows hold whole
/// pieces of 16 bytes; else all threads do.
void fill_tiles(Schedule& s, const Axis& step, std::initializer_list<Cache> tiles, bool is_whole) {
  for (const Cache& tile : tiles) is_whole ? s.copy_async(tile) : s.align(tile, 1024);
  if (!is_whole) return;
  s.specialize(step, 4, wgmma_roles);
  for (const Cache& tile : tiles) s.copy_bulk(tile);
}

const Layout rows_of_128_bytes = Layout().swizzle_bytes(128, bf16);
const Layout panels_of_128_bytes =
    Layout::order({IndexDigit(1) / 64, 0, IndexDigit(1) % 64}).swizzle_bytes(128, bf16);

/// Two warpgroups multiply tiles of 128 rows and 256 columns, 64 products deep.
void wgmma(Schedule& s, const Matmul& p) {
  const int64_t A_width = promise_vectors(s, p.A, p.K, p.expected.at("K"));
  const int64_t B_width = promise_vectors(s, p.B, p.N, p.expected.at("N"));
  const WgmmaTiles tiles = wgmma_tiles(s, p.y, p.x, p.k);
  grouped_raster(s, tiles.by, tiles.bx, 8);
  s.bind(tiles.group, warpgroup);
  spread_over_group(s, s.axis("i.1.1.init"), s.axis("j.1.init"));
  s.tensorize(tiles.row, "wgmma_m64n256k64_kn_bf16");
  s.cache_registers(p.result, tiles.group);
  const Cache A_shared =
      s.cache_shared(p.A, tiles.step, {.vectorize = A_width, .layout = rows_of_128_bytes});
  const Cache B_shared =
      s.cache_shared(p.B, tiles.step, {.vectorize = B_width, .layout = panels_of_128_bytes});
  fill_tiles(s, tiles.step, {A_shared, B_shared}, std::min(A_width, B_width) == 8);
}

/// The same of a product whose sums are rounded, where its lanes have them: the loops over tiles of
/// sums, and over tiles of the result, are one.
void wgmma_rounded(Schedule& s, const RoundedMatmul& p) {
  const int64_t width = promise_vectors(s, p.A, p.K, p.expected.at("K"));
  promise_vectors(s, p.B, p.K, p.expected.at("K"));
  const auto [by, bx, group, step, row] = wgmma_tiles(s, p.sum_y, p.sum_x, p.k);
  auto [y, x, out_rows, out_column] = s.tile({p.y, p.x}, {2 * wgmma_rows, wgmma_columns});
  auto [out_group, out_row] = s.split(out_rows, wgmma_rows);
  s.reorder({y, x, out_group, out_row, out_column});
  s.merge(by, y);
  s.merge(bx, x);
  s.merge(group, out_group);
  grouped_raster(s, by, bx, 8);
  s.bind(group, warpgroup);
  spread_over_group(s, s.axis("i.1.1.init"), s.axis("j.1.init"));
  const Axis pair = spread_over_group(s, out_row, out_column);
  s.tensorize(row, "wgmma_m64n256k64_bf16");
  s.cache_registers(p.sums, group);
  const Cache A_shared =
      s.cache_shared(p.A, step, {.vectorize = width, .layout = rows_of_128_bytes});
  const Cache B_shared =
      s.cache_shared(p.B, step, {.vectorize = width, .layout = rows_of_128_bytes});
  fill_tiles(s, step, {A_shared, B_shared}, width == 8);
  if (promise_vectors(s, p.result, p.N, p.expected.at("N")) > 1) s.vectorize(pair);
}

}  // namespace

Ladder hgemm_ladder() {
  Ladder ladder =
      matmul_family("hgemm", "C = A B of bf16, row-major, with sums in single precision", hgemm);
  ladder.bytes = [](const Sizes& sizes) {
    const double m = sizes.at("M"), n = sizes.at("N"), k = sizes.at("K");
    return 2.0 * (m * k + k * n) + 4.0 * m * n;
  };
  const RungMaker rung(hgemm);
  ladder.rungs = {
      rung("global", "one thread per element, sums in a register",
           "Blocks of 32 x 32 threads cover C. Each product is converted and added on CUDA cores.",
           sums_in_registers),
      shared_32_rung(rung),
      rung(
          "mma-sync", "warps multiply tiles of 16 x 8 x 16 by their tensor cores",
          "The lanes of a warp have the elements of a tile among them, as the instruction mma.sync "
          "has spread them: four sums a lane. Each warp has 64 x 32 elements of C.",
          mma_sync, {.builds_on = "shared-32"}),
      rung("ldmatrix", "fragments are loaded four matrices of 8 x 8 at a time",
           "A load ldmatrix takes a row of eight elements from each lane, and gives each lane what "
           "mma.sync takes from it; those of B come transposed. Rows of tiles are 16 bytes longer "
           "than they have to be, so that eight of them lie in different banks.",
           ldmatrix, {.builds_on = "mma-sync"}),
      rung(
          "async-copy", "three tiles: the copies of two steps on their way",
          "Copies go to shared memory without a register on the way, two steps ahead of their use.",
          async_copy, {.builds_on = "ldmatrix"}),
      rung("producer-consumer", "warps of their own make the copies",
           "Four warps fill tiles up to four steps ahead, and give registers to the eight others, "
           "each of which has 64 x 64 elements of C. Fragments of the next product are loaded "
           "during this one, from one step to the next, too. Blocks take tiles in groups of eight "
           "rows of them, which find their operands in the L2 cache.",
           producer_consumer, {.builds_on = "async-copy"}),
      rung("wgmma", "warpgroups multiply tiles in shared memory",
           "The copy engine fills tiles up to four steps ahead; those of B lie in panels of 64 "
           "columns. Two warpgroups multiply 64 rows by 256 columns each, 64 products deep, and "
           "read their operands from shared memory: nothing is loaded to registers.",
           wgmma, {.builds_on = "producer-consumer"}),
  };
  return ladder;
}

Ladder hgemm_nt_ladder() {
  Ladder ladder =
      matmul_family("hgemm-nt", "C = A B^T of bf16, row-major, with sums in single precision",
                    [](const Sizes& fixed, const Sizes& expected) -> Matmul {
                      return hgemm_transposed(fixed, expected);
                    });
  ladder.bytes = [](const Sizes& sizes) {
    const double m = sizes.at("M"), n = sizes.at("N"), k = sizes.at("K");
    return 2.0 * (m * k + k * n + m * n);
  };
  const RungMaker rung(hgemm_transposed);
  ladder.rungs = {
      rung("global", "one thread per element, sums in a register",
           "Blocks of 32 x 32 threads compute the sums, each product on CUDA cores, and a second "
           "kernel rounds them.",
           sums_and_roundings),
      rung("wgmma", "warpgroups multiply tiles in shared memory by their tensor cores",
           "The copy engine fills tiles up to four steps ahead. Two warpgroups multiply 64 rows by "
           "256 columns each, 64 products deep, and round what their lanes have.",
           wgmma_rounded, {.builds_on = "global"}),
  };
  return ladder;
}

}  // namespace hone

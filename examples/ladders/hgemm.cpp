// hgemm: C = A B of bf16. Sums in single precision are rounded at the end.

#include "examples/ladders/matmul_tiles.h"

namespace hone {
namespace {

/// Its `result` are the sums, of which C is made.
struct HalfMatmul : Matmul {
  Tensor C;
  bool is_transposed = false;  ///< B, whose rows run along k then

  /// The length of B's rows.
  const char* right_row() const { return is_transposed ? "K" : "N"; }
  int64_t promise_right_vectors(Schedule& s) const {
    return promise_vectors(s, B, is_transposed ? K : N, expected.at(right_row()));
  }
  /// The rows of both operands are pieces of 16 bytes, as the copy engine moves them.
  bool has_whole_pieces() const {
    return expected.at("K") % 8 == 0 && expected.at(right_row()) % 8 == 0;
  }
};

HalfMatmul product(const char* name, bool is_transposed, const Sizes& fixed,
                   const Sizes& expected) {
  const MatmulShape p(fixed);
  const Tensor A("A", bf16, {p.M, p.K}), C("C", bf16, {p.M, p.N});
  const Tensor B = is_transposed ? Tensor("B", bf16, {p.N, p.K}) : Tensor("B", bf16, {p.K, p.N});
  const Expr b = is_transposed ? B(p.j, p.k) : B(p.k, p.j);
  const Definition rounded = C(p.i, p.j) =
      cast(bf16, sum(p.k, cast(f32, A(p.i, p.k)) * cast(f32, b)));
  return {{p, A, B, Tensor(rounded.reduced()), p.i, p.j, Program(name, rounded), expected},
          C,
          is_transposed};
}

HalfMatmul hgemm(const Sizes& fixed, const Sizes& expected) {
  return product("hgemm", false, fixed, expected);
}

HalfMatmul hgemm_transposed(const Sizes& fixed, const Sizes& expected) {
  return product("hgemm_nt", true, fixed, expected);
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

/// A loop over a warp's sums, which sets or takes them, goes over its lanes as an mma has spread
/// them. Returns the loop over two neighbours.
Axis spread_sums(Schedule& s, const Axis& row, const Axis& column) {
  auto [upper, lane_row] = s.split(row, 8);
  auto [column_part, pairs] = s.split(column, 8);
  auto [lane_column, pair] = s.split(pairs, 2);
  s.bind({lane_row, lane_column}, lane);
  return pair;
}

MmaTiles mma_tiles(Schedule& s, const HalfMatmul& p, const MmaShape& shape) {
  const int64_t A_width = promise_vectors(s, p.A, p.K, p.expected.at("K"));
  const int64_t B_width = p.promise_right_vectors(s);
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
  const Axis pair = spread_sums(s, s.axis("i.1.1.1.post"), s.axis("j.1.1.1.post"));
  s.tensorize(row, "mma_m16n8k16_bf16");
  s.cache_registers(p.result, wx);
  const Cache A_shared =
      s.cache_shared(p.A, step, {.vectorize = A_width, .layout = Layout().pad(8)});
  const Cache B_shared =
      s.cache_shared(p.B, step, {.vectorize = B_width, .layout = Layout().pad(8)});
  const Cache A_fragments = s.cache_registers(A_shared, k_tile);
  const Cache B_fragments = s.cache_registers(B_shared, k_tile);
  s.unroll(k_tile);
  if (promise_vectors(s, p.C, p.N, p.expected.at("N")) > 1) s.vectorize(pair);
  return {step, k_tile, A_shared, B_shared, A_fragments, B_fragments, std::min(A_width, B_width)};
}

/// Fragments are loaded 16 by 16 elements at a time.
void load_matrices(Schedule& s, const MmaTiles& tiles) {
  s.tensorize(tiles.A_fragments, "ldmatrix_x4_bf16");
  s.tensorize(tiles.B_fragments, "ldmatrix_x4_trans_bf16");
}

constexpr MmaShape large_mma_tiles = {128, 128, 32, 64, 32};

void mma_sync(Schedule& s, const HalfMatmul& p) { mma_tiles(s, p, large_mma_tiles); }

void ldmatrix(Schedule& s, const HalfMatmul& p) {
  load_matrices(s, mma_tiles(s, p, large_mma_tiles));
}

void async_copy(Schedule& s, const HalfMatmul& p) {
  const MmaTiles tiles = mma_tiles(s, p, large_mma_tiles);
  load_matrices(s, tiles);
  if (tiles.width == 1) return;  // asynchronous copies move 4 bytes at least
  s.copy_async(tiles.A_shared);
  s.copy_async(tiles.B_shared);
  s.pipeline(tiles.step, 3);
}

constexpr MmaShape huge_mma_tiles = {128, 256, 32, 64, 64, 8};

/// Producers move no single elements, which rows without vectors have: the blocks make their copies
/// together then.
void producer_consumer(Schedule& s, const HalfMatmul& p) {
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

// ---- Warpgroups ---------------------------------------------------------------------------------

constexpr int64_t group_rows = 64, depth = 64;

/// The part of C that a block's warpgroups compute, 64 rows each, and the steps that tiles are
/// filled ahead.
struct WgmmaShape {
  int64_t groups, columns, stages;
  int64_t in_flight = 0;  ///< steps whose products go on while the next ones start

  int64_t rows() const { return groups * group_rows; }
  /// One warpgroup has registers enough.
  WarpRoles roles() const {
    if (groups == 1) return {.producer_warps = 1, .in_flight = in_flight};
    return {.producer_warps = 4,
            .producer_registers = 40,
            .consumer_registers = 232,
            .in_flight = in_flight};
  }
  std::string instruction(bool is_transposed) const {
    return fmt::format("wgmma_m64n{}k64{}_bf16", columns, is_transposed ? "" : "_kn");
  }
};

const Layout rows_of_128_bytes = Layout().swizzle_bytes(128, bf16);
const Layout panels_of_128_bytes =
    Layout::order({IndexDigit(1) / 64, 0, IndexDigit(1) % 64}).swizzle_bytes(128, bf16);

struct WgmmaTiles {
  Axis by, bx, step;
  Axis pair;  ///< of neighbours in C that a lane has
  Cache A_shared, B_shared;
};

/// The rows and columns of a warpgroup's sums, among its lanes. Returns the loop over neighbours.
Axis spread_over_group(Schedule& s, const Axis& row, const Axis& column) {
  auto [of_warp, rows] = s.split(row, 16);
  s.bind(of_warp, warp);
  return spread_sums(s, rows, column);
}

/// Tiles of the rows of `y`, which are some of C's; 64 products deep.
WgmmaTiles wgmma_tiles(Schedule& s, const HalfMatmul& p, const Axis& y, const WgmmaShape& shape) {
  const int64_t A_width = promise_vectors(s, p.A, p.K, p.expected.at("K"));
  const int64_t B_width = p.promise_right_vectors(s);
  auto [by, bx, rows, column] =
      s.tile({y, p.x}, {shape.rows(), shape.columns}, {.tail = Tail::pad});
  auto [group, row] = s.split(rows, group_rows);
  auto [step, of_step] = s.split(p.k, depth, {.tail = Tail::pad});
  s.reorder({by, bx, group, step, row, column, of_step});
  s.bind(group, warpgroup);
  spread_over_group(s, s.axis(row.name() + ".init"), s.axis(column.name() + ".init"));
  const Axis pair =
      spread_over_group(s, s.axis(row.name() + ".post"), s.axis(column.name() + ".post"));
  s.tensorize(row, shape.instruction(p.is_transposed));
  s.cache_registers(p.result, group);
  const Layout& B_layout = p.is_transposed ? rows_of_128_bytes : panels_of_128_bytes;
  return {by,
          bx,
          step,
          pair,
          s.cache_shared(p.A, step, {.vectorize = A_width, .layout = rows_of_128_bytes}),
          s.cache_shared(p.B, step, {.vectorize = B_width, .layout = B_layout})};
}

/// Producers ask the copy engine for the tiles of both operands.
void fill_by_engine(Schedule& s, const WgmmaTiles& tiles, const WgmmaShape& shape) {
  for (const Cache& tile : {tiles.A_shared, tiles.B_shared}) s.copy_async(tile);
  s.specialize(tiles.step, shape.stages, shape.roles());
  for (const Cache& tile : {tiles.A_shared, tiles.B_shared}) s.copy_bulk(tile);
}

/// All threads fill tiles where rows hold no whole pieces of 16 bytes.
void wgmma(Schedule& s, const HalfMatmul& p) {
  constexpr WgmmaShape shape = {.groups = 2, .columns = 256, .stages = 4};
  const WgmmaTiles tiles = wgmma_tiles(s, p, p.y, shape);
  grouped_raster(s, tiles.by, tiles.bx, 8);
  if (p.has_whole_pieces()) {
    fill_by_engine(s, tiles, shape);
  } else {
    for (const Cache& tile : {tiles.A_shared, tiles.B_shared}) s.align(tile, 1024);
  }
  if (promise_vectors(s, p.C, p.N, p.expected.at("N")) > 1) s.vectorize(tiles.pair);
}

/// The rows of a group of so many tiles: about eight, of which the last group has as many as it
/// can.
int64_t rows_of_group(int64_t tiles) {
  const auto left_out = [&](int64_t rows) { return (rows - tiles % rows) % rows; };
  int64_t best = std::min<int64_t>(8, tiles);
  for (int64_t rows = 5; rows <= std::min<int64_t>(16, tiles); ++rows)
    if (left_out(rows) < left_out(best)) best = rows;
  return best;
}

constexpr int64_t multiprocessors = 132;  ///< of an H100 or H200

/// Blocks stay, one for each multiprocessor, and take one tile after the other. The copy engine
/// takes results from shared memory while they multiply the next tile.
void persistent_tiles(Schedule& s, const HalfMatmul& p, const WgmmaShape& shape) {
  promise_vectors(s, p.C, p.N, p.expected.at("N"));
  const int64_t rows = rows_of_group(llvm::divideCeil(p.expected.at("M"), shape.rows()));
  auto [group, y] = s.split(p.y, rows * shape.rows(), {.tail = Tail::pad});
  const WgmmaTiles tiles = wgmma_tiles(s, p, y, shape);
  s.reorder({group, tiles.bx, tiles.by});
  const Axis turn = persistent_blocks(s, group, s.fuse(tiles.bx, tiles.by), multiprocessors);
  const Cache C_shared = s.cache_shared(p.C, turn, {.layout = panels_of_128_bytes});
  fill_by_engine(s, tiles, shape);
  s.copy_bulk(C_shared);
  s.vectorize(tiles.pair);
}

void persistent(Schedule& s, const HalfMatmul& p) {
  if (!p.has_whole_pieces() || p.expected.at("N") % 8 != 0) return wgmma(s, p);
  persistent_tiles(s, p, {.groups = 2, .columns = 256, .stages = 3});
}

/// A shape with the microseconds that a block takes for a step of a tile, and for all but its
/// steps, as measured on an H200.
struct TimedShape {
  WgmmaShape shape;
  double step;
  static constexpr double rest = 0.6;

  double microseconds(const Sizes& sizes) const {
    const int64_t tiles = llvm::divideCeil(sizes.at("M"), shape.rows()) *
                          llvm::divideCeil(sizes.at("N"), shape.columns);
    const int64_t rounds = llvm::divideCeil(tiles, multiprocessors);
    const int64_t steps = llvm::divideCeil(sizes.at("K"), depth);
    return static_cast<double>(rounds) * (static_cast<double>(steps) * step + rest);
  }
};

constexpr TimedShape timed_shapes[] = {
    {{.groups = 2, .columns = 256, .stages = 3}, 0.645},
    {{.groups = 2, .columns = 192, .stages = 4}, 0.485},
    {{.groups = 1, .columns = 256, .stages = 4, .in_flight = 1}, 0.365},
    {{.groups = 2, .columns = 128, .stages = 5}, 0.335},
    {{.groups = 1, .columns = 128, .stages = 8, .in_flight = 1}, 0.25},
};

/// The shape by the sizes. A launch overlaps with the one before.
void tuned(Schedule& s, const HalfMatmul& p) {
  s.launch_early();
  if (!p.has_whole_pieces() || p.expected.at("N") % 8 != 0) return wgmma(s, p);
  const auto is_faster = [&](const TimedShape& one, const TimedShape& other) {
    return one.microseconds(p.expected) < other.microseconds(p.expected);
  };
  const TimedShape& best =
      *std::min_element(std::begin(timed_shapes), std::end(timed_shapes), is_faster);
  persistent_tiles(s, p, best.shape);
}

// ---- Ladders ------------------------------------------------------------------------------------

template <HalfMatmul (*make)(const Sizes& fixed, const Sizes& expected)>
Matmul without_rounding(const Sizes& fixed, const Sizes& expected) {
  return make(fixed, expected);
}

template <HalfMatmul (*make)(const Sizes& fixed, const Sizes& expected)>
Ladder half_family(const char* name, const char* title) {
  Ladder ladder = matmul_family(name, title, without_rounding<make>);
  ladder.bytes = [](const Sizes& sizes) {
    const double m = sizes.at("M"), n = sizes.at("N"), k = sizes.at("K");
    return 2.0 * (m * k + k * n + m * n);
  };
  return ladder;
}

Rung wgmma_rung(const RungMaker<HalfMatmul>& rung, const char* builds_on) {
  return rung("wgmma", "warpgroups multiply tiles in shared memory",
              "The copy engine fills tiles up to four steps ahead. Two warpgroups multiply 64 rows "
              "by 256 columns each, 64 products deep, and read their operands from shared memory: "
              "nothing is loaded to registers. They round what their lanes have.",
              wgmma, {.builds_on = builds_on});
}

Rung tuned_rung(const RungMaker<HalfMatmul>& rung) {
  return rung("tuned", "tiles by size, and launches that overlap",
              "Tiles are as large as the sizes leave one for each multiprocessor. A single "
              "warpgroup starts the next product while one goes on. Blocks of the next launch "
              "start where those of this one leave room.",
              tuned, {.builds_on = "persistent"});
}

Rung persistent_rung(const RungMaker<HalfMatmul>& rung) {
  return rung("persistent", "blocks stay, and the copy engine takes results away",
              "A block for each multiprocessor takes one tile after the other. Results lie in "
              "shared memory until the copy engine has taken them, while the warpgroups multiply "
              "the next tile; producers fetch ahead from one tile to the next.",
              persistent, {.builds_on = "wgmma"});
}

}  // namespace

Ladder hgemm_ladder() {
  Ladder ladder = half_family<hgemm>("hgemm", "C = A B of bf16, row-major");
  const RungMaker rung(hgemm);
  ladder.rungs = {
      rung("global", "one thread per element, sums in a register",
           "Blocks of 32 x 32 threads cover C. Each product is converted and added on CUDA cores.",
           sums_in_registers),
      shared_32_rung(RungMaker<Matmul>(without_rounding<hgemm>)),
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
      wgmma_rung(rung, "producer-consumer"),
      persistent_rung(rung),
      tuned_rung(rung),
  };
  return ladder;
}

Ladder hgemm_nt_ladder() {
  Ladder ladder = half_family<hgemm_transposed>("hgemm-nt", "C = A B^T of bf16, row-major");
  const RungMaker rung(hgemm_transposed);
  ladder.rungs = {
      rung("global", "one thread per element, sums in a register",
           "Blocks of 32 x 32 threads cover C. Each product is converted and added on CUDA cores.",
           sums_in_registers),
      wgmma_rung(rung, "global"),
      persistent_rung(rung),
      tuned_rung(rung),
  };
  return ladder;
}

}  // namespace hone

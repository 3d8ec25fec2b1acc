// hgemm: C = A B of bf16, or of f16. Sums in single precision are rounded at the end.

#include "examples/ladders/hgemm.h"

namespace hone {

NarrowMatmul NarrowMatmul::turned() const {
  NarrowMatmul result = *this;
  std::swap(result.A, result.B);
  std::swap(result.M, result.N);
  std::swap(result.y, result.x);
  std::swap(result.expected.at("M"), result.expected.at("N"));
  result.is_left_transposed = !is_transposed;
  result.is_transposed = !is_left_transposed;
  result.is_result_transposed = !is_result_transposed;
  return result;
}

namespace {

NarrowMatmul product(const char* name, DType type, bool is_transposed, const Sizes& fixed,
                     const Sizes& expected) {
  const MatmulShape p(fixed);
  const Tensor A("A", type, {p.M, p.K}), C("C", type, {p.M, p.N});
  const Tensor B = is_transposed ? Tensor("B", type, {p.N, p.K}) : Tensor("B", type, {p.K, p.N});
  const Expr b = is_transposed ? B(p.j, p.k) : B(p.k, p.j);
  const Definition rounded = C(p.i, p.j) =
      cast(type, sum(p.k, cast(f32, A(p.i, p.k)) * cast(f32, b)));
  return {{p, A, B, Tensor(rounded.reduced()), p.i, p.j, Program(name, rounded), expected},
          C,
          is_transposed};
}

NarrowMatmul hgemm(const Sizes& fixed, const Sizes& expected) {
  return product("hgemm", bf16, false, fixed, expected);
}

NarrowMatmul hgemm_transposed(const Sizes& fixed, const Sizes& expected) {
  return product("hgemm_nt", bf16, true, fixed, expected);
}

NarrowMatmul hgemm_f16(const Sizes& fixed, const Sizes& expected) {
  return product("hgemm_f16", f16, false, fixed, expected);
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

MmaTiles mma_tiles(Schedule& s, const NarrowMatmul& p, const MmaShape& shape) {
  const int64_t A_width = promise_vectors(s, p.A, p.K, p.expected.at("K"));
  const int64_t B_width = p.promise_right_vectors(s);
  auto [by, bx, rows, columns] =
      s.tile({p.y, p.x}, {shape.block_rows, shape.block_columns},
             {Tail::pad, {"block_row", "block_column", nullptr, nullptr}});
  auto [wy, wx, warp_rows, warp_columns] =
      s.tile({rows, columns}, {shape.warp_rows, shape.warp_columns},
             {.names = {"warp_row", "warp_column", nullptr, nullptr}});
  auto [row_tile, column_tile, row, column] =
      s.tile({warp_rows, warp_columns}, {mma_rows, mma_columns},
             {.names = {"row_tile", "column_tile", "row", "column"}});
  auto [step, of_step] = s.split(p.k, shape.step, {.tail = Tail::pad, .names = {"step", nullptr}});
  auto [k_tile, k] = s.split(of_step, mma_depth, {.names = {"k_tile", "k"}});
  s.reorder({by, bx, wy, wx, step, k_tile, row_tile, column_tile, row, column, k});
  if (shape.group_rows > 0) {
    grouped_raster(s, by, bx, shape.group_rows);
  } else {
    s.bind(by, block.y);
    s.bind(bx, block.x);
  }
  s.bind({wy, wx}, warp);
  constexpr const char* instruction = "mma_m16n8k16_bf16";
  s.spread({s.axis("row.init"), s.axis("column.init")}, instruction);
  const Axis pair = s.spread({s.axis("row.post"), s.axis("column.post")}, instruction).back();
  s.tensorize(row, instruction);
  s.cache_registers(p.result, wx);
  const Cache A_shared =
      s.cache_shared(p.A, step, {.vectorize = A_width, .layout = Layout().pad(8)});
  const Cache B_shared =
      s.cache_shared(p.B, step, {.vectorize = B_width, .layout = Layout().pad(8)});
  const Cache A_fragments = s.cache_registers(A_shared, k_tile);
  const Cache B_fragments = s.cache_registers(B_shared, k_tile);
  s.unroll(k_tile);
  if (p.promise_result_vectors(s) > 1) s.vectorize(pair);
  return {step, k_tile, A_shared, B_shared, A_fragments, B_fragments, std::min(A_width, B_width)};
}

/// Fragments are loaded 16 by 16 elements at a time.
void load_matrices(Schedule& s, const MmaTiles& tiles) {
  s.tensorize(tiles.A_fragments, "ldmatrix_x4_bf16");
  s.tensorize(tiles.B_fragments, "ldmatrix_x4_trans_bf16");
}

constexpr MmaShape large_mma_tiles = {128, 128, 32, 64, 32};

void mma_sync(Schedule& s, const NarrowMatmul& p) { mma_tiles(s, p, large_mma_tiles); }

void ldmatrix(Schedule& s, const NarrowMatmul& p) {
  load_matrices(s, mma_tiles(s, p, large_mma_tiles));
}

void async_copy(Schedule& s, const NarrowMatmul& p) {
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
void producer_consumer(Schedule& s, const NarrowMatmul& p) {
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

// ---- Ladders ------------------------------------------------------------------------------------

template <NarrowMatmul (*make)(const Sizes& fixed, const Sizes& expected)>
Ladder half_family(const char* name, const char* title) {
  Ladder ladder = matmul_family(name, title, as_matmul<make>);
  ladder.bytes = [](const Sizes& sizes) {
    const double m = sizes.at("M"), n = sizes.at("N"), k = sizes.at("K");
    return 2.0 * (m * k + k * n + m * n);
  };
  return ladder;
}

}  // namespace

Rung wgmma_rung(const RungMaker<NarrowMatmul>& rung, const char* base) {
  return rung("wgmma", "warpgroups multiply tiles in shared memory",
              {wgmma_question,
               "The copy engine fills tiles up to four steps ahead: rows of 128 bytes. Two "
               "warpgroups multiply 64 rows by 256 columns each, and read their operands from "
               "shared memory: nothing is loaded to registers. They round what their lanes have."},
              hgemm_wgmma, {.builds_on = base});
}

Rung tuned_rung(const RungMaker<NarrowMatmul>& rung) {
  return rung.tunable(
      rung("tuned", "tiles by size, and launches that overlap",
           {tuned_question,
            "Tiles are as large as they can be while each multiprocessor still gets one. A single "
            "warpgroup starts the next product while one is under way. Where rows start within "
            "lines of memory, blocks of a cluster fetch tiles for each other, or operands are "
            "copied first. Where there are few tiles, several blocks share long sums. Blocks of "
            "the next launch start where those of this one leave room."},
           hgemm_tuned, {.builds_on = "deferred"}),
      hgemm_by_choice);
}

Rung deferred_rung(const RungMaker<NarrowMatmul>& rung) {
  return rung("deferred", "results leave among the products of the next tile",
              {"Warpgroups stop multiplying while they put results into shared memory. When could "
               "they do that without stopping the tensor cores?",
               "Warpgroups round their sums to registers and go on with the next tile. During its "
               "first four steps, while the tensor cores multiply, they put 64 columns of results "
               "each into shared memory, from where the copy engine takes them."},
              hgemm_deferred, {.builds_on = "persistent"});
}

Rung persistent_rung(const RungMaker<NarrowMatmul>& rung) {
  return rung("persistent", "blocks stay, and the copy engine takes results away",
              {"While a block stores its results, its tensor cores stand idle. What could they do?",
               "A block for each multiprocessor takes one tile after the other. Warps put results "
               "into shared memory four matrices of 8 x 8 at a time; they lie there until the copy "
               "engine has taken them, while the warpgroups multiply the next tile. Producers "
               "fetch ahead from one tile to the next."},
              hgemm_persistent, {.builds_on = "wgmma"});
}

Ladder hgemm_ladder() {
  Ladder ladder = half_family<hgemm>("hgemm", "C = A B of bf16, row-major");
  const RungMaker rung(hgemm);
  ladder.rungs = {
      rung("global", "one thread per element, sums in a register",
           "Blocks of 32 x 32 threads cover C. Each product is converted and added on CUDA cores.",
           sums_in_registers),
      shared_32_rung(RungMaker<Matmul>(as_matmul<hgemm>)),
      rung("mma-sync", "warps multiply tiles of 16 x 8 x 16 by their tensor cores",
           {"Tensor cores multiply whole tiles. How do the lanes of a warp hand them over?",
            "The lanes hold the elements of a tile between them, as the instruction mma.sync "
            "prescribes: four sums a lane. Each warp has 64 x 32 elements of C."},
           mma_sync, {.builds_on = "shared-32"}),
      rung("ldmatrix", "fragments are loaded four matrices of 8 x 8 at a time",
           {"Each lane collects its fragments by small loads. Can an instruction load them for the "
            "whole warp?",
            "The instruction ldmatrix takes the address of a row of eight elements from each lane, "
            "and gives each lane the elements that mma.sync expects from it; those of B come "
            "transposed. Rows of tiles have 16 unused bytes at their ends, so that eight of them "
            "lie in different banks."},
           ldmatrix, {.builds_on = "mma-sync"}),
      rung("async-copy", "three tiles, the copies of two steps in flight",
           {"A tile passes through registers, and nothing is multiplied meanwhile. Can copies run "
            "by themselves?",
            "Copies go to shared memory without a register on the way, two steps ahead of their "
            "use."},
           async_copy, {.builds_on = "ldmatrix"}),
      rung("producer-consumer", "producer warps issue the copies",
           {"Warps that multiply also issue copies. Could other warps do that?",
            "Four warps fill tiles up to four steps ahead, and give registers to the eight others, "
            "each of which has 64 x 64 elements of C. Fragments of the next product are loaded "
            "during this one, across steps too. Blocks take tiles in groups of eight rows, so that "
            "they find their operands in the L2 cache."},
           producer_consumer, {.builds_on = "async-copy"}),
      wgmma_rung(rung, "producer-consumer"),
      persistent_rung(rung),
      deferred_rung(rung),
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
      deferred_rung(rung),
      tuned_rung(rung),
  };
  return ladder;
}

Ladder hgemm_f16_ladder() {
  Ladder ladder = half_family<hgemm_f16>("hgemm-f16", "C = A B of f16, row-major");
  const RungMaker rung(hgemm_f16);
  ladder.rungs = {
      rung("global", "one thread per element, sums in a register",
           "Blocks of 32 x 32 threads cover C. Each product is converted and added on CUDA cores.",
           sums_in_registers),
      rung.tunable(
          rung("tuned", "the schedule of hgemm/tuned, by another instruction",
               {"What has to change in the schedule of hgemm/tuned for another type of 16 bits?",
                "Nothing: tensor cores take f16 as they take bf16, at the same speed, from tiles "
                "of the same layout."},
               hgemm_tuned, {.builds_on = "global"}),
          hgemm_by_choice),
  };
  return ladder;
}

}  // namespace hone

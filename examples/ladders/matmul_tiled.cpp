// The rungs of matmul that stage tiles in shared memory and in registers.

#include "examples/ladders/tiling.h"

namespace hone {
namespace {

void shared_unrolled(Schedule& s, const Matmul& p) {
  const auto [ko, ki] = shared_tiles(s, p, 32);
  s.unroll(ko, 3);
  s.unroll(ki);
}

void shared_unrolled_by_hand(Schedule& s, const Matmul& p) {
  const auto [ko, ki] = shared_tiles(s, p, 32);
  s.write_out(ki);
}

/// The threads along x take rows, so that neighbours are a row apart in global memory; tiles are
/// stored transposed, and their copies take the threads in the same way.
void shared_transposed(Schedule& s, const Matmul& p) {
  auto [bx, by, tx, ty] = s.tile({p.i, p.j}, {32, 32});
  s.bind(bx, block.x);
  s.bind(by, block.y);
  s.bind(tx, thread.x);
  s.bind(ty, thread.y);
  auto [ko, ki] = s.split(p.k, 32);
  s.cache_registers(p.result, ty);
  const CacheOptions transposed = {.layout = Layout::column_major()};
  const Cache A_shared = s.cache_shared(p.A, ko, transposed);
  const Cache B_shared = s.cache_shared(p.B, ko, transposed);
  for (const Cache& tile : {A_shared, B_shared}) {
    const std::vector<Axis> axes = s.copy_loops(tile);
    s.bind(axes[0], thread.x);
    s.bind(axes[1], thread.y);
  }
}

/// Blocks of 64 x 64 elements, eight products deep, for 512 threads with eight rows each.
void thread_1d_block(Schedule& s, const Matmul& p) {
  auto [by, bx, rows, tx] = s.tile({p.y, p.x}, {64, 64});
  auto [ty, row] = s.split(rows, 8);
  auto [ko, ki] = s.split(p.k, 8);
  s.reorder({by, bx, ty, tx, ko, ki, row});
  const Axis threads = s.fuse(ty, tx);
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(threads, thread.x);
  s.cache_registers(p.result, threads);
  s.cache_shared(p.A, ko);
  const Cache B_shared = s.cache_shared(p.B, ko);
  s.cache_registers(B_shared, ki);
}

void thread_2d(Schedule& s, const Matmul& p) { staged_tiles(s, p, large_tiles); }

void vectorized(Schedule& s, const Matmul& p) {
  vectorized_tiles(s, p, large_tiles, widest_vectors(p));
}

auto with_tile(void (*schedule)(Schedule&, const Matmul&, int64_t), int64_t tile) {
  return [=](Schedule& s, const Matmul& p) { schedule(s, p, tile); };
}

void in_squares(Schedule& s, const Matmul& p, int64_t tile) { shared_tiles(s, p, tile); }

void in_columns_of_8(Schedule& s, const Matmul& p, int64_t tile) { thread_columns(s, p, tile, 8); }

}  // namespace

std::vector<Rung> shared_rungs(const RungMaker<Matmul>& rung) {
  return {
      rung("shared-8", "tiles of 8 x 8 in shared memory",
           "The threads of a block need the same rows of A and columns of B. They stage a tile of "
           "each in shared memory, wait for one another, and take their operands from there: each "
           "element is read from global memory once per block instead of eight times.",
           with_tile(in_squares, 8), {.builds_on = "register-accumulate"}),
      rung("shared-16", "tiles of 16 x 16", "Twice the tile, half the traffic.",
           with_tile(in_squares, 16), {.builds_on = "shared-8"}),
      rung("shared-32", "tiles of 32 x 32",
           "The largest square that a block of one thread per element can have: a row of the tile "
           "is a warp's 128 bytes, and each element is used 32 times.",
           with_tile(in_squares, 32), {.builds_on = "shared-16"}),
      rung("shared-unrolled", "the loops unrolled",
           "The loop over tiles three times, the loop within a tile in full. The compiler unrolls "
           "by itself, so that little changes.",
           shared_unrolled, {.builds_on = "shared-32"}),
      rung("shared-transposed", "neighbouring threads in neighbouring rows",
           "The same with the roles of x and y exchanged, and the tiles stored transposed to keep "
           "the banks of shared memory apart. Each lane of a warp now reads a row of its own from "
           "global memory: slow, on purpose.",
           shared_transposed, {.builds_on = "shared-32"}),
      rung("shared-unrolled-by-hand", "the products written out",
           "The 32 products of a tile as 32 statements, which is what unrolling means.",
           shared_unrolled_by_hand, {.builds_on = "shared-32"}),
  };
}

std::vector<Rung> thread_tile_rungs(const RungMaker<Matmul>& rung) {
  return {
      rung("thread-1d-16", "eight rows a thread, tiles of 16 x 16",
           "A thread computes eight elements of a column, two rows apart, and uses each element "
           "of B that it reads from shared memory eight times.",
           with_tile(in_columns_of_8, 16), {.builds_on = "shared-16"}),
      rung("thread-1d-32", "eight rows a thread, tiles of 32 x 32",
           "The same with larger tiles: 128 threads compute 1024 elements.",
           with_tile(in_columns_of_8, 32), {.builds_on = "thread-1d-16"}),
      rung("thread-1d-block", "eight rows a thread, blocks of 64 x 64",
           "The tile of C no longer has to be that of A and B: 64 x 64 elements, eight products "
           "deep. The threads stand in one dimension; their eight rows follow each other.",
           thread_1d_block, {.builds_on = "thread-1d-32"}),
      rung("thread-2d", "8 x 8 elements a thread",
           "Eight elements of A and eight of B make 64 products: a step of k takes 16 reads from "
           "shared memory where 64 threads of one element would take 128. The operands of a step "
           "live in registers, like the sums.",
           thread_2d, {.builds_on = "thread-1d-block"}),
      rung("vectorized", "four floats an access",
           "Everything that moves does so by 16 bytes: global loads, shared loads and stores of C. "
           "A is transposed on its way to shared memory, so that the eight elements of a step lie "
           "side by side there.",
           vectorized, {.builds_on = "thread-2d"}),
  };
}

Rung shared_32_rung(const RungMaker<Matmul>& rung) {
  return rung("shared-32", "tiles of 32 x 32 in shared memory",
              "The schedule of matmul/shared-32: it names axes and tensors, and how the matrices "
              "lie in memory is none of its business.",
              with_tile(in_squares, 32), {.builds_on = "global"});
}

Rung padded_shared_32_rung(const RungMaker<Matmul>& rung) {
  return rung("shared-32", "tiles of 32 x 32 in shared memory, B's padded",
              "Both tiles are copied as they lie. The products walk down the columns of B's, whose "
              "rows are one element longer than the 32 banks of shared memory.",
              [](Schedule& s, const Matmul& p) { shared_tiles(s, p, 32, Layout().pad(1)); },
              {.builds_on = "global"});
}

Rung padded_thread_2d_rung(const RungMaker<Matmul>& rung) {
  return rung("thread-2d", "8 x 8 elements a thread, B transposed on its way",
              "B's tile is transposed on its way to shared memory. Rows that are four elements "
              "longer keep the 8 x 4 elements that a warp stores at a time in different banks.",
              [](Schedule& s, const Matmul& p) {
                staged_tiles(s, p, large_tiles, Layout::column_major().pad(4));
              },
              {.builds_on = "shared-32"});
}

Rung thread_2d_rung(const RungMaker<Matmul>& rung) {
  return rung("thread-2d", "8 x 8 elements a thread",
              "The schedule of matmul/thread-2d: 128 x 128 elements a block, operands staged in "
              "shared memory and held in registers.",
              thread_2d, {.builds_on = "shared-32"});
}

}  // namespace hone

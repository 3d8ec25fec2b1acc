// The rungs of matmul that stage tiles in shared memory and in registers.

#include "examples/ladders/tiling.h"

namespace hone {
namespace {

void unrolled(Schedule& s, const Matmul& p, int64_t tile) {
  const auto [ko, ki] = shared_tiles(s, p, tile);
  s.unroll(ko, 3);
  s.unroll(ki);
}

/// Three products a turn, and the two that are left over of 32.
void shared_unrolled_by_3(Schedule& s, const Matmul& p) {
  const auto [ko, ki] = shared_tiles(s, p, 32);
  auto [turn, product] = s.split(ki, 3, {.tail = Tail::peel, .names = {"k", "product"}});
  s.write_out(product);
  s.write_out(s.axis("k.tail"));
}

void shared_unrolled_by_hand(Schedule& s, const Matmul& p) {
  const auto [ko, ki] = shared_tiles(s, p, 32);
  s.write_out(ki);
}

/// The threads along x take rows, so that neighbours are a row apart in global memory; the copies
/// of tiles take the threads in the same way.
void rows_along_x(Schedule& s, const Matmul& p, const Layout& layout) {
  promise_whole_tiles(s, p, 32, 32, 32);
  auto [bx, by, tx, ty] =
      s.tile({p.i, p.j}, {32, 32}, {.names = {"block_row", "block_column", "row", "column"}});
  s.bind(bx, block.x);
  s.bind(by, block.y);
  s.bind(tx, thread.x);
  s.bind(ty, thread.y);
  auto [ko, ki] = s.split(p.k, 32, {.names = {"step", "k"}});
  s.cache_registers(p.result, ty);
  const Cache A_shared = s.cache_shared(p.A, ko, {.layout = layout});
  const Cache B_shared = s.cache_shared(p.B, ko, {.layout = layout});
  const auto fill = [&](const Cache& tile, const NamesOfAxes& names) {
    const std::vector<Axis> axes = s.copy_loops(tile, names);
    s.bind(axes[0], thread.x);
    s.bind(axes[1], thread.y);
  };
  fill(A_shared, {.names = {"A_row", "A_column"}});
  fill(B_shared, {.names = {"B_row", "B_column"}});
}

void shared_conflicting(Schedule& s, const Matmul& p) { rows_along_x(s, p, {}); }

void shared_transposed(Schedule& s, const Matmul& p) { rows_along_x(s, p, Layout::column_major()); }

/// A tile's products have a sum of their own, which the total then takes.
void shared_partial_sums(Schedule& s, const Matmul& p) {
  promise_whole_tiles(s, p, 32, 32, 32);
  auto [part, k] = s.split(p.k, 32, {.names = {"part", "k"}});
  const RFactor parts = s.rfactor(p.result, part, {.names = {nullptr, "step"}});
  auto [by, bx, ty, tx] = s.tile({s.axis(p.result, p.y), s.axis(p.result, p.x)}, {32, 32},
                                 {.names = {"block_row", "block_column", "row", "column"}});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  s.cache_registers(p.result, tx);
  s.compute_at(parts.tensor, parts.total);
  s.cache_shared(p.A, parts.total);
  s.cache_shared(p.B, parts.total);
}

/// Blocks of 64 x 64 elements, eight products deep, for 512 threads with eight rows each.
void thread_1d_block(Schedule& s, const Matmul& p) {
  auto [by, bx, rows, tx] =
      s.tile({p.y, p.x}, {64, 64}, {.names = {"block_row", "block_column", nullptr, "column"}});
  auto [ty, row] = s.split(rows, 8, {.names = {"thread_row", "row"}});
  auto [ko, ki] = s.split(p.k, 8, {.names = {"step", "k"}});
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

void thread_2d(Schedule& s, const Matmul& p) { large_staged_tiles(s, p); }

void vectorized(Schedule& s, const Matmul& p) {
  vectorized_tiles(s, p, large_tiles, widest_vectors(p));
}

/// The tiles of a block and of a thread.
void vectorized_by_choice(Schedule& s, const Matmul& p, tune::Choices& choices) {
  TileShape shape = {};
  shape.block_rows = choices.choice("block_rows", {32, 64, 128});
  shape.block_columns = choices.choice("block_columns", {32, 64, 128});
  shape.step = choices.choice("step", {8, 16});
  shape.thread_rows = choices.choice("thread_rows", {4, 8});
  shape.thread_columns = choices.choice("thread_columns", {4, 8});
  vectorized_tiles(s, p, shape, widest_vectors(p));
}

auto with_tile(void (*schedule)(Schedule&, const Matmul&, int64_t), int64_t tile) {
  return [=](Schedule& s, const Matmul& p) { schedule(s, p, tile); };
}

void in_squares(Schedule& s, const Matmul& p, int64_t tile) { shared_tiles(s, p, tile); }

void in_columns_of_8(Schedule& s, const Matmul& p, int64_t tile) { thread_columns(s, p, tile, 8); }

/// Tiles, and sums of them.
std::vector<Rung> square_rungs(const RungMaker<Matmul>& rung) {
  return {
      rung("shared-8", "tiles of 8 x 8 in shared memory",
           {"Each element of A is loaded for each of the N columns of C. Where could it come from "
            "the second time?",
            "The threads of a block need the same rows of A and columns of B. They stage a tile of "
            "each in shared memory, wait for one another, and take their operands from there: each "
            "element is read from global memory once per block instead of eight times."},
           with_tile(in_squares, 8), {.builds_on = "register-accumulate"}),
      rung("shared-16", "tiles of 16 x 16",
           {"How does the traffic of global memory depend on the size of the tiles?",
            "Each element of a tile is used 16 times in place of 8: twice the tile, half the "
            "traffic."},
           with_tile(in_squares, 16), {.builds_on = "shared-8"}),
      rung("shared-32", "tiles of 32 x 32",
           {"How large can the tiles become?",
            "The largest square that a block of one thread per element can have: a row of the tile "
            "is a warp's 128 bytes, and each element is used 32 times."},
           with_tile(in_squares, 32), {.builds_on = "shared-16"}),
      rung(
          "shared-partial-sums", "a sum for each pair of tiles",
          {"Could each pair of tiles be multiplied by itself, and its product be added to a total?",
           "A row times a column is the sum of the products of their pieces: each pair of tiles "
           "gives a partial sum, which is added to the total."},
          shared_partial_sums, {.builds_on = "shared-32"}),
  };
}

/// The same tiles with other loops, and with other threads.
std::vector<Rung> varied_square_rungs(const RungMaker<Matmul>& rung) {
  return {
      rung("shared-unrolled-8", "the loops unrolled, tiles of 8 x 8",
           {"Each product of a tile costs a turn of a loop as well. Does unrolling save time?",
            "The loop over tiles is unrolled three times, the loop within a tile in full. The "
            "compiler unrolls by itself, so little changes."},
           with_tile(unrolled, 8), {.builds_on = "shared-8"}),
      rung("shared-unrolled-16", "the loops unrolled, tiles of 16 x 16",
           {"Does a longer loop within a tile gain more?", "The same with tiles of 16 x 16."},
           with_tile(unrolled, 16), {.builds_on = "shared-16"}),
      rung("shared-unrolled", "the loops unrolled, tiles of 32 x 32",
           {"And a loop of 32 products?", "The same with tiles of 32 x 32."},
           with_tile(unrolled, 32), {.builds_on = "shared-32"}),
      rung("shared-unrolled-by-3", "three products a turn, written out",
           {"What becomes of a loop of 32 products that is unrolled by three?",
            "The body of the loop within a tile becomes three statements. Ten turns leave two of "
            "the 32 products over, which stand after the loop."},
           shared_unrolled_by_3, {.builds_on = "shared-32"}),
      rung("shared-conflicting", "neighbouring threads in neighbouring rows",
           {"What does it cost if neighbouring threads take neighbouring rows?",
            "The roles of x and y are exchanged, and the tiles stored as the threads stand: thread "
            "(x, y) fills As[x][y] and reads As[x][k]. The 32 lanes of a warp are in 32 rows of "
            "one column, which is one bank, and in 32 rows of global memory: slow, on purpose."},
           shared_conflicting, {.builds_on = "shared-32"}),
      rung("shared-transposed", "the same, tiles stored transposed",
           {"Which part of that cost can another layout of the tiles avoid?",
            "With tiles stored as As[y][x], the lanes of a warp read from different banks of "
            "shared memory. From global memory each lane still reads a row of its own."},
           shared_transposed, {.builds_on = "shared-conflicting"}),
      rung("shared-unrolled-by-hand", "the products written out",
           {"What does an unrolled loop look like?",
            "The 32 products of a tile stand there as 32 statements, which is what unrolling "
            "means."},
           shared_unrolled_by_hand, {.builds_on = "shared-32"}),
  };
}

}  // namespace

std::vector<Rung> shared_rungs(const RungMaker<Matmul>& rung) {
  std::vector<Rung> rungs = square_rungs(rung);
  llvm::append_range(rungs, varied_square_rungs(rung));
  return rungs;
}

std::vector<Rung> thread_tile_rungs(const RungMaker<Matmul>& rung) {
  return {
      rung("thread-1d-16", "eight rows a thread, tiles of 16 x 16",
           {"Each product reads two elements from shared memory. Which of them could serve several "
            "products of a thread?",
            "A thread computes eight elements of a column, two rows apart, and uses each element "
            "of B that it reads from shared memory eight times."},
           with_tile(in_columns_of_8, 16), {.builds_on = "shared-16"}),
      rung("thread-1d-32", "eight rows a thread, tiles of 32 x 32",
           {"Do larger tiles help here as well?",
            "The same with larger tiles: 128 threads compute 1024 elements."},
           with_tile(in_columns_of_8, 32), {.builds_on = "thread-1d-16"}),
      rung("thread-1d-block", "eight rows a thread, blocks of 64 x 64",
           {"Must the tile of C have the size of the tiles of A and B?",
            "No: it has 64 x 64 elements, and the tiles of A and B are eight products deep. The "
            "threads stand in one dimension; the eight rows of each follow each other."},
           thread_1d_block, {.builds_on = "thread-1d-32"}),
      rung("thread-2d", "8 x 8 elements a thread",
           {"Eight results in a column take nine reads from shared memory a step. Which shape "
            "takes fewer reads for each product?",
            "Eight elements of A and eight of B make 64 products: a step of k takes 16 reads from "
            "shared memory where 64 threads of one element would take 128. The operands of a step "
            "live in registers, like the sums."},
           thread_2d, {.builds_on = "thread-1d-block"}),
      rung.tunable(rung("vectorized", "four floats an access",
                        {"Each access moves four bytes. Can an instruction move more?",
                         "All data move by 16 bytes: global loads, shared loads and stores of C. A "
                         "is transposed on its way to shared memory, so that the eight elements of "
                         "a step lie side by side there."},
                        vectorized, {.builds_on = "thread-2d"}),
                   vectorized_by_choice),
  };
}

Rung shared_32_rung(const RungMaker<Matmul>& rung) {
  return rung("shared-32", "tiles of 32 x 32 in shared memory",
              {"What has to change in the schedule of matmul/shared-32 for these matrices?",
               "Nothing: it names axes and tensors. The layout of the matrices and their type are "
               "part of the program."},
              with_tile(in_squares, 32), {.builds_on = "global"});
}

Rung padded_shared_32_rung(const RungMaker<Matmul>& rung) {
  return rung("shared-32", "tiles of 32 x 32 in shared memory, B's padded",
              {"Neighbouring threads need neighbouring rows of B's tile, at the same step of k. "
               "How can they read them without meeting in one bank?",
               "Both tiles are copied as they lie. The products walk down the columns of B's, "
               "whose rows are one element longer than the 32 banks of shared memory."},
              [](Schedule& s, const Matmul& p) { shared_tiles(s, p, 32, Layout().pad(1)); },
              {.builds_on = "global"});
}

Rung padded_thread_2d_rung(const RungMaker<Matmul>& rung) {
  return rung("thread-2d", "8 x 8 elements a thread, B transposed on its way",
              {"A thread takes eight columns of B at a step of k, and they lie K elements apart. "
               "Which order should B's tile have?",
               "B's tile is transposed on its way to shared memory. Rows that are four elements "
               "longer keep the 8 x 4 elements that a warp stores at a time in different banks."},
              [](Schedule& s, const Matmul& p) {
                staged_tiles(s, p, large_tiles, Layout::column_major().pad(4));
              },
              {.builds_on = "shared-32"});
}

Rung thread_2d_rung(const RungMaker<Matmul>& rung) {
  return rung("thread-2d", "8 x 8 elements a thread",
              {"What has to change in the schedule of matmul/thread-2d?",
               "Nothing: a block has 128 x 128 elements, and its operands are staged in shared "
               "memory and held in registers."},
              thread_2d, {.builds_on = "shared-32"});
}

}  // namespace hone

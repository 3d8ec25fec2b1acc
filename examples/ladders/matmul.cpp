// matmul: C = A B, row-major floats. From a triple loop on the CPU to one thread per element.

#include "examples/ladders/matmul_tiles.h"

namespace hone {
namespace {

Matmul row_major(const Sizes& fixed, const Sizes& expected) {
  const MatmulShape p(fixed);
  const Tensor A("A", f32, {p.M, p.K}), B("B", f32, {p.K, p.N}), C("C", f32, {p.M, p.N});
  const Program program("matmul", C(p.i, p.j) = sum(p.k, A(p.i, p.k) * B(p.k, p.j)));
  return {p, A, B, C, p.i, p.j, program, expected};
}

constexpr int64_t max_threads = 1024, max_blocks_along_y = 65535;

/// One block: what does not fit in it, its threads compute in turns.
void one_block(Schedule& s, const Matmul& p) {
  auto [row, column, ty, tx] =
      s.tile({p.y, p.x}, {32, 32}, {.names = {"row", "column", "thread_row", "thread_column"}});
  s.reorder({ty, tx, row, column});
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  s.cache_registers(p.result, column);
}

void rows_to_blocks(Schedule& s, const Matmul& p) {
  if (p.expected.at("N") <= max_threads) {
    s.bind(p.i, block.x);
    s.bind(p.j, thread.x);
    return;
  }
  // A row with more columns than a block has threads takes several blocks, which follow each other:
  // together they read whole rows of B.
  auto [part, column] = s.split(p.j, max_threads, {.names = {"part", "column"}});
  if (p.expected.at("M") > max_blocks_along_y) {
    s.bind(s.fuse(p.i, part), block.x);
  } else {
    s.bind(p.i, block.y);
    s.bind(part, block.x);
  }
  s.bind(column, thread.x);
}

void global_accumulate(Schedule& s, const Matmul& p) {
  s.may_alias();
  square_blocks(s, p, 32);
}

void register_accumulate(Schedule& s, const Matmul& p) {
  s.may_alias();
  sums_in_registers(s, p);
}

void restrict_pointers(Schedule& s, const Matmul& p) { square_blocks(s, p, 32); }

/// 32 x 32 elements a block, rows x columns of them a thread, and the operands of a step of k in
/// registers.
auto tile_of_a_thread(int64_t rows, int64_t columns) {
  return [=](Schedule& s, const Matmul& p) {
    auto [by, bx, y, x] =
        s.tile({p.y, p.x}, {32, 32}, {.names = {"block_row", "block_column", nullptr, nullptr}});
    auto [ty, tx, row, column] = s.tile(
        {y, x}, {rows, columns}, {.names = {"thread_row", "thread_column", "row", "column"}});
    s.reorder({ty, tx, p.k, row, column});
    s.bind(by, block.y);
    s.bind(bx, block.x);
    s.bind(ty, thread.y);
    s.bind(tx, thread.x);
    s.cache_registers(p.result, tx);
    s.cache_registers(p.A, p.k);
    s.cache_registers(p.B, p.k);
  };
}

std::vector<Rung> global_rungs(const RungMaker<Matmul>& rung) {
  return {
      rung(
          "one-block", "one block for the whole product",
          {"The elements of C do not depend on each other. What if each had a thread of its own?",
           "Each thread of a single block computes an element: it reads a row of A and a column of "
           "B, an access for every operation. A product of more elements than a block has threads, "
           "32 x 32 here, takes several turns, while all multiprocessors but one stand idle."},
          one_block, {.builds_on = "host"}),
      rung("bind", "rows to blocks, columns to threads",
           {"A block runs on one multiprocessor. How do the others get work?",
            "The two spatial loops become the grid and the block. Each thread computes one "
            "element; a row must fit in a block, or takes several."},
           rows_to_blocks, {.builds_on = "one-block"}),
      rung("global-accumulate", "a two-dimensional grid, sums in global memory",
           {"A block of a whole row reads all of B. Which blocks read less, and what does it cost "
            "to keep their sums in global memory?",
            "A block of 32 x 32 threads reads 32 rows of A and 32 columns of B; a guard cuts off "
            "what lies beyond the edges. The pointers may overlap, so each step of k loads an "
            "element of C from global memory and stores it."},
           global_accumulate, {.builds_on = "bind"}),
      rung("register-accumulate", "the sum in a register",
           {"No other thread needs a sum before it is complete. Where could it lie until then?",
            "The element of C that a thread computes lives in a register while k runs, and is "
            "stored once."},
           register_accumulate, {.builds_on = "global-accumulate"}),
      rung("restrict", "restrict pointers alone",
           {"What does the compiler do with the sum if the pointers promise not to overlap?",
            "The schedule of global-accumulate, with pointers that promise not to overlap: the "
            "compiler finds the register by itself."},
           restrict_pointers, {.builds_on = "global-accumulate"}),
      rung("thread-4x1", "four results a thread, one below the other",
           {"Each product takes two loads from global memory. Which element that a thread has "
            "loaded could it use again?",
            "A step of k takes four elements of A and one of B for four results. At K = 8 a result "
            "costs 11 accesses of global memory where one result a thread costs 17."},
           tile_of_a_thread(4, 1), {.builds_on = "register-accumulate"}),
      rung("thread-2x2", "four results a thread in a square",
           {"Four results in a column take five loads a step. Which shape takes fewer?",
            "Two elements of A and two of B make four products. At K = 8 a result costs 9 "
            "accesses: of all shapes, a square needs the fewest loads for its products."},
           tile_of_a_thread(2, 2), {.builds_on = "thread-4x1"}),
  };
}

}  // namespace

Rung matmul_rung_of(const TileChoice& choice) {
  const auto schedule = [choice](Schedule& s, const Matmul& p) {
    s.launch_early();
    schedule_tiles(s, p, choice);
  };
  return RungMaker(row_major)(choice.name().c_str(), "", "", schedule);
}

Ladder matmul_ladder() {
  Ladder ladder = matmul_family("matmul", "C = A B in single precision, row-major", row_major);
  ladder.first_shown = {{"M", 4096}, {"N", 4096}, {"K", 4096}};
  const RungMaker rung(row_major);
  ladder.rungs = host_rungs(rung);
  llvm::append_range(ladder.rungs, global_rungs(rung));
  llvm::append_range(ladder.rungs, shared_rungs(rung));
  llvm::append_range(ladder.rungs, thread_tile_rungs(rung));
  llvm::append_range(ladder.rungs, pipelined_rungs(rung));
  return ladder;
}

}  // namespace hone

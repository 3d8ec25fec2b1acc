// colsum: each column of a matrix becomes one number. Neighbouring threads have neighbouring
// columns, so that they read neighbours from the start: what counts is that there are enough of
// them.

#include "examples/ladders/ladders.h"

namespace hone {
namespace {

struct ColumnSum {
  Expr M, N;
  Tensor X, S;
  Axis j;
  ReduceAxis k;
  Program program;
  Sizes expected;

  ColumnSum(const Sizes& fixed, const Sizes& expected)
      : M(size_or_param(fixed, "M")),
        N(size_or_param(fixed, "N")),
        X("X", f32, {M, N}),
        S("S", f32, {N}),
        j("j", N),
        k("k", M),
        program("colsum", S(j) = sum(k, X(k, j))),
        expected(expected) {}
};

void per_thread(Schedule& s, const ColumnSum& p) {
  auto [b, t] = s.split(p.j, 128, {.names = {"block_column", "column"}});
  s.bind(b, block.x);
  s.bind(t, thread.x);
  s.cache_registers(p.S, t);
}

/// A block has 32 columns and all rows, of which each of its warps takes every eighth.
void block_reduce(Schedule& s, const ColumnSum& p) {
  auto [b, tx] = s.split(p.j, 32, {.names = {"block_column", "column"}});
  auto [turn, ty] = s.split(p.k, 8, {.names = {"row", "thread_row"}});
  s.reorder({ty, turn});
  s.bind(b, block.x);
  s.bind(tx, thread.x);
  s.bind(ty, thread.y, {.method = Combine::sequential, .unrolled = true});
  s.cache_registers(p.S, tx);
}

/// The part of the matrix that a block has.
constexpr int64_t block_rows = 64, block_columns = 128, warps = 8;

/// The grid that adds up what blocks of rows have, and the axis of its columns. Blocks have sums of
/// their columns, and in these each warp has its part.
struct Grid {
  Tensor warp_sums;
  Axis warp, turn, columns;
};

Grid sums_of_blocks(Schedule& s, const ColumnSum& p) {
  auto [blocks, rows] = s.split(p.k, block_rows, {.names = {"chunk"}});
  auto [turn, warp] = s.split(rows, warps, {.names = {"row", "warp_row"}});
  const RFactor of_block = s.rfactor(p.S, blocks, {.names = {nullptr, "block_row"}});
  const RFactor of_warp = s.rfactor(of_block.tensor, warp, {.names = {nullptr, "part"}});
  auto [bx, column] =
      s.split(s.axis(p.S, p.j), block_columns, {.names = {"block_column", "column"}});
  s.reorder({of_block.total, bx, column});
  auto [ty, tx] = s.split(column, 32, {.names = {"warp_column", "column"}});
  s.bind(of_block.total, block.y, Combine::atomic);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  s.compute_at(of_block.tensor, tx);
  const Tensor tile = s.compute_at(of_warp.tensor, bx, {.scope = Scope::shared});
  s.unroll(of_warp.total);
  return {tile, of_warp.partial, turn, s.axis(tile, p.j)};
}

/// 64 rows of 128 columns: a thread has eight vectors of four, a warp's sums lie in shared memory,
/// and the first four warps add these up. A matrix whose rows are no vectors comes one by one.
void vectorized(Schedule& s, const ColumnSum& p) {
  const int64_t N = p.expected.at("N");
  const int64_t vector = N % 4 == 0 ? 4 : 0;
  if (N % 4 == 0) s.assume(p.N % (N % block_columns == 0 ? block_columns : 4) == 0);
  const Grid grid = sums_of_blocks(s, p);
  auto [tx, element] = s.split(grid.columns, 4, {.names = {"vector", "element"}});
  s.bind(grid.warp, thread.y);
  s.bind(tx, thread.x);
  s.reorder({grid.turn, element});
  s.cache_registers(grid.warp_sums, tx, {.vectorize = vector});
  s.cache_registers(p.X, grid.turn, {.vectorize = vector});
  s.unroll(grid.turn);
  s.bind(s.axis("block_column.init"), block.x);
  s.bind(s.axis("column.init"), thread.x);
}

ColumnSum problem(const Sizes& fixed, const Sizes& expected) { return {fixed, expected}; }

}  // namespace

Ladder colsum_ladder() {
  Ladder ladder;
  ladder.name = "colsum";
  ladder.title = "the sum of each column of a matrix";
  ladder.sizes = {{"M", 16384}, {"N", 8192}};
  ladder.program = [](const Sizes& fixed) { return ColumnSum(fixed, {}).program; };
  ladder.bytes = [](const Sizes& sizes) { return 4.0 * sizes.at("M") * sizes.at("N"); };
  const RungMaker rung(problem);
  ladder.rungs = {
      rung("per-thread", "a thread per column",
           "A warp reads 32 neighbours of each row. There are as many threads as columns, which "
           "is too few to keep the memory busy.",
           per_thread),
      rung("block-reduce", "eight threads per column",
           {"There are too few columns to keep the memory busy. What else can be divided among "
            "threads?",
            "A block has 32 columns, and each of its eight warps every eighth row. The threads of "
            "a column, one in each warp, add up what they have by a tree in shared memory."},
           block_reduce, {.builds_on = "per-thread"}),
      rung("vectorized", "blocks of rows, and vectors of four",
           {"A block still has all rows of its columns. Could blocks share the rows as well?",
            "Yes: each has 64 rows of 128 columns, and adds its sums to the result in memory. A "
            "thread has eight vectors in flight; a warp leaves the sums of its rows in shared "
            "memory, and one thread per column adds these up."},
           vectorized, {.builds_on = "block-reduce"}),
  };
  return ladder;
}

}  // namespace hone

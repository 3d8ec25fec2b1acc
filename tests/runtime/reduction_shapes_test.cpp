// Reductions over threads and blocks beside spatial axes: rows, columns, results in registers.
#include <gtest/gtest.h>

#include "codegen/lower.h"
#include "tests/support/random/check_mode.h"
#include "tests/support/runtime/interpreted.h"
#include "tests/support/runtime/reductions.h"

namespace hone {
namespace reduction_shapes_test {

struct Matrix {
  explicit Matrix(DType type = f32)
      : A("A", type, {M, N}), S("S", type, {M}), C("C", type, {N}), D("D", type, {M, N}) {}

  Param M{"M"}, N{"N"};
  Tensor A, S, C, D;
  Axis i{"i", M}, j{"j", N};
  ReduceAxis k{"k", N}, r{"r", M};
};

constexpr std::array<std::array<int64_t, 2>, 4> shapes = {{{0, 5}, {3, 0}, {5, 33}, {9, 130}}};

void expect_as_meant(const Program& program, const Schedule& schedule) {
  for (const auto [rows, columns] : shapes) {
    const Sizes sizes = {{"M", rows}, {"N", columns}};
    Buffers buffers = small_integers(program.function(), sizes);
    expect_as_meant(program, schedule, sizes, buffers);
    llvm::StringSet<> outputs;
    outputs.insert(program.function().arguments.back()->name);
    const auto findings = check_kernels(lower(schedule), sizes, outputs, buffers);
    EXPECT_TRUE(findings.empty()) << texts_of(findings) << to_string(schedule.function());
  }
}

/// A block a row.
void expect_rows(DType type, int64_t threads) {
  for (const CombineLevels& within : all_thread_combines(threads)) {
    if (within.is_atomic() && size_of(type) == 1) continue;
    const Matrix p(type);
    const Program program("rows", p.S(p.i) = max(p.k, p.A(p.i, p.k)));
    Schedule s(program);
    s.bind(p.i, block.x);
    auto [turn, lane] = s.split(p.k, threads);
    s.reorder({lane, turn});
    s.bind(lane, thread.x, within);
    expect_as_meant(program, s);
  }
}

TEST(ReductionsOfRows, ByTheThreadsOfABlock) {
  for (const int64_t threads : {24, 96}) expect_rows(f32, threads);
  expect_rows(i8, 32);
  expect_rows(u8, 48);
}

/// `rows` rows a block, one above the other in thread.y.
Schedule rows_in_y(const Matrix& p, const Program& program, int64_t rows, int64_t threads,
                   const CombineLevels& within) {
  Schedule s(program);
  auto [blocks, row] = s.split(p.i, rows);
  s.bind(blocks, block.x);
  s.bind(row, thread.y);
  auto [turn, lane] = s.split(p.k, threads);
  s.reorder({lane, turn});
  s.bind(lane, thread.x, within);
  return s;
}

TEST(ReductionsOfRows, ByThreadsBesideThoseOfOtherRows) {
  const Matrix p;
  const Program program("rows", p.S(p.i) = 2.0 * sum(p.k, p.A(p.i, p.k)));
  for (const int64_t threads : {32, 64})
    for (const CombineLevels& within : all_thread_combines(threads))
      expect_as_meant(program, rows_in_y(p, program, 3, threads, within));
  for (const int64_t threads : {1, 5, 24})
    for (const CombineLevels& within : all_thread_combines(threads))
      if (within.tree() && !within.uses_warps())
        expect_as_meant(program, rows_in_y(p, program, 7, threads, within));
}

/// Rows that share a warp.
TEST(ReductionsOfRows, ByPartsOfAWarp) {
  const Matrix p;
  const Program program("rows", p.S(p.i) = sum(p.k, p.A(p.i, p.k)));
  for (const int64_t threads : {2, 8, 16})
    for (const int64_t rows : {2, 4, 16})
      for (const auto method : {Combine::shuffle, Combine::two_level})
        expect_as_meant(program, rows_in_y(p, program, rows, threads, {method}));
}

/// A sum along threads.y, beside threads of x that have columns of their own.
TEST(ReductionsOfColumns, ByThreadsAboveOneAnother) {
  const Matrix p;
  const Program program("columns", p.C(p.j) = sum(p.r, p.A(p.r, p.j)));
  for (const CombineLevels& within : all_thread_combines(8)) {
    if (within.uses_warps()) continue;
    Schedule s(program);
    auto [blocks, column] = s.split(p.j, 32);
    s.bind(blocks, block.x);
    s.bind(column, thread.x);
    auto [turn, row] = s.split(p.r, 8);
    s.reorder({row, turn});
    s.bind(row, thread.y, within);
    expect_as_meant(program, s);
  }
}

/// Blocks of y leave a result per column.
TEST(ReductionsOfColumns, ByBlocksAboveOneAnother) {
  const Matrix p;
  const Program program("columns", p.C(p.j) = sum(p.r, p.A(p.r, p.j)));
  for (const auto method : {Combine::last_block, Combine::atomic}) {
    Schedule s(program);
    auto [blocks, column] = s.split(p.j, 32);
    auto [strip, row] = s.split(p.r, 16);
    auto [turn, lane] = s.split(row, 4);
    s.reorder({strip, blocks, column, lane, turn});
    s.bind(strip, block.y, method);
    s.bind(blocks, block.x);
    s.bind(column, thread.x);
    s.bind(lane, thread.y, Combine::sequential);
    expect_as_meant(program, s);
  }
}

/// Rows of threads that combine, and then update the element each on its own.
TEST(ReductionsOfRows, ByRowsOfThreadsThatUpdateAtomically) {
  const Matrix p;
  const Program program("rows", p.S(p.i) = sum(p.k, p.A(p.i, p.k)));
  for (const CombineLevels& within : all_thread_combines(64)) {
    if (within.is_atomic()) continue;
    Schedule s(program);
    s.bind(p.i, block.x);
    auto [turn, rest] = s.split(p.k, 128);
    auto [row, lane] = s.split(rest, 64);
    s.reorder({row, lane, turn});
    s.bind(lane, thread.x, within);
    s.bind(row, thread.y, Combine::atomic);
    expect_as_meant(program, s);
  }
}

/// One iteration shares nothing with others.
TEST(ReductionsOfRows, OfOneIterationCacheWhatTheyLike) {
  const Matrix p;
  const ReduceAxis one("one", 1);
  const Program program("rows", p.S(p.i) = sum(one, p.A(p.i, one)));
  for (const CombineLevels& within : all_thread_combines(1)) {
    Schedule s(program);
    s.bind(p.i, block.x);
    s.bind(one, thread.x, within);
    s.cache_registers(p.S, one);
    const Sizes sizes = {{"M", 5}, {"N", 3}};
    expect_as_meant(program, s, sizes, small_integers(program.function(), sizes));
  }
}

/// All threads of a row have its sum in a register.
TEST(ReductionsInRegisters, AreKnownToAllThreads) {
  for (const int64_t threads : {8, 24, 48, 128}) {
    for (const CombineLevels& within : all_thread_combines(threads)) {
      if (within.is_atomic()) continue;
      const Matrix p;
      const Program program("rows", p.S(p.i) = sum(p.k, p.A(p.i, p.k)));
      Schedule s(program);
      s.bind(p.i, block.x);
      s.cache_registers(p.S, p.i);
      auto [turn, lane] = s.split(s.axis("k"), threads);
      s.reorder({lane, turn});
      s.bind(lane, thread.x, within);
      expect_as_meant(program, s);
    }
  }
}

TEST(Reductions, WithAnOperatorOfAUserOverThreadsAndBlocks) {
  const Matrix p;
  const Reduction furthest = reduce(
      {p.k}, 0.0, p.A(p.i, p.k),
      [](Expr x, Expr y) { return select(abs(x) > abs(y) || (abs(x) == abs(y) && x > y), x, y); },
      {.name = "furthest", .associative = true});
  const Program program("rows", p.S(p.i) = furthest);
  for (const CombineLevels& within : all_thread_combines(32)) {
    Schedule s(program);
    s.bind(p.i, block.x);
    auto [turn, lane] = s.split(p.k, 32);
    s.reorder({lane, turn});
    s.bind(lane, thread.x, within);
    expect_as_meant(program, s);
  }
  for (const auto across : {Combine::atomic, Combine::last_block}) {
    Schedule s(program);
    auto [part, rest] = s.split_into(p.k, 3);
    auto [turn, lane] = s.split(rest, 32);
    s.reorder({part, p.i, lane, turn});
    s.bind(part, block.y, across);
    s.bind(p.i, block.x);
    s.bind(lane, thread.x, Combine::two_level);
    expect_as_meant(program, s);
  }
}

}  // namespace reduction_shapes_test
}  // namespace hone

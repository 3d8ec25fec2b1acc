// Loops over lanes and warps, run on the devices: lane maps, fragments, sums over lanes.
#include <gtest/gtest.h>

#include "tests/support/random/random_program.h"
#include "tests/support/runtime/reductions.h"

namespace hone {
namespace {

void expect_at(const Program& program, const Schedule& schedule, const Sizes& sizes) {
  expect_as_meant(program, schedule, sizes, random_buffers(program.function(), sizes, 5));
}

/// A tile of 64 x 256 for four warps, each of 32 x 128 elements: lane / 8 is the row, lane % 8 the
/// column of four neighbours, and a thread has 8 x 16 of them.
TEST(Units, ALaneMapOfAMatrixProduct) {
  const Param M("M"), N("N"), K("K");
  const Axis i("i", M), j("j", N);
  const ReduceAxis k("k", K);
  const Tensor A("A", f32, {M, K}), B("B", f32, {K, N}), C("C", f32, {M, N});
  const Program program("product", C(i, j) = sum(k, A(i, k) * B(k, j)));
  Schedule s(program);
  auto [by, bx, tile_y, tile_x] = s.tile({s.axis(C, i), s.axis(C, j)}, {64, 256});
  auto [warp_y, rows] = s.split(tile_y, 32);
  auto [warp_x, columns] = s.split(tile_x, 128);
  auto [row, y] = s.split(rows, 4);
  auto [q, quad] = s.split(columns, 32);
  auto [x, v] = s.split(quad, 4);
  auto [ko, ki] = s.split(k, 8);
  s.reorder({by, bx, warp_y, warp_x, y, x, ko, ki, row, q, v});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind({warp_y, warp_x}, warp);
  s.bind({y, x}, lane);
  s.cache_registers(C, bx);
  const Cache A_shared = s.cache_shared(A, ko), B_shared = s.cache_shared(B, ko);
  s.cache_registers(A_shared, ki);
  s.cache_registers(B_shared, ki);
  for (const auto& [m, n, depth] :
       {std::tuple(1, 1, 1), {67, 261, 19}, {64, 256, 16}, {63, 255, 7}})
    expect_at(program, s, {{"M", m}, {"N", n}, {"K", depth}});
}

/// The accumulators of mma.m16n8k16: the element (r, c) of 16 x 8 is with lane r % 8 * 4 + c / 2,
/// and there the register r / 8 * 2 + c % 2.
TEST(Units, AFragmentWithTheLargestOfItsRows) {
  const Param R("R");
  const Axis i("i", R), j("j", 8);
  const ReduceAxis k("k", 8);
  const Tensor X("X", f32, {R, 8}), Y("Y", f32, {R, 8}), largest("largest", f32, {R});
  const Program program("fragment", largest(i) = max(k, X(i, k)),
                        Y(i, j) = (X(i, j) - largest(i)) * 0.5f);
  Schedule s(program);
  auto [tile, r] = s.split(s.axis(Y, i), 16);
  s.compute_at(largest, tile);
  s.bind(tile, block.x);
  auto [upper, row] = s.split(r, 8);
  auto [pair, v] = s.split(s.axis(Y, j), 2);
  s.reorder({row, pair, upper, v});
  s.bind({row, pair}, lane);
  auto [upper_k, row_k] = s.split(s.axis(largest, i), 8);
  auto [pair_k, v_k] = s.split(k, 2);
  s.reorder({row_k, upper_k});
  s.bind({row_k, pair_k}, lane, {Combine::shuffle});
  s.cache_registers(X, tile);
  for (const int64_t rows : {1, 15, 16, 17, 64}) expect_at(program, s, {{"R", rows}});
}

constexpr Combine over_lanes[] = {
    {Combine::shuffle}, {Combine::sequential}, {Combine::atomic}, {Combine::interleaved_strided}};

/// Rows of a matrix, each summed up by lanes that are neighbours, or that stand apart.
TEST(Units, SumsOverLanes) {
  const Param M("M"), N("N");
  const Axis i("i", M);
  const ReduceAxis k("k", N);
  const Tensor A("A", f32, {M, N}), S("S", f32, {M});
  const Program program("rows", S(i) = sum(k, A(i, k)));
  for (const Combine& combine : over_lanes)
    for (const bool are_neighbours : {true, false}) {
      Schedule s(program);
      auto [b, rest] = s.split(s.axis(S, i), 8);
      auto [w, row] = s.split(rest, 4);
      auto [turn, part] = s.split(k, 8);
      s.reorder({b, w, row, part, turn});
      s.bind(b, block.x);
      s.bind(w, warp);
      if (are_neighbours)
        s.bind({row, part}, lane, combine);
      else
        s.bind({part, row}, lane, combine);
      for (const int64_t m : {1, 7, 8, 13})
        for (const int64_t n : {1, 8, 31, 33}) expect_at(program, s, {{"M", m}, {"N", n}});
    }
}

/// Digits of a dimension need not be those of a lane: 4 x 9 threads, of which no row is in one
/// warp.
TEST(Units, DigitsThatDoNotDivideAWarp) {
  const Param N("N");
  const ReduceAxis k("k", N);
  const Tensor A("A", f32, {N}), S("S", f32, {});
  const Program program("total", S() = sum(k, A(k)));
  for (const Combine& combine : {Combine{Combine::sequential}, Combine{Combine::atomic},
                                 Combine{Combine::interleaved_modulo, true}}) {
    Schedule s(program);
    auto [turn, part] = s.split(k, 36);
    auto [row, column] = s.split(part, 9);
    s.reorder({row, column, turn});
    s.bind({row, column}, thread.x, combine);
    for (const int64_t n : {1, 31, 36, 37}) expect_at(program, s, {{"N", n}});
  }
}

/// A vector in registers that lie with thread.y and thread.x along its one dimension.
TEST(Units, RegistersAlongTwoDimensionsOfThreads) {
  const Param N("N");
  const Axis i("i", N), j("j", 32);
  const Tensor A("A", f32, {32}), C("C", f32, {N, 32});
  const Program program("rows", C(i, j) = A(j) * 2.0f);
  Schedule s(program);
  auto [b, row] = s.split(s.axis(C, i), 4);
  auto [y, x] = s.split(s.axis(C, j), 8);
  s.reorder({b, y, x, row});
  s.bind(b, block.x);
  s.bind(y, thread.y);
  s.bind(x, thread.x);
  s.cache_registers(A, b);
  for (const int64_t n : {1, 3, 4, 5, 9}) expect_at(program, s, {{"N", n}});
}

/// Each warp fills its own rows of a tile that the block shares.
TEST(Units, WarpsFillTheirPartsOfATile) {
  const Param M("M");
  const Axis i("i", M), j("j", 32);
  const Tensor A("A", f32, {M, 32}), C("C", f32, {M, 32});
  const Program program("reversed", C(i, j) = A(i, 31 - j));
  Schedule s(program);
  auto [b, rest] = s.split(i, 16);
  auto [w, row] = s.split(rest, 4);
  s.bind(b, block.x);
  const Cache tile = s.cache_shared(A, b);
  s.bind(w, warp);
  s.bind(j, lane);
  for (const int64_t m : {1, 15, 16, 33}) expect_at(program, s, {{"M", m}});
}

}  // namespace
}  // namespace hone

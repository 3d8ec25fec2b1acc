// A * A^T: each access to A has tiles of its own.
#include <gtest/gtest.h>

#include "tests/support/random/random_program.h"
#include "tests/support/runtime/reductions.h"

namespace hone {
namespace element_tiles_test {

TEST(ElementTiles, AProductWithItsOwnTransposeIsStaged) {
  Param N("N"), K("K");
  Tensor A("A", f32, {N, K}), C("C", f32, {N, N});
  Axis i("i", N), j("j", N);
  ReduceAxis k("k", K);
  const Program program("syrk", C(i, j) += sum(k, A(i, k) * A(j, k)));
  Schedule s(program);
  auto [by, bx, iy, jx] = s.tile({i, j}, {8, 16});
  auto [ty, tx, yi, xi] = s.tile({iy, jx}, {2, 4});
  auto [ko, ki] = s.split(k, 8);
  s.reorder({by, bx, ty, tx, ko, ki, yi, xi});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  s.cache_registers(C, tx);
  const Cache left = s.cache_shared(A(i, k), ko), right = s.cache_shared(A(j, k), ko);
  s.layout(right, Layout::order({1, 0}).pad(1));
  s.cache_registers(left, ki);
  s.cache_registers(right, ki);
  EXPECT_EQ(s.trace()[9].text, "auto A_shared = s.cache_shared(A(i, k), k_0);");
  for (const int64_t n : {1, 7, 8, 17, 33})
    for (const int64_t depth : {0, 1, 8, 9}) {
      const Sizes sizes = {{"N", n}, {"K", depth}};
      expect_as_meant(program, s, sizes, random_buffers(program.function(), sizes, 7));
    }
  Schedule again(program);
  again.replay(s.trace());
  EXPECT_EQ(to_string(again.function()), to_string(s.function()));
}

TEST(ElementTiles, ATileOfATileIsFilledFromIt) {
  Param N("N");
  Tensor A("A", f32, {N, 64}), C("C", f32, {N, 64});
  Axis i("i", N), j("j", 64);
  const Program program("reverse", C(i, j) = A(i, 63 - j));
  Schedule s(program);
  auto [part, lane] = s.split(j, 16);
  s.bind(i, block.x);
  s.bind(lane, thread.x);
  const Cache row = s.cache_shared(A, i);
  const Cache half = s.cache_shared(row, part);
  s.layout(half, Layout().pad(1));
  for (const int64_t n : {0, 1, 3})
    expect_as_meant(program, s, {{"N", n}}, random_buffers(program.function(), {{"N", n}}, 7));
}

TEST(ElementTiles, AHaloMovesInWholeVectors) {
  Param N("N");
  Tensor A("A", f32, {N + 4}), C("C", f32, {N});
  Axis i("i", N);
  const Program program("stencil", C(i) = A(i) + A(i + 1) + A(i + 3));
  Schedule s(program);
  s.assume(N % 4 == 0);
  auto [blocks, threads] = s.split(i, 32);
  s.bind(blocks, block.x);
  s.bind(threads, thread.x);
  s.cache_shared(A, blocks, {.vectorize = 4});
  EXPECT_NE(compile(s, {.device = Device::simulated()}).source().find("float4"), std::string::npos);
  for (const int64_t n : {0, 4, 28, 32, 36, 100})
    expect_as_meant(program, s, {{"N", n}}, random_buffers(program.function(), {{"N", n}}, 7));
}

}  // namespace element_tiles_test
}  // namespace hone

// Tiles of what is gathered, and of what fused sizes index, where a guard leaves some threads out.
#include <gtest/gtest.h>

#include "tests/support/random/random_program.h"
#include "tests/support/runtime/reductions.h"

namespace hone {
namespace guarded_tiles_test {

TEST(GuardedTiles, ATableIsGatheredUnderAGuard) {
  Param N("N");
  Tensor at("at", i32, {N}), T("T", f32, {64}), C("C", f32, {N});
  Axis i("i", N);
  const Program program("gather", C(i) = select(at(i) > 3, T(at(i)), 0.0));
  Schedule s(program);
  auto [blocks, threads] = s.split(i, 32);
  s.bind(blocks, block.x);
  s.bind(threads, thread.x);
  s.cache_shared(T, blocks);
  for (const int64_t n : {0, 1, 31, 32, 33, 100})
    expect_as_meant(program, s, {{"N", n}},
                    random_buffers(program.function(), {{"N", n}}, 7, {{"at", Expr(64)}}));
}

TEST(GuardedTiles, RowsOfATableAreGatheredUnderAGuard) {
  Param N("N");
  Tensor at("at", i32, {N}), T("T", f32, {16, 8}), C("C", f32, {N, 8});
  Axis i("i", N), j("j", 8);
  const Program program("rows", C(i, j) = T(at(i), j) * 2.0);
  Schedule s(program);
  auto [blocks, threads] = s.split(i, 32);
  s.bind(blocks, block.x);
  s.bind(threads, thread.x);
  s.cache_registers(T, threads);
  for (const int64_t n : {0, 1, 31, 32, 33, 100})
    expect_as_meant(program, s, {{"N", n}},
                    random_buffers(program.function(), {{"N", n}}, 7, {{"at", Expr(16)}}));
}

TEST(GuardedTiles, FusedSizesIndexARegister) {
  Param M("M"), N("N"), K("K");
  Tensor A("A", f32, {M, K}), B("B", f32, {K, N}), C("C", f32, {M, N});
  Axis i("i", M), j("j", N);
  ReduceAxis k("k", K);
  const Program program("matmul", C(i, j) = sum(k, A(i, k) * B(k, j)));
  Schedule s(program);
  auto [blocks, threads] = s.split(s.fuse(i, j), 32);
  s.bind(blocks, block.x);
  s.bind(threads, thread.x);
  s.cache_registers(C, threads);
  for (const int64_t m : {0, 1, 7, 8})
    for (const int64_t n : {1, 5, 9}) {
      const Sizes sizes = {{"M", m}, {"N", n}, {"K", 3}};
      expect_as_meant(program, s, sizes, random_buffers(program.function(), sizes, 7));
    }
}

}  // namespace guarded_tiles_test
}  // namespace hone

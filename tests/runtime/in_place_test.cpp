// Outputs that come with values, on every device.
#include <gtest/gtest.h>

#include "fmt/format.h"
#include "ir/core/error.h"
#include "tests/support/random/random_program.h"
#include "tests/support/runtime/interpreted.h"
#include "tests/support/runtime/reductions.h"

namespace hone {
namespace in_place_test {

struct Product {
  Param M{"M"}, N{"N"}, K{"K"};
  Tensor A{"A", f32, {M, K}}, B{"B", f32, {K, N}}, C{"C", f32, {M, N}};
  Axis i{"i", M}, j{"j", N};
  ReduceAxis k{"k", K};
  Program program{"gemm", C(i, j) += sum(k, A(i, k) * B(k, j))};
};

void expect_right(const Program& program, const Schedule& s, const Sizes& sizes) {
  expect_as_meant(program, s, sizes, random_buffers(program.function(), sizes, 7));
}

TEST(InPlaceKernels, ATiledProductIsAddedToWhatIsThere) {
  const Product p;
  Schedule s(p.program);
  auto [by, bx, iy, jx] = s.tile({p.i, p.j}, {8, 16});
  auto [ty, tx, yi, xi] = s.tile({iy, jx}, {2, 2});
  auto [ko, ki] = s.split(p.k, 8);
  s.reorder({by, bx, ty, tx, ko, ki, yi, xi});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  s.cache_registers(p.C, tx);
  s.cache_shared(p.A, ko);
  s.cache_shared(p.B, ko);
  for (const int64_t m : {1, 7, 16, 17})
    for (const int64_t k : {0, 1, 8, 9})
      expect_right(p.program, s, {{"M", m}, {"N", m + 2}, {"K", k}});
}

TEST(InPlaceKernels, TheHostAddsToWhatIsThere) {
  const Product p;
  Schedule s(p.program);
  s.reorder({p.i, p.k, p.j});
  s.bind(p.i, parallel);
  for (const int64_t m : {1, 5, 8})
    expect_as_interpreted_on_host(s.function(), {{"M", m}, {"N", m + 1}, {"K", 3}});
}

struct Total {
  Param N{"N"};
  Tensor A{"A", f32, {N}}, S{"S", f32, {}};
  ReduceAxis k{"k", N};
  Program program{"total", S() += sum(k, A(k))};
};

TEST(InPlaceKernels, ThreadsAddToWhatIsThere) {
  for (const CombineLevels& combine : all_thread_combines(32)) {
    const Total p;
    Schedule s(p.program);
    auto [turn, lane] = s.split(p.k, 32);
    s.reorder({lane, turn});
    s.bind(lane, thread.x, combine);
    for (const int64_t n : {0, 1, 31, 32, 100}) expect_right(p.program, s, {{"N", n}});
  }
}

TEST(InPlaceKernels, BlocksAddToWhatIsThere) {
  for (const Combine::Method across : {Combine::atomic, Combine::last_block})
    for (const Combine::Method within : {Combine::sequential, Combine::shuffle}) {
      const Total p;
      Schedule s(p.program);
      auto [part, own] = s.split(p.k, 100);
      s.bind(part, block.x, across);
      auto [turn, lane] = s.split(own, 32);
      s.reorder({lane, turn});
      s.bind(lane, thread.x, within);
      for (const int64_t n : {0, 1, 100, 101, 999}) expect_right(p.program, s, {{"N", n}});
    }
}

TEST(InPlaceKernels, PartialResultsAreAddedToWhatIsThere) {
  const Total p;
  Schedule s(p.program);
  auto [turn, own] = s.split(p.k, 16);
  auto [partial_sums, partial, total] = s.rfactor(p.S, turn);
  s.bind(partial, block.x);
  for (const int64_t n : {0, 1, 16, 17, 100}) expect_right(p.program, s, {{"N", n}});
}

TEST(InPlaceKernels, AHistogramGoesOnCountingInShared) {
  Param N("N");
  Tensor bin("bin", i32, {N}), H("H", i32, {16});
  ReduceAxis k("k", N);
  const Program program("count", H(bin(k)) += sum(k, cast(i32, 1)));
  for (const Combine::Method across : {Combine::atomic, Combine::last_block}) {
    Schedule s(program);
    auto [part, own] = s.split(k, 64);
    auto [turn, lane] = s.split(own, 16);
    s.reorder({part, lane, turn});
    s.bind(part, block.x, across);
    s.bind(lane, thread.x, Combine::atomic);
    s.cache_shared(H, part);
    for (const int64_t n : {0, 1, 64, 65, 300}) {
      Buffers buffers = random_buffers(program.function(), {{"N", n}}, 3, {{"bin", Expr(16)}});
      expect_as_meant(program, s, {{"N", n}}, buffers);
    }
  }
}

TEST(InPlaceKernels, JacobiReturnsItsStepAndHowFarItWent) {
  Param N("N");
  Tensor Old("Old", f32, {N + 2}), New("New", f32, {N}), change("change", f32, {});
  Axis i("i", N);
  ReduceAxis k("k", N);
  const Program program("jacobi", output(New(i) = (Old(i) + Old(i + 2)) * 0.5),
                        change() = max(k, abs(New(k) - Old(k + 1))));
  Schedule s(program);
  auto [block_of, thread_of] = s.split(i, 32);
  s.bind(block_of, block.x);
  s.bind(thread_of, thread.x);
  auto [turn, lane] = s.split(k, 32);
  s.reorder({lane, turn});
  s.bind(lane, thread.x, Combine::shuffle);
  for (const int64_t n : {1, 31, 32, 33, 100}) expect_right(program, s, {{"N", n}});
}

TEST(InPlaceKernels, VectorsAreAddedToWhatIsThere) {
  Param N("N");
  Tensor A("A", f32, {N}), C("C", f32, {N});
  Axis i("i", N);
  const Program program("axpy", C(i) = A(i) * 2.0 + C(i));
  Schedule s(program);
  s.assume(N % 4 == 0);
  auto [rest, lane] = s.split(i, 4);
  auto [block_of, thread_of] = s.split(rest, 8);
  s.bind(block_of, block.x);
  s.bind(thread_of, thread.x);
  s.vectorize(lane);
  for (const int64_t n : {4, 32, 36}) expect_right(program, s, {{"N", n}});
}

}  // namespace in_place_test
}  // namespace hone

// Programs of several definitions as one kernel, on the simulated device and on the host.
#include "dsl/schedule.h"
#include "gtest/gtest.h"
#include "tests/support/runtime/interpreted.h"

namespace hone {
namespace placement_test {

struct Softmax {
  Param M{"M"}, N{"N"};
  Tensor X{"X", f32, {M, N}}, top{"top", f32, {M}}, S{"S", f32, {M}}, Y{"Y", f32, {M, N}};
  Axis i{"i", M}, j{"j", N};
  ReduceAxis k{"k", N};
  Program program{"softmax", top(i) = max(k, X(i, k)), S(i) = sum(k, X(i, k) - top(i)),
                  Y(i, j) = (X(i, j) - top(i)) * S(i)};
};

/// Three neighbours of three neighbours, in both directions.
struct Blur {
  Param M{"M"}, N{"N"};
  Tensor X{"X", f32, {M + 2, N + 2}}, T{"T", f32, {M + 2, N}}, Y{"Y", f32, {M, N}};
  Axis a{"a", M + 2}, b{"b", N}, i{"i", M}, j{"j", N};
  Program program{"blur", T(a, b) = X(a, b) + X(a, b + 1) + X(a, b + 2),
                  Y(i, j) = T(i, j) + T(i + 1, j) + T(i + 2, j)};
};

void expect_everywhere(const Function& function, const Sizes& sizes) {
  expect_as_interpreted(function, sizes);
  expect_as_interpreted_on_host(function, sizes);
}

TEST(Placement, EachThreadComputesARowOfASoftmax) {
  const Softmax m;
  Schedule s(m.program);
  auto [row_0, row_1] = s.split(s.axis(m.Y, m.i), 8);
  s.bind(row_0, block.x);
  s.bind(row_1, thread.x);
  s.compute_at(m.S, row_1);
  s.compute_at(m.top, row_1);
  expect_everywhere(s, {{"M", 19}, {"N", 13}});
}

TEST(Placement, ABlockComputesARowOfASoftmax) {
  const Softmax m;
  Schedule s(m.program);
  const Axis row = s.axis(m.Y, m.i);
  auto [j_0, j_1] = s.split(m.j, 8);
  s.bind(row, block.x);
  s.bind(j_1, thread.x);
  s.compute_at(m.S, row);
  s.compute_at(m.top, row);
  expect_everywhere(s, {{"M", 5}, {"N", 13}});
}

TEST(Placement, ABlockComputesATileWithItsHaloInSharedMemory) {
  const Blur m;
  Schedule s(m.program);
  auto [i_0, j_0, i_1, j_1] = s.tile({m.i, m.j}, {4, 8});
  s.bind(i_0, block.y);
  s.bind(j_0, block.x);
  s.bind(i_1, thread.y);
  s.bind(j_1, thread.x);
  s.compute_at(m.T, j_0);
  expect_everywhere(s, {{"M", 9}, {"N", 21}});
  s.bind(m.a, thread.y);
  s.bind(m.b, thread.x);
  expect_everywhere(s, {{"M", 9}, {"N", 21}});
  expect_everywhere(s, {{"M", 8}, {"N", 16}});
}

TEST(Placement, AThreadComputesItsPartInRegisters) {
  const Blur m;
  Schedule s(m.program);
  auto [i_0, j_0, i_1, j_1] = s.tile({m.i, m.j}, {4, 8});
  s.bind(i_0, block.y);
  s.bind(j_0, block.x);
  s.reorder({j_1, i_1});
  s.bind(j_1, thread.x);
  s.compute_at(m.T, j_1);
  expect_everywhere(s, {{"M", 9}, {"N", 21}});
}

TEST(Placement, AReductionWithAnEpilogueIsTiled) {
  const Param M("M"), N("N"), K("K");
  const Tensor A("A", f32, {M, K}), B("B", f32, {K, N}), C("C", f32, {M, N}), E("E", f32, {N}),
      D("D", f32, {M, N});
  const Axis i("i", M), j("j", N);
  const ReduceAxis k("k", K);
  Schedule s(
      Program("dense", C(i, j) = sum(k, A(i, k) * B(k, j)), D(i, j) = max(C(i, j) + E(j), 0.0f)));
  s.fuse_epilogue(D);
  auto [i_0, j_0, i_1, j_1] = s.tile({i, j}, {8, 8});
  auto [i_2, j_2, i_3, j_3] = s.tile({i_1, j_1}, {2, 2});
  auto [k_0, k_1] = s.split(k, 4);
  s.reorder({i_0, j_0, i_2, j_2, k_0, k_1, i_3, j_3});
  s.bind(i_0, block.y);
  s.bind(j_0, block.x);
  s.bind(i_2, thread.y);
  s.bind(j_2, thread.x);
  s.cache_registers(D, j_2);
  s.cache_shared(A, k_0);
  s.cache_shared(B, k_0);
  expect_everywhere(s, {{"M", 13}, {"N", 9}, {"K", 7}});
}

}  // namespace placement_test
}  // namespace hone

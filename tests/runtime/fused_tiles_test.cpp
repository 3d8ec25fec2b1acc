// Axes of sizes known at launch, fused, of which each thread has a few elements in registers.
#include <gtest/gtest.h>

#include "fmt/format.h"
#include "tests/support/random/random_program.h"
#include "tests/support/runtime/reductions.h"

namespace hone {
namespace fused_tiles_test {

constexpr Tail tails[] = {Tail::guard, Tail::pad, Tail::peel};

/// A product over M*N elements, four of which a thread has.
Schedule fused_product(const Program& program, const Tensor& C, Tail tail) {
  Schedule s(program);
  const Axis f = s.fuse(s.axis("i"), s.axis("j"));
  const auto parts = s.split(f, 32, {.tail = tail});
  const auto [tx, e] = s.split(s.axis("i_j.1"), 4);
  const auto [ko, ki] = s.split(s.axis("k"), 8);
  s.reorder({s.axis("i_j.0"), tx, ko, ki, e});
  s.bind(s.axis("i_j.0"), block.x);
  s.bind(tx, thread.x);
  s.cache_registers(C, tx);
  return s;
}

TEST(FusedTiles, AProductAlongRowsAndColumns) {
  Param M("M"), N("N"), K("K");
  Tensor A("A", f32, {M, K}), B("B", f32, {K, N}), C("C", f32, {M, N});
  Axis i("i", M), j("j", N);
  ReduceAxis k("k", K);
  const Program set("set", C(i, j) = sum(k, A(i, k) * B(k, j)));
  const Program added("added", C(i, j) += sum(k, A(i, k) * B(k, j)));
  for (const Program* program : {&set, &added})
    for (const Tail tail : tails) {
      const Schedule s = fused_product(*program, C, tail);
      EXPECT_NE(to_string(s.function()).find("alloc C.reg: f32[4]"), std::string::npos);
      for (const int64_t m : {0, 1, 7})
        for (const int64_t n : {0, 1, 5, 8, 13})
          for (const int64_t depth : {0, 1, 9}) {
            const Sizes sizes = {{"M", m}, {"N", n}, {"K", depth}};
            expect_as_meant(*program, s, sizes, random_buffers(program->function(), sizes, 7));
          }
    }
}

/// Operands have tiles beside that of the result.
TEST(FusedTiles, ThreeAxes) {
  Param M("M"), N("N");
  Tensor A("A", f32, {M, N, 3}), B("B", f32, {N}), C("C", f32, {M, N, 3});
  Axis i("i", M), j("j", N), l("l", 3);
  const Program program("scaled", C(i, j, l) = A(i, j, l) * B(j));
  for (const Tail tail : tails)
    for (const int64_t elements : {2, 3, 4, 5}) {
      Schedule s(program);
      s.split(s.fuse(s.fuse(i, j), l), elements, {.tail = tail});
      const Axis threads = s.axis("i_j_l.0");
      s.bind(s.split(threads, 8)[1], thread.x);
      s.bind(s.axis("i_j_l.0.0"), block.x);
      for (const Tensor& tensor : {A, B, C}) s.cache_registers(tensor, s.axis("i_j_l.0.1"));
      for (const int64_t m : {0, 1, 2, 7})
        for (const int64_t n : {0, 1, 5, 11}) {
          const Sizes sizes = {{"M", m}, {"N", n}};
          expect_as_meant(program, s, sizes, random_buffers(program.function(), sizes, 7));
        }
    }
}

/// Two reduction axes; the total is combined by a tree.
TEST(FusedTiles, WhatIsReduced) {
  Param M("M"), N("N");
  Tensor A("A", f32, {M, N}), S("S", f32, {});
  ReduceAxis k("k", M), l("l", N);
  const Program program("total", S() = sum({k, l}, A(k, l)));
  Schedule s(program);
  auto [steps, run] = s.split(s.fuse(k, l), 128);
  auto [threads, elements] = s.split(run, 4);
  s.reorder({threads, steps, elements});
  s.bind(threads, thread.x, Combine::shuffle);
  s.cache_registers(A, steps);
  for (const int64_t m : {0, 1, 7, 33})
    for (const int64_t n : {0, 1, 5, 11}) {
      const Sizes sizes = {{"M", m}, {"N", n}};
      expect_as_meant(program, s, sizes, random_buffers(program.function(), sizes, 7));
    }
}

}  // namespace fused_tiles_test
}  // namespace hone

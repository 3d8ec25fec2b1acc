// Numbers.

#include "examples/exercises/catalog.h"
#include "examples/exercises/judge.h"
#include "examples/exercises/numbers_goals.h"

namespace hone {
namespace {

Task tiles_to_the_last_bit() {
  const Param M("M"), N("N"), K("K");
  const Tensor A("A", f32, {M, K}), B("B", f32, {K, N}), C("C", f32, {M, N});
  const Axis i("i", M), j("j", N);
  const ReduceAxis k("k", K);
  return {Program("matmul", C(i, j) = sum(k, A(i, k) * B(k, j))),
          {{{"M", 1}, {"N", 1}, {"K", 1}}, {{"M", 17}, {"N", 35}, {"K", 45}}},
          {{"M", 32}, {"N", 32}, {"K", 64}},
          {same_bits_as_program("Each sum takes its terms in the order of k: the loop over steps "
                                "stays around the loop within a step."),
           uses_tile("A.shared", "cache_shared(A, step) stages what a block reads in a step."),
           uses_tile("B.shared", "cache_shared(B, step) likewise."),
           barriers_at_most(8, "A step of 16 terms has two barriers.")}};
}

Task the_same_bits_in_each_run() {
  const Param n("n");
  const Tensor A("A", f32, {n}), B("B", f32, {n}), S("S", f32, {});
  const ReduceAxis k("k", n);
  return {Program("dot", S() = sum(k, A(k) * B(k))),
          {{{"n", 0}}, {{"n", 1}}, {{"n", 5001}}},
          {{"n", 8192}},
          {same_bits_in_each_run("rfactor gives each block a part of its own in memory, and a "
                                 "second kernel adds the parts in order."),
           blocks_at_least(16, "Blocks of 256 threads that take 512 terms each are 16."),
           threads_at_least(4096,
                            "Bind the loop over the terms of a block to threads, and say "
                            "how they combine.")}};
}

}  // namespace

std::vector<Exercise> exercises_of_lesson_16() {
  return {exercise("16.1", "tiles, to the last bit", tiles_to_the_last_bit),
          exercise("16.2", "the same bits in each run", the_same_bits_in_each_run)};
}

}  // namespace hone

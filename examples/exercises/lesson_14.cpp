// Pipelines and roles.

#include "examples/exercises/catalog.h"
#include "examples/exercises/judge.h"
#include "examples/exercises/ring_goals.h"

namespace hone {
namespace {

Program mirrored() {
  const Param M("M"), K("K");
  const Tensor A("A", f32, {M, K, 64}), S("S", f32, {M, 64});
  const Axis i("i", M), t("t", 64);
  const ReduceAxis k("k", K);
  return Program("mirrored", S(i, t) = sum(k, A(i, k, t) * A(i, k, 63 - t)));
}

Task copies_that_have_time() {
  return {mirrored(),
          {{{"M", 1}, {"K", 1}}, {{"M", 2}, {"K", 6}}},
          {{"M", 2}, {"K", 16}},
          {uses_tile("A.shared", "The tile is to stay."), ring_of(4, "The ring had four slots."),
           copies_have(3,
                       "wait_group n leaves the last n groups on their way. Before turn k reads, "
                       "the groups of rows 0 to k + 2 are committed, and it needs that of row k."),
           threads_at_least(128, "The grid and the block were right.")}};
}

Task two_warps_of_producers() {
  return {mirrored(),
          {{{"M", 1}, {"K", 1}}, {{"M", 2}, {"K", 17}}},
          {{"M", 2}, {"K", 64}},
          {uses_tile("A.shared", "cache_shared(A, axis) stages what a step reads."),
           ring_of(4, "specialize(axis, 4, {.producer_warps = ...}) makes a ring of four slots."),
           producers_are(2,
                         "Threads that fill the ring themselves are a pipeline. specialize takes "
                         "the number of warps: {.producer_warps = 2}."),
           copies_have(3, "All slots but the one that is read may be on their way."),
           threads_per_block(128, 128, "Two warps of consumers and two of producers."),
           shared_bytes_at_most(4 * 4 * 64 * 4 + 64,
                                "A slot has four rows of 64 elements, and two mbarriers.")}};
}

}  // namespace

std::vector<Exercise> exercises_of_lesson_14() {
  return {kernel_exercise("14.1", "copies that have time", copies_that_have_time),
          exercise("14.2", "two warps of producers", two_warps_of_producers)};
}

}  // namespace hone

// Reductions; halos and compute_at; own operators.

#include "examples/exercises/catalog.h"
#include "examples/exercises/judge.h"

namespace hone {
namespace {

constexpr AccessClass global_load = AccessClass::global_load,
                      global_store = AccessClass::global_store;

const char* const by_registers =
    "bind(axis, thread.x, Combine::shuffle), of an axis of 32 iterations, has lanes read each "
    "other's registers.";

const char* const adds_first =
    "The lanes combine in each iteration of the outer loop: reorder({lane, turn}) has a lane put "
    "together its own elements first.";

Task row_sums() {
  const Param M("M"), N("N");
  const Tensor A("A", f32, {M, N}), S("S", f32, {M});
  const Axis i("i", M);
  const ReduceAxis k("k", N);
  return {Program("row_sums", S(i) = sum(k, A(i, k))),
          {{{"M", 1}, {"N", 1}}, {{"M", 9}, {"N", 33}}},
          {{"M", 16}, {"N", 256}},
          {sectors_at_most("A", global_load, 4,
                           "Split k by 32: the inner axis are the lanes, which take neighbours."),
           barriers_at_most(0, by_registers), shuffles(by_registers),
           threads_at_least(int64_t{16} * 32, "Each row has a warp."),
           shuffles_at_most(5, adds_first)}};
}

Task a_dot_product() {
  const Param n("n");
  const Tensor A("A", f32, {n}), B("B", f32, {n}), S("S", f32, {});
  const ReduceAxis k("k", n);
  return {
      Program("dot", S() = sum(k, A(k) * B(k))),
      {{{"n", 1}}, {{"n", 511}}, {{"n", 513}}},
      {{"n", 4096}},
      {kernels_at_most(2,
                       "Combine::atomic, of blocks, adds to the result: a kernel that sets it to 0 "
                       "comes before, and none after."),
       blocks_at_least(8, "The outer part of k goes to block.x, with a way to combine."),
       threads_per_block(256, 256, "Within 512 elements, each thread takes two."),
       shuffles("Combine::two_level, of the threads of a block, combines warps by shuffles, and "
                "then what the warps have."),
       barriers_at_most(1,
                        "A tree meets a barrier per level, and Combine::last_block has more: "
                        "Combine::two_level of threads, and Combine::atomic of blocks.")}};
}

Task windows() {
  const Param n("n");
  const Tensor A("A", f32, {n + 4}), B("B", f32, {n});
  const Axis i("i", n);
  return {Program("window_sums", B(i) = A(i) + A(i + 1) + A(i + 2) + A(i + 3) + A(i + 4)),
          {{{"n", 1}}, {{"n", 255}}, {{"n", 257}}},
          {{"n", 1024}},
          {uses_tile("A.shared",
                     "cache_shared(A, t) stages what an iteration of the threads' axis "
                     "touches, over all of them: the halo is part of it."),
           elements_at_most("A", global_load, 1.1,
                            "A tile of 256 elements has a halo of four; a smaller tile has it more "
                            "often."),
           threads_per_block(256, 256, "The tile of a block is for 256 threads, an element each."),
           threads_at_least(1024)}};
}

Task two_steps() {
  const Param n("n");
  const Tensor A("A", f32, {n + 3}), T("T", f32, {n + 2}), B("B", f32, {n});
  const Axis v("v", n + 2), i("i", n);
  const char* const placed =
      "compute_at(T, axis, {.scope = Scope::shared}) computes what one iteration of the axis of "
      "blocks reads, before its threads are bound.";
  return {
      Program("two_steps", T(v) = A(v) * A(v) + A(v + 1), B(i) = T(i) + T(i + 1) + T(i + 2)),
      {{{"n", 1}}, {{"n", 127}}, {{"n", 129}}},
      {{"n", 1024}},
      {kernels_at_most(1, placed), uses_tile("T", placed),
       elements_at_most("A", global_load, 2.1, placed),
       threads_per_block(
           128, 128,
           "Both loops, over v and over i, go to the same 128 threads: split that over v by 128."),
       threads_at_least(1024),
       busy_lanes_at_least(24,
                           "The loop over v has no threads yet: split s.axis(\"v\") by 128, "
                           "and bind the inner axis to thread.x, too.")}};
}

Task range_of_rows() {
  const Param M("M"), N("N");
  const Tensor X("X", f32, {M, N}), R("R", f32, {M}), largest("largest", f32, {M}),
      least("least", f32, {M});
  const Axis i("i", M);
  const ReduceAxis k("k", N);
  return {Program("range", largest(i) = max(k, X(i, k)), least(i) = min(k, X(i, k)),
                  R(i) = largest(i) - least(i)),
          {{{"M", 1}, {"N", 1}}, {{"M", 3}, {"N", 33}}},
          {{"M", 8}, {"N", 64}},
          {kernels_at_most(1, "compute_at brings the reduction into the kernel of R."),
           elements_at_most("X", global_load, 64,
                            "A pair of the largest and the least value so far is one reduction: "
                            "reduce({k}, pair(...), pair(X(i, k), X(i, k)), ...)."),
           shuffles(by_registers), threads_at_least(int64_t{8} * 32, "Each row has a warp."),
           shuffles_at_most(5, adds_first)}};
}

Task normalised_rows() {
  const Param M("M"), N("N");
  const Tensor X("X", f32, {M, N}), Y("Y", f32, {M, N}),
      moments("moments", tuple_of({f32, f32}), {M});
  const Axis i("i", M), j("j", N);
  const ReduceAxis k("k", N);
  const auto add = [](const Expr& x, const Expr& y) {
    return pair(first(x) + first(y), second(x) + second(y));
  };
  const Expr mean = first(moments(i)) / cast(f32, N);
  const Expr variance = second(moments(i)) / cast(f32, N) - mean * mean;
  return {Program("normalise",
                  moments(i) = reduce({k}, pair(0.0, 0.0), pair(X(i, k), X(i, k) * X(i, k)), add,
                                      {.name = "add_both", .associative = true}),
                  Y(i, j) = (X(i, j) - mean) * rsqrt(max(variance, 0.0f) + 0.01f)),
          {{{"M", 1}, {"N", 1}}, {{"M", 3}, {"N", 33}}},
          {{"M", 8}, {"N", 64}},
          {kernels_at_most(1, "compute_at(moments, row) computes what a row needs in its kernel."),
           threads_per_block(32, 32, "A row has a block, and the block one warp."),
           shuffles(by_registers), threads_at_least(int64_t{8} * 32, "A row has a block."),
           shuffles_at_most(5, adds_first),
           shared_bytes_at_most(0, "compute_at without a scope has the moments in registers."),
           elements_at_most("X", global_load, 2, "Once for the moments, and once for Y."),
           elements_at_most("Y", global_store, 1, "Each element of Y is stored once."),
           busy_lanes_at_least(24,
                               "One lane stores the row: split j by 32, too, and bind the inner "
                               "axis to thread.x.")}};
}

}  // namespace

std::vector<Exercise> exercises_of_lessons_10_to_12() {
  return {exercise("10.1", "a warp per row", row_sums),
          exercise("10.2", "a dot product", a_dot_product),
          exercise("11.1", "a tile with its halo", windows),
          exercise("11.2", "two steps in one kernel", two_steps),
          program_exercise("12.1", "the range of each row in one pass", range_of_rows),
          exercise("12.2", "normalised rows in one kernel", normalised_rows)};
}

}  // namespace hone

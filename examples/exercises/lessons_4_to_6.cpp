// Coalescing; shared tiles and a race; banks.

#include "examples/exercises/catalog.h"
#include "examples/exercises/judge.h"

namespace hone {
namespace {

constexpr AccessClass global_load = AccessClass::global_load,
                      global_store = AccessClass::global_store;

Task a_matrix() {
  const Param M("M"), N("N");
  const Tensor A("A", f32, {M, N}), B("B", f32, {M, N});
  const Axis i("i", M), j("j", N);
  const char* const side_by_side =
      "Neighbouring threads are to take neighbours in a row: the axis on thread.x is the last "
      "index "
      "of A and B, without a factor.";
  return {
      Program("twice", B(i, j) = A(i, j) * 2.0f),
      {{{"M", 1}, {"N", 1}}, {{"M", 33}, {"N", 31}}},
      {{"M", 64}, {"N", 128}},
      {threads_per_block(32, 1024,
                         "A warp has 32 lanes; a smaller block leaves some of them idle."),
       sectors_at_most("A", global_load, 4, side_by_side),
       sectors_at_most("B", global_store, 4, side_by_side), threads_at_least(int64_t{64} * 128)}};
}

Task complex_numbers() {
  const Param n("n");
  const Tensor in("in", f32, {n, 2}), out("out", f32, {n, 2});
  const Axis i("i", n), c("c", 2);
  const char* const fused =
      "The last index runs to 2 only. fuse(i, c) is one axis, whose iterations lie side by side.";
  return {Program("halve", out(i, c) = in(i, c) * 0.5f),
          {{{"n", 1}}, {{"n", 31}}, {{"n", 33}}},
          {{"n", 512}},
          {threads_per_block(64, 1024, "Split by 64 or more, and bind the inner axis to thread.x."),
           sectors_at_most("in", global_load, 4, fused),
           sectors_at_most("out", global_store, 4, fused), threads_at_least(512)}};
}

Task product_with_a_transpose() {
  const Param M("M"), N("N"), K("K");
  const Tensor A("A", f32, {M, K}), B("B", f32, {N, K}), C("C", f32, {M, N});
  const Axis i("i", M), j("j", N);
  const ReduceAxis k("k", K);
  return {Program("product", C(i, j) = sum(k, A(i, k) * B(j, k))),
          {{{"M", 1}, {"N", 1}, {"K", 1}}, {{"M", 17}, {"N", 15}, {"K", 33}}},
          {{"M", 32}, {"N", 48}, {"K", 64}},
          {block_of(16, 16, "A block stays one of 16 x 16 threads."),
           uses_tile("A.shared",
                     "cache_shared(A, axis) stages what one iteration of the axis "
                     "touches, over all threads of the block."),
           uses_tile("B.shared", "B is staged like A."),
           elements_at_most("A", global_load, 4, "16 threads use each element of A."),
           elements_at_most("B", global_load, 4, "16 threads use each element of B."),
           barriers_at_most(8,
                            "A step has two barriers, however many products it has: 4 steps of "
                            "16 have eight."),
           shared_bytes_at_most(2048, "A step has 16 products: split k by 16."),
           elements_at_most("C", global_store, 1, "The sums stay in registers."),
           threads_at_least(int64_t{32} * 48)}};
}

Task mend_a_race() {
  const Param n("n");
  const Tensor A("A", f32, {n + 4}), B("B", f32, {n});
  const Axis i("i", n);
  return {
      Program("window_sums", B(i) = A(i) + A(i + 1) + A(i + 2) + A(i + 3) + A(i + 4)),
      {{{"n", 1}}, {{"n", 63}}, {{"n", 257}}},
      {{"n", 512}},
      {uses_tile("A.shared", "The tile is to stay."),
       threads_at_least(128, "The grid and the block were right."),
       busy_lanes_at_least(24, "All threads fill the tile, and each computes its own results.")}};
}

Task transposition(std::vector<Goal> goals) {
  const Param M("M"), N("N");
  const Tensor A("A", f32, {M, N}), B("B", f32, {N, M});
  const Axis i("i", M), j("j", N);
  const char* const both_sides =
      "cache_shared(A, axis), where one iteration of the axis is a block's, fills the tile in the "
      "order of A.";
  std::vector<Goal> all = {sectors_at_most("A", global_load, 4, both_sides),
                           sectors_at_most("B", global_store, 4, both_sides),
                           uses_tile("A.shared", both_sides)};
  all.insert(all.end(), goals.begin(), goals.end());
  all.push_back(threads_at_least(64 * 96 / 4));
  return {Program("transpose", B(j, i) = A(i, j)),
          {{{"M", 1}, {"N", 1}}, {{"M", 33}, {"N", 31}}},
          {{"M", 64}, {"N", 96}},
          all};
}

Task without_conflicts() {
  return transposition({no_bank_conflicts(
      "Elements 32 floats apart are in one bank. layout(tile, Layout().pad(n)) puts n floats "
      "between the rows.")});
}

Task without_padding() {
  return transposition(
      {shared_bytes_at_most(4096,
                            "A swizzle needs no memory: Layout().swizzle({.chunk = ..., "
                            ".period = ...})."),
       no_bank_conflicts(
           "Chunk c of row r lies where c ^ (r % period) would: a column is in as many "
           "banks as there are permutations, of chunks of one float.")});
}

}  // namespace

std::vector<Exercise> exercises_of_lessons_4_to_6() {
  return {exercise("4.1", "a coalesced kernel", a_matrix),
          exercise("4.2", "coalesced complex numbers", complex_numbers),
          exercise("5.1", "tiles for a product with a transpose", product_with_a_transpose),
          kernel_exercise("5.2", "a kernel with a race", mend_a_race),
          exercise("6.1", "a transposition without bank conflicts", without_conflicts),
          exercise("6.2", "the same without padding", without_padding)};
}

}  // namespace hone

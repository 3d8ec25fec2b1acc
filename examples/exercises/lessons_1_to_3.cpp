// First kernels; split, bind and guards; reading the dumps.

#include "examples/exercises/catalog.h"
#include "examples/exercises/judge.h"

namespace hone {
namespace {

Task a_kernel() {
  const Param n("n");
  const Tensor X("X", f32, {n}), Y("Y", f32, {n}), Z("Z", f32, {n});
  const Axis i("i", n);
  return {Program("axpy", Z(i) = X(i) * 2.0f + Y(i)),
          {{{"n", 1}}, {{"n", 127}}, {{"n", 129}}},
          {{"n", 1000}},
          {threads_per_block(128, 128,
                             "The inner axis of a split has as many iterations as its factor; "
                             "bind it to thread.x."),
           blocks_at_least(8, "The outer axis of the split is what blocks are for: block.x.")}};
}

Task a_picture() {
  const Param H("H"), W("W");
  const Tensor in("in", f32, {H, W}), out("out", f32, {H, W});
  const Axis y("y", H), x("x", W);
  return {Program("invert", out(y, x) = 1.0f - in(y, x)),
          {{{"H", 1}, {"W", 1}}, {{"H", 7}, {"W", 33}}, {{"H", 9}, {"W", 31}}},
          {{"H", 40}, {"W", 96}},
          {block_of(32, 8,
                    "Split both axes, y by 8 and x by 32, and bind both inner axes, that of x to "
                    "thread.x."),
           grid_of(3, 5, "Both outer axes are the grid's: bind them to block.y and block.x."),
           sectors_at_most("in", AccessClass::global_load, 4,
                           "Neighbouring threads, those along thread.x, are to take neighbouring "
                           "pixels of a row.")}};
}

Task a_product() {
  const Param M("M"), N("N"), K("K");
  const Tensor A("A", f32, {M, K}), B("B", f32, {K, N}), C("C", f32, {M, N});
  const Axis i("i", M), j("j", N);
  const ReduceAxis k("k", K);
  return {
      Program("matmul", C(i, j) = sum(k, A(i, k) * B(k, j))),
      {{{"M", 1}, {"N", 1}, {"K", 1}}, {{"M", 15}, {"N", 17}, {"K", 7}}},
      {{"M", 32}, {"N", 48}, {"K", 20}},
      {block_of(16, 16, "Tiles of 16 x 16 elements have 256 threads."),
       threads_at_least(int64_t{32} * 48,
                        "Each element has a thread: the tile of a block has no more of "
                        "them than the block has threads."),
       sectors_at_most("C", AccessClass::global_store, 4,
                       "Neighbours in a row of C are to be neighbours along thread.x."),
       elements_at_most("C", AccessClass::global_store, 1,
                        "Each product updates C in global memory. cache_registers(C, axis) keeps "
                        "what one iteration of the axis touches in registers meanwhile.")}};
}

Task without_guards() {
  const Param n("n");
  const Tensor A("A", f32, {n}), B("B", f32, {n});
  const Axis i("i", n);
  return {Program("squares", B(i) = A(i) * A(i)),
          {{{"n", 128}}, {{"n", 384}}},
          {{"n", 1024}},
          {threads_per_block(128, 128, "Split i by 128, and bind the inner axis to thread.x."),
           threads_at_least(1024),
           no_guards("s.assume(condition) promises a condition on the sizes, here that 128 divides "
                     "n; a split that comes after it needs no guard.")}};
}

/// Two rows a thread, in the order that the task prints.
const char* const wanted_loops = R"(
func scale[M, N](A: f32[M, N], w: f32[N], B: f32[M, N]) {
  for i.0 in 0..(M + 7) / 8 @block.y {
    for j.0 in 0..(N + 63) / 64 @block.x {
      for i.1.0 in 0..4 @thread.y {
        for j.1 in 0..64 @thread.x {
          for i.1.1 in 0..2 @unroll {
            if (i.0*8 + i.1.0*2 + i.1.1 < M) {
              if (j.0*64 + j.1 < N) {
                B[i.0*8 + i.1.0*2 + i.1.1, j.0*64 + j.1] = A[i.0*8 + i.1.0*2 + i.1.1, j.0*64 + j.1] * w[j.0*64 + j.1]
              }
            }
          }
        }
      }
    }
  }
}
)";

Task read_loops() {
  const Param M("M"), N("N");
  const Tensor A("A", f32, {M, N}), w("w", f32, {N}), B("B", f32, {M, N});
  const Axis i("i", M), j("j", N);
  return {Program("scale", B(i, j) = A(i, j) * w(j)),
          {{{"M", 1}, {"N", 1}}, {{"M", 9}, {"N", 65}}},
          {{"M", 16}, {"N", 64}},
          {same_loops(wanted_loops,
                      "The name of an axis tells its history: i.1.0 is the outer part of the inner "
                      "part of i.")}};
}

Task mend_a_guard() {
  const Param n("n");
  const Tensor A("A", f32, {n + 1}), B("B", f32, {n});
  const Axis i("i", n);
  return {Program("differences", B(i) = A(i + 1) - A(i)),
          {{{"n", 1}}, {{"n", 63}}, {{"n", 64}}, {{"n", 65}}},
          {{"n", 1000}},
          {blocks_at_least(16, "The grid was right: its blocks cover all elements."),
           threads_per_block(64, 64, "The block was right: a thread has an element."),
           busy_lanes_at_least(24, "Each thread computes its own element.")}};
}

}  // namespace

std::vector<Exercise> exercises_of_lessons_1_to_3() {
  return {exercise("1.1", "a kernel with blocks of 128 threads", a_kernel),
          exercise("1.2", "a kernel over the rows and columns of a picture", a_picture),
          exercise("2.1", "a matrix product, a thread per element", a_product),
          exercise("2.2", "a kernel without guards", without_guards),
          exercise("3.1", "the schedule of a loop nest", read_loops),
          kernel_exercise("3.2", "a kernel with a wrong guard", mend_a_guard)};
}

}  // namespace hone

// Register tiles; vectors; occupancy.

#include "examples/exercises/catalog.h"
#include "examples/exercises/judge.h"

namespace hone {
namespace {

constexpr AccessClass global_load = AccessClass::global_load,
                      global_store = AccessClass::global_store,
                      shared_load = AccessClass::shared_load,
                      shared_store = AccessClass::shared_store;

/// The matrix product, at odd sizes and at those of the goals.
Task product(std::vector<Sizes> odd, const Sizes& counted, std::vector<Goal> goals) {
  const Param M("M"), N("N"), K("K");
  const Tensor A("A", f32, {M, K}), B("B", f32, {K, N}), C("C", f32, {M, N});
  const Axis i("i", M), j("j", N);
  const ReduceAxis k("k", K);
  return {Program("matmul", C(i, j) = sum(k, A(i, k) * B(k, j))), std::move(odd), counted,
          std::move(goals)};
}

const std::vector<Sizes> odd_sizes = {{{"M", 1}, {"N", 1}, {"K", 1}},
                                      {{"M", 65}, {"N", 17}, {"K", 15}}};

Goal sums_in_registers() {
  return elements_at_most("C", global_store, 1,
                          "The sums of a thread stay in registers: cache_registers(C, axis).");
}

Task a_register_tile() {
  const char* const operands =
      "One iteration of the loop over k inside a step needs four elements of either tile: "
      "cache_registers(tile, ki), with that loop outside of those over a thread's elements.";
  return product(odd_sizes, {{"M", 128}, {"N", 128}, {"K", 32}},
                 {uses_tile("A.shared", "The operands stay in shared memory."),
                  uses_tile("B.shared", "The operands stay in shared memory."),
                  elements_at_most("A.shared", shared_load, 8, operands),
                  elements_at_most("B.shared", shared_load, 8, operands), sums_in_registers(),
                  threads_at_least(128 * 128 / 16,
                                   "A thread has 4 x 4 elements, and no loop over "
                                   "blocks or threads is left in it.")});
}

Task rows_of_a_thread() {
  const Param M("M"), K("K");
  const Tensor A("A", f32, {M, K}), x("x", f32, {K}), y("y", f32, {M});
  const Axis i("i", M);
  const ReduceAxis k("k", K);
  return {
      Program("matvec", y(i) = sum(k, A(i, k) * x(k))),
      {{{"M", 1}, {"K", 1}}, {{"M", 257}, {"K", 7}}},
      {{"M", 1024}, {"K", 32}},
      {elements_at_most("x", global_load, 8,
                        "With the loop over k outside of that over a thread's rows, one iteration "
                        "needs one x(k): cache_registers(x, k)."),
       elements_at_most("y", global_store, 1, "The four sums of a thread stay in registers."),
       threads_at_least(256, "A thread has four rows, and blocks share out the rest.")}};
}

Task a_sum_by_vectors() {
  const Param n("n");
  const Tensor A("A", f32, {n}), B("B", f32, {n}), C("C", f32, {n});
  const Axis i("i", n);
  const char* const four = "Split off an inner axis of four iterations, and vectorize it.";
  return {Program("add", C(i) = A(i) + B(i)),
          {{{"n", 4}}, {{"n", 252}}, {{"n", 260}}},
          {{"n", 1024}},
          {threads_per_block(64, 64, "A block covers 256 elements: 64 threads, four each."),
           vectors_of(4, "A", global_load, four), vectors_of(4, "B", global_load, four),
           vectors_of(4, "C", global_store, four), threads_at_least(256)}};
}

Task tiles_by_vectors() {
  const char* const vectors = "cache_shared(tensor, axis, {.vectorize = 4}) promises vectors.";
  return product(
      {{{"M", 1}, {"N", 4}, {"K", 4}}, {{"M", 33}, {"N", 28}, {"K", 36}}},
      {{"M", 128}, {"N", 128}, {"K", 32}},
      {vectors_of(4, "A", global_load, vectors), vectors_of(4, "A.shared", shared_store, vectors),
       vectors_of(4, "B", global_load, vectors), vectors_of(4, "B.shared", shared_store, vectors),
       uses_tile("A.shared", "The operands stay in shared memory."),
       uses_tile("B.shared", "The operands stay in shared memory."), sums_in_registers(),
       threads_at_least(128 * 128 / 16)});
}

Task room_for_warps() {
  const char* const traffic = "The blocks are to keep their 64 x 64 elements.";
  return product({{{"M", 1}, {"N", 1}, {"K", 1}}, {{"M", 65}, {"N", 17}, {"K", 130}}},
                 {{"M", 128}, {"N", 128}, {"K", 128}},
                 {uses_tile("A.shared", "The operands stay in shared memory."),
                  uses_tile("B.shared", "The operands stay in shared memory."),
                  elements_at_most("A", global_load, 2, traffic),
                  elements_at_most("B", global_load, 2, traffic),
                  occupancy_at_least(1,
                                     "A step holds what it needs of A and B: a shorter one "
                                     "takes less shared memory."),
                  sums_in_registers(), threads_at_least(128 * 128 / 16)});
}

Task fewer_registers() {
  const char* const operands =
      "A thread that computes m x n elements reads 1/n of A.shared and 1/m of B.shared a product, "
      "where its operands are in registers.";
  return product(odd_sizes, {{"M", 128}, {"N", 128}, {"K", 32}},
                 {tile_registers_at_most(48,
                                         "m x n sums and m + n operands: 4 x 8 elements take "
                                         "44 registers."),
                  elements_at_most("A.shared", shared_load, 4, operands),
                  elements_at_most("B.shared", shared_load, 8, operands), sums_in_registers(),
                  threads_at_least(128 * 128 / 32)});
}

}  // namespace

std::vector<Exercise> exercises_of_lessons_7_to_9() {
  return {exercise("7.1", "a register tile", a_register_tile),
          exercise("7.2", "rows that share an operand", rows_of_a_thread),
          exercise("8.1", "a sum by vectors", a_sum_by_vectors),
          exercise("8.2", "tiles that are filled by vectors", tiles_by_vectors),
          exercise("9.1", "room for warps", room_for_warps),
          exercise("9.2", "a tile within its registers", fewer_registers)};
}

}  // namespace hone

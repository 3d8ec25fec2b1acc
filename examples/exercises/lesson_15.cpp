// Tensor cores.

#include "examples/exercises/catalog.h"
#include "examples/exercises/judge.h"
#include "examples/exercises/ring_goals.h"
#include "examples/exercises/tensor_goals.h"

namespace hone {
namespace {

Program product() {
  const Param M("M"), N("N"), K("K");
  const Tensor A("A", bf16, {M, K}), B("B", bf16, {K, N}), C("C", f32, {M, N});
  const Axis i("i", M), j("j", N);
  const ReduceAxis k("k", K);
  return Program("product", C(i, j) = sum(k, cast(f32, A(i, k)) * cast(f32, B(k, j))));
}

Task a_product_for_tensor_cores() {
  return {product(),
          {{{"M", 1}, {"N", 1}, {"K", 1}}, {{"M", 67}, {"N", 37}, {"K", 77}}},
          {{"M", 64}, {"N", 32}, {"K", 64}},
          {products_by_tensor_cores("tensorize(row, \"mma_m16n8k16_bf16\") takes a nest of 16 "
                                    "rows, 8 columns and 16 products, in this order."),
           threads_per_block(64, 64, "Two warps, one below the other."),
           shared_loads_at_most(
               256,
               "A warp needs two tiles of A and four of B for 16 products: cache_registers "
               "keeps them while it does.")}};
}

Task a_ring_for_tensor_cores() {
  return {
      product(),
      {{{"M", 1}, {"N", 8}, {"K", 8}}, {{"M", 67}, {"N", 40}, {"K", 200}}},
      {{"M", 64}, {"N", 64}, {"K", 512}},
      {products_by_tensor_cores("wgmma was right."),
       ring_of(4, "specialize(step, 4, ...) makes a ring of four slots."),
       producers_are(1, "specialize takes the number of warps: {.producer_warps = 1}."),
       no_global_loads("CopyEngine::boxes, behind the roles, has the producers ask the copy "
                       "engine for both tiles."),
       products_go_on(2, "{.in_flight = 1} starts a product before it waits for the one before."),
       shared_bytes_at_most(4 * 2 * 64 * 128 + 64,
                            "A slot has two tiles of 64 rows of 128 bytes, and two "
                            "mbarriers.")}};
}

}  // namespace

std::vector<Exercise> exercises_of_lesson_15() {
  return {exercise("15.1", "a product for tensor cores", a_product_for_tensor_cores),
          exercise("15.2", "a ring of tiles for tensor cores", a_ring_for_tensor_cores)};
}

}  // namespace hone

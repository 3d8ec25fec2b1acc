#include "tests/support/mutants/right_kernels.h"
#include "tests/support/runtime/warp_product.h"
#include "tests/support/runtime/warpgroup_product.h"

namespace hone {
namespace {

// ---- Warps --------------------------------------------------------------------------------------

/// How fragments and tiles get there: each step has those before it.
enum class Step : uint8_t { mma_sync, ldmatrix, async_copy, producer_consumer };

template <Step step>
RightKernel by_warps() {
  const WarpProduct product({"mma_m16n8k16_bf16", 16, bf16, f32});
  WarpProduct::Tiled tiled = product.tiled(8, 8);
  Schedule& s = tiled.schedule;
  if (step >= Step::ldmatrix) {
    s.tensorize(tiled.A_fragments, "ldmatrix_x4_bf16");
    s.tensorize(tiled.B_fragments, "ldmatrix_x4_trans_bf16");
  }
  if (step >= Step::async_copy)
    for (const Cache& tile : {tiled.A_shared, tiled.B_shared}) s.copy_async(tile);
  if (step == Step::async_copy) s.pipeline(tiled.step, 3);
  if (step == Step::producer_consumer) {
    s.pipeline(tiled.k_tile, 2);
    s.specialize(tiled.step, 3, {.producer_warps = 1});
    s.prefetch(tiled.step);
  }
  return right_kernel(product.program, s, {{"M", 40}, {"N", 24}}, {168, 24});
}

RightKernel bytes_by_warps() {
  const WarpProduct product({"mma_m16n8k32_s8", 32, i8, i32});
  WarpProduct::Tiled tiled = product.tiled(8);
  for (const Cache& tile : {tiled.A_shared, tiled.B_shared}) tiled.schedule.copy_async(tile);
  tiled.schedule.pipeline(tiled.step, 3);
  return right_kernel(product.program, tiled.schedule, {{"M", 40}, {"N", 24}}, {336, 48});
}

// ---- Warpgroups ---------------------------------------------------------------------------------

RightKernel by_warpgroups(const WarpgroupOptions& options, const Sizes& sizes,
                          llvm::ArrayRef<int64_t> lengths) {
  const WarpgroupProduct product(options);
  return right_kernel(product.program, product.scheduled(), sizes, lengths);
}

using Fill = WarpgroupOptions::Fill;
using Result = WarpgroupOptions::Result;

/// In steps of 64: five and one.
constexpr int64_t lengths[] = {264, 24};

RightKernel wgmma_of_threads() {
  return by_warpgroups({.columns = 16}, {{"M", 40}, {"N", 13}}, {130, 7});
}

RightKernel wgmma_of_producers() {
  return by_warpgroups({.columns = 16, .fill = Fill::producers}, {{"M", 40}, {"N", 13}}, lengths);
}

RightKernel wgmma() {
  return by_warpgroups({.columns = 16, .fill = Fill::engine, .warpgroups = 2},
                       {{"M", 100}, {"N", 13}}, lengths);
}

RightKernel wgmma_of_panels() {
  return by_warpgroups({.columns = 128, .is_turned = true, .fill = Fill::engine},
                       {{"M", 40}, {"N", 104}}, lengths);
}

RightKernel wgmma_of_bytes() {
  return by_warpgroups({.columns = 16, .type = i8, .fill = Fill::engine}, {{"M", 40}, {"N", 13}},
                       {528, 48});
}

/// Two tiles for a block, side by side.
RightKernel in_flight() {
  return by_warpgroups({.columns = 16, .fill = Fill::engine, .blocks = 1, .in_flight = 1},
                       {{"M", 60}, {"N", 24}}, lengths);
}

/// Two tiles, one above the other.
RightKernel persistent() {
  return by_warpgroups({.columns = 64,
                        .is_turned = true,
                        .fill = Fill::engine,
                        .blocks = 1,
                        .result = Result::rounded},
                       {{"M", 120}, {"N", 64}}, {200, 24});
}

/// The same tiles, of which warps store matrices.
RightKernel matrix_stores() {
  return by_warpgroups({.columns = 64,
                        .is_turned = true,
                        .fill = Fill::engine,
                        .blocks = 1,
                        .result = Result::rounded,
                        .stores_matrices = true},
                       {{"M", 120}, {"N", 64}}, {200, 24});
}

/// Three tiles of three steps, and two of five.
RightKernel deferred() {
  RightKernel right =
      by_warpgroups({.columns = 16, .fill = Fill::engine, .blocks = 1, .result = Result::deferred},
                    {{"M", 64}, {"N", 48}}, {136});
  right.sizes.push_back({{"M", 120}, {"N", 16}, {"K", 264}});
  return right;
}

constexpr KernelCase cases[] = {
    {"hgemm_mma_sync", by_warps<Step::mma_sync>},
    {"hgemm_ldmatrix", by_warps<Step::ldmatrix>},
    {"hgemm_async_copy", by_warps<Step::async_copy>},
    {"hgemm_producer_consumer", by_warps<Step::producer_consumer>},
    {"igemm_async_copy", bytes_by_warps},
    {"hgemm_wgmma_of_threads", wgmma_of_threads},
    {"hgemm_wgmma_of_producers", wgmma_of_producers},
    {"hgemm_nt_wgmma", wgmma},
    {"hgemm_wgmma", wgmma_of_panels},
    {"igemm_wgmma", wgmma_of_bytes},
    {"hgemm_nt_in_flight", in_flight},
    {"hgemm_persistent", persistent},
    {"hgemm_stmatrix", matrix_stores},
    {"hgemm_nt_deferred", deferred},
};

}  // namespace

llvm::ArrayRef<KernelCase> tensor_kernel_cases() { return cases; }

}  // namespace hone

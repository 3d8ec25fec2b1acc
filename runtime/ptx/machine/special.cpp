#include "runtime/ptx/machine/special.h"

#include "llvm/ADT/STLExtras.h"
#include "runtime/ptx/machine/block.h"

namespace hone::ptx {
namespace {

using Value = uint64_t (*)(const Warp& warp, int lane);

const Run& run_of(const Warp& warp) { return warp.block->run; }

template <int dim>
uint64_t thread(const Warp& warp, int lane) {
  return warp.block->thread_index(warp, lane)[dim];
}
template <int dim>
uint64_t threads(const Warp& warp, int) {
  return run_of(warp).shape.block[dim];
}
template <int dim>
uint64_t block(const Warp& warp, int) {
  return warp.block->index[dim];
}
template <int dim>
uint64_t blocks(const Warp& warp, int) {
  return run_of(warp).shape.grid[dim];
}
template <int dim>
uint64_t block_in_cluster(const Warp& warp, int) {
  return warp.block->index[dim] % run_of(warp).shape.cluster[dim];
}
template <int dim>
uint64_t cluster_blocks(const Warp& warp, int) {
  return run_of(warp).shape.cluster[dim];
}
template <int dim>
uint64_t cluster(const Warp& warp, int) {
  return warp.block->index[dim] / run_of(warp).shape.cluster[dim];
}
template <int dim>
uint64_t clusters(const Warp& warp, int) {
  return run_of(warp).shape.grid[dim] / run_of(warp).shape.cluster[dim];
}

/// Lanes whose number stands in that relation to the own one.
template <class Relation>
uint64_t lane_mask(const Warp&, int lane) {
  uint64_t mask = 0;
  for (int other = 0; other < lanes; ++other) mask |= uint64_t{Relation{}(other, lane)} << other;
  return mask;
}

uint64_t clock_of(const Warp& warp, int) { return warp.block->instructions; }

struct SpecialRegister {
  const char* name;
  Value value;
};

constexpr SpecialRegister all_registers[] = {
    {"%tid.x", thread<0>},
    {"%tid.y", thread<1>},
    {"%tid.z", thread<2>},
    {"%ntid.x", threads<0>},
    {"%ntid.y", threads<1>},
    {"%ntid.z", threads<2>},
    {"%ctaid.x", block<0>},
    {"%ctaid.y", block<1>},
    {"%ctaid.z", block<2>},
    {"%nctaid.x", blocks<0>},
    {"%nctaid.y", blocks<1>},
    {"%nctaid.z", blocks<2>},
    {"%cluster_ctaid.x", block_in_cluster<0>},
    {"%cluster_ctaid.y", block_in_cluster<1>},
    {"%cluster_ctaid.z", block_in_cluster<2>},
    {"%cluster_nctaid.x", cluster_blocks<0>},
    {"%cluster_nctaid.y", cluster_blocks<1>},
    {"%cluster_nctaid.z", cluster_blocks<2>},
    {"%clusterid.x", cluster<0>},
    {"%clusterid.y", cluster<1>},
    {"%clusterid.z", cluster<2>},
    {"%nclusterid.x", clusters<0>},
    {"%nclusterid.y", clusters<1>},
    {"%nclusterid.z", clusters<2>},
    {"%cluster_ctarank", [](const Warp& warp, int) { return uint64_t(warp.block->rank); }},
    {"%cluster_nctarank",
     [](const Warp& warp, int) { return uint64_t(run_of(warp).cluster_blocks()); }},
    {"%is_explicit_cluster",
     [](const Warp& warp, int) { return uint64_t(run_of(warp).cluster_blocks() > 1); }},
    {"%laneid", [](const Warp&, int lane) { return uint64_t(lane); }},
    {"%warpid", [](const Warp& warp, int) { return uint64_t(warp.number); }},
    {"%nwarpid", [](const Warp&, int) { return uint64_t{64}; }},
    {"%smid", [](const Warp& warp, int) { return uint64_t(warp.block->number % 132); }},
    {"%nsmid", [](const Warp&, int) { return uint64_t{132}; }},
    {"%gridid", [](const Warp&, int) { return uint64_t{1}; }},
    {"%lanemask_eq", lane_mask<std::equal_to<>>},
    {"%lanemask_lt", lane_mask<std::less<>>},
    {"%lanemask_le", lane_mask<std::less_equal<>>},
    {"%lanemask_gt", lane_mask<std::greater<>>},
    {"%lanemask_ge", lane_mask<std::greater_equal<>>},
    {"%clock", clock_of},
    {"%clock_hi", [](const Warp& warp, int) { return uint64_t(warp.block->instructions) >> 32; }},
    {"%clock64", clock_of},
    {"%globaltimer", clock_of},
    {"%globaltimer_lo", clock_of},
    {"%globaltimer_hi",
     [](const Warp& warp, int) { return uint64_t(warp.block->instructions) >> 32; }},
    {"%dynamic_smem_size",
     [](const Warp& warp, int) { return uint64_t(run_of(warp).shape.dynamic_shared); }},
    {"%total_smem_size", [](const Warp& warp, int) { return uint64_t(run_of(warp).shared_bytes); }},
    {"%aggr_smem_size", [](const Warp& warp, int) { return uint64_t(run_of(warp).shared_bytes); }},
    {"%envreg1", [](const Warp& warp, int) { return run_of(warp).grid_workspace >> 32; }},
    {"%envreg2", [](const Warp& warp, int) { return run_of(warp).grid_workspace & 0xffffffff; }},
};

llvm::ArrayRef<SpecialRegister> registers() { return all_registers; }

template <class T>
void run_special(Warp& warp, const Op& op) {
  const Value value = registers()[op.detail].value;
  T* const result = warp.at<T>(op.destination);
  for_each_lane(warp.active, [&](int lane) { result[lane] = static_cast<T>(value(warp, lane)); });
}

}  // namespace

bool is_of_grid_barrier(llvm::StringRef name) { return name == "%envreg1" || name == "%envreg2"; }

std::optional<Op> special_op(llvm::StringRef name, int register_bytes) {
  const auto known =
      llvm::find_if(registers(), [&](const SpecialRegister& each) { return name == each.name; });
  if (known == registers().end()) return std::nullopt;
  Op op;
  op.execute = register_bytes == 2   ? run_special<uint16_t>
               : register_bytes == 4 ? run_special<uint32_t>
                                     : run_special<uint64_t>;
  op.detail = static_cast<uint32_t>(known - registers().begin());
  return op;
}

}  // namespace hone::ptx

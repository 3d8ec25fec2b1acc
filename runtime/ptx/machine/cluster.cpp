// The barrier of a cluster: its blocks are those of a team.

#include "llvm/ADT/STLExtras.h"
#include "runtime/ptx/machine/control.h"
#include "runtime/ptx/machine/report.h"

namespace hone::ptx {
namespace {

bool has_come(const Block& block) {
  for (size_t n = 0; n < block.warps.size(); ++n)
    if ((block.warps[n].live & ~block.at_cluster_barrier[n]) != 0) return false;
  return true;
}

void release(Warp& warp) {
  for (Split& split : warp.others)
    if (split.state == Split::State::at_barrier && split.barrier == cluster_barrier) {
      split.state = Split::State::ready;
      ++split.next;
    }
}

void end_phase(Block& block) {
  if (block.observer) block.observer->synchronise_cluster(block.at_cluster_barrier);
  ++block.cluster_phase;
  std::fill(block.at_cluster_barrier.begin(), block.at_cluster_barrier.end(), 0);
  for (Warp& warp : block.warps) release(warp);
}

void look_at_cluster(const Block& block) {
  const auto is_of_cluster = [&](const auto& other) { return other->is_in_cluster_of(block); };
  for (const auto& other : block.team.blocks)
    if (is_of_cluster(other) && !has_come(*other)) return;
  for (const auto& other : block.team.blocks)
    if (is_of_cluster(other)) end_phase(*other);
}

}  // namespace

void run_cluster_barrier(Warp& warp, const Op& op) {
  Block& block = *warp.block;
  constexpr uint32_t arrives = 1;
  if (op.detail == arrives) {
    warp.cluster_phase = block.cluster_phase;
    block.at_cluster_barrier[warp.number] |= warp.active;
    return look_at_cluster(block);
  }
  if (block.cluster_phase > warp.cluster_phase) return;
  warp.part();
  warp.wait(Split::State::at_barrier, cluster_barrier);
}

}  // namespace hone::ptx

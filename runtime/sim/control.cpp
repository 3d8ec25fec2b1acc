#include "runtime/sim/control.h"

#include <algorithm>

#include "runtime/sim/report.h"

namespace hone {

void run_loop(Worker& worker, const Instruction& instruction) {
  const LoopDetail& loop = worker.program.loops[instruction.detail];
  const int64_t extent = *worker.at<int64_t>(instruction.operands[0]);
  // Known before, so that nobody waits for what is never to end.
  if (worker.launch.loop_trips[instruction.detail] > worker.steps_left)
    report_out_of_steps(worker, loop.statement);
  if (extent <= 0) return;
  *worker.at<int64_t>(instruction.destination) = 0;
  --worker.steps_left;
  worker.enter(instruction, loop.code, extent);
}

void run_uniform_branch(Worker& worker, const Instruction& instruction) {
  const BranchDetail& branch = worker.program.branches[instruction.detail];
  const bool holds = *worker.at<uint8_t>(instruction.operands[0]);
  if (holds != branch.negated) worker.enter(instruction, branch.code);
}

namespace {

/// The lanes where warps that have active lanes follow on warps that have none, or the reverse.
llvm::SmallVector<int, 8> changes(const Mask& mask) {
  llvm::SmallVector<int, 8> starts;
  bool before = false;
  for (int first = 0; first < mask.lanes(); first += warp_lanes) {
    const bool has_active = mask.count(first, std::min(first + warp_lanes, mask.lanes())) > 0;
    if (first > 0 && has_active != before) starts.push_back(first);
    before = has_active;
  }
  return starts;
}

}  // namespace

/// Warps that take a branch with waits in it part from those that do not: all come here again, each
/// part for itself.
void run_masked_branch(Worker& worker, const Instruction& instruction) {
  const BranchDetail& branch = worker.program.branches[instruction.detail];
  Mask& inner = worker.masks[branch.mask];
  const auto* condition = worker.at<uint8_t>(instruction.operands[0]);
  const bool is_taken = inner.narrow(*worker.mask, condition, !branch.negated, ++worker.last_stamp);
  if (!is_taken) {
    if (branch.waits) worker.yield();
    return;
  }
  if (branch.waits && !inner.is_full())
    if (const auto starts = changes(inner); !starts.empty()) {
      worker.next = &instruction;
      return worker.part(starts);
    }
  worker.enter(instruction, branch.code, 1, branch.waits);
  worker.mask = &inner;
}

namespace {

/// The warps that come to a barrier, a bit each: with all of their lanes.
WarpBits whole_warps(const Worker& worker, uint32_t barrier) {
  WarpBits warps = 0;
  for (int first = 0; first < worker.lanes; first += warp_lanes) {
    const int end = std::min(first + warp_lanes, worker.lanes);
    const int active = worker.mask->count(first, end);
    if (active == 0) continue;
    if (active < end - first) report_divergent_warp(worker, barrier, first);
    warps |= WarpBits{1} << worker.thread(first) / warp_lanes;
  }
  return warps;
}

/// All threads that the barrier waits for are here.
void pass(Worker& worker, uint32_t barrier, WarpBits warps) {
  if (worker.observer) worker.observer->synchronise(worker, barrier, warps);
}

}  // namespace

/// No thread waits if all threads of the block come together, or those of a cluster, which runs as
/// one: at a barrier of a block they wait for each other, too, and check mode does not count on it.
/// None waits at a barrier of a warp, whose lanes run together.
void run_barrier(Worker& worker, const Instruction& instruction) {
  using Kind = BarrierScope::Kind;
  const uint32_t number = instruction.detail;
  const Kind kind = worker.program.barriers[number].scope.kind;
  const bool is_for_all = kind == Kind::block || kind == Kind::cluster;
  if (is_for_all && worker.is_whole() && worker.mask->is_full())
    return pass(worker, number, worker.warps());
  const WarpBits warps = is_for_all ? 0 : whole_warps(worker, number);
  if (kind == Kind::warp) return pass(worker, number, warps);
  worker.wait_at(number);
}

}  // namespace hone

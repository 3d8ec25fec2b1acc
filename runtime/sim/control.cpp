#include "runtime/sim/control.h"

#include "runtime/sim/report.h"

namespace hone {

void run_loop(Worker& worker, const Instruction& instruction) {
  const LoopDetail& loop = worker.program.loops[instruction.detail];
  int64_t& iteration = *worker.at<int64_t>(instruction.destination);
  const int64_t extent = *worker.at<int64_t>(instruction.operands[0]);
  // Known before, so that nobody waits for what is never to end.
  if (worker.launch.loop_trips[instruction.detail] > worker.steps_left)
    report_out_of_steps(worker, loop.statement);
  for (iteration = 0; iteration < extent; ++iteration) {
    --worker.steps_left;
    worker.run(loop.code);
  }
}

void run_uniform_branch(Worker& worker, const Instruction& instruction) {
  const BranchDetail& branch = worker.program.branches[instruction.detail];
  const bool holds = *worker.at<uint8_t>(instruction.operands[0]);
  if (holds != branch.negated) worker.run(branch.code);
}

void run_masked_branch(Worker& worker, const Instruction& instruction) {
  const BranchDetail& branch = worker.program.branches[instruction.detail];
  const Mask* outer = worker.mask;
  Mask& inner = worker.masks[branch.mask];
  const auto* condition = worker.at<uint8_t>(instruction.operands[0]);
  if (!inner.narrow(*outer, condition, !branch.negated, ++worker.last_stamp)) return;
  worker.mask = &inner;
  worker.run(branch.code);
  worker.mask = outer;
}

/// In lockstep, the order of accesses around a barrier is the order of the instructions.
void run_barrier(Worker& worker, const Instruction& instruction) {
  const BarrierDetail& barrier = worker.program.barriers[instruction.detail];
  if (!worker.mask->is_full()) report_divergent_barrier(worker, barrier);
}

}  // namespace hone

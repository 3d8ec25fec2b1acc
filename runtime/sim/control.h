// The instructions of control flow: loops, branches, barriers.
#pragma once

#include "runtime/sim/worker.h"

namespace hone {

/// Runs code with the destination from 0 to the first operand, both uniform indices; the detail is
/// the loop.
void run_loop(Worker& worker, const Instruction& instruction);

/// Runs code if the first operand is as wanted; the detail is the branch. With a condition per lane
/// it runs with those lanes active that take the branch, and not at all if there is none.
void run_uniform_branch(Worker& worker, const Instruction& instruction);
void run_masked_branch(Worker& worker, const Instruction& instruction);

/// Waits for the other threads of the barrier's scope; the detail is the barrier.
void run_barrier(Worker& worker, const Instruction& instruction);

}  // namespace hone

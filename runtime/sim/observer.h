// Observers of a launch: check mode and count mode (runtime/sim/check/check.h,
// runtime/sim/count/count.h). A program that is to be watched has instructions of the observer
// between its own; one that is not has none, and costs nothing more.
#pragma once

#include "runtime/sim/lanes.h"
#include "runtime/sim/program.h"

namespace hone {

struct AsyncOperation;
struct PhaseUse;
struct UnprovenSteps;

/// Instructions that are put into a program; null ones are left out.
struct Instrumentation {
  /// Before an access to global or shared memory. The detail is the access.
  Instruction::Execute access = nullptr;
  /// Before an engine is asked to bring a box, the same.
  Instruction::Execute box_access = nullptr;
  /// Before a read of registers, and after a write. The detail is the access.
  Instruction::Execute register_access = nullptr;
  /// After an allocation. The detail is the memory.
  Instruction::Execute allocate = nullptr;
  /// After a barrier of the whole block. The detail is the barrier.
  Instruction::Execute barrier = nullptr;
  /// Before a branch that lanes may take differently. The first operand is the condition, a lane of
  /// 1 byte; the detail is the statement.
  Instruction::Execute branch = nullptr;
  /// After a store, a copy, and an instruction that accesses elements. The detail is the statement.
  Instruction::Execute statement = nullptr;
  /// Before a shuffle. The operands are the offset and the number of lanes that take part, lanes of
  /// 8 bytes; the detail is the shuffle.
  Instruction::Execute shuffle = nullptr;
  /// After a block has counted itself in. The operand is whether it is the last, a byte; the detail
  /// is the access to the counter.
  Instruction::Execute arrival = nullptr;
  /// Beside an operator of indices. The operands are its own; the detail is the index step.
  Instruction::Execute index_step = nullptr;
  /// The operators that are watched; null: all.
  const UnprovenSteps* unproven_steps = nullptr;
  /// Before any instruction of kernel IR. The detail is the issue; the operand, of one that asks
  /// about a phase, is its parity, lanes of 8 bytes. Tests find that no phase has ended, so that no
  /// wait is spared.
  Instruction::Execute issue = nullptr;
};

/// The kernel, with the instructions that watch it.
SimProgram compile_for_sim(const KernelFunction& kernel, const Instrumentation& watch = {});

/// One per worker. The instructions above find it in the worker.
class Observer {
 public:
  virtual ~Observer() = default;

  virtual void begin_block(Worker&, int64_t /*number*/) {}
  /// These warps, a bit each, have come together at barriers of the text; at that of a warp, each
  /// for itself. Their next accesses come behind those before.
  virtual void synchronise(const Worker&, llvm::ArrayRef<uint32_t> /*barriers*/,
                           WarpBits /*warps*/) {}
  /// A lane starts an operation of an engine.
  virtual void start_operation(Worker&, const AsyncOperation&) {}
  /// Its reads have ended, as its thread has waited for them, and its writes: by a wait, or by a
  /// phase.
  virtual void end_reads(Worker&, const AsyncOperation&) {}
  virtual void end_writes(Worker&, const AsyncOperation&) {}
  /// The block has ended, and nobody has waited for its reads.
  virtual void leave_operation(Worker&, const AsyncOperation&) {}
  /// Engines see what the active lanes have written.
  virtual void fence(Worker&) {}
  /// The active lanes have waited for all of their products but those of the last groups. The lanes
  /// of each warp have come there together.
  virtual void await_products(Worker&, int64_t /*pending*/) {}
  virtual void init_phases(Worker&, const PhaseUse&) {}
  /// The accesses of the lanes so far come before the end of the phase at hand. Returns the time of
  /// the arrival.
  virtual uint64_t arrive_at_phase(Worker&, const PhaseUse&) { return 0; }
  virtual void end_phase(uint32_t /*barrier*/) {}
  /// A wait is over: what comes next is behind the phases that have ended.
  virtual void pass_phase(Worker&, const PhaseUse&) {}
  /// Also called where the block failed.
  virtual void end_block(Worker&) {}
  /// A block failed. Returns whether the launch goes on with the next one.
  virtual bool keeps_going(const Finding&) { return false; }
  /// Hands over the results; called once, by one worker at a time.
  virtual void finish() {}
};

}  // namespace hone

// The barriers of a block that have phases, mbarriers: warps arrive at them, and wait there for the
// end of a phase. Operations of engines that an arrival comes after end as late as they may: with
// the phase that counts it.
#pragma once

#include <array>
#include <bit>

#include "runtime/sim/engine.h"
#include "runtime/sim/lanes.h"

namespace hone {

struct PhaseBarrier {
  /// A thread that arrives when all operations of a timeline are over that it has started so far.
  struct AfterOperations {
    int thread = 0;
    Timeline timeline = Timeline::thread;
    int64_t started = 0;  ///< as of Engines
  };

  int64_t count = 0;                     ///< arrivals that end a phase; 0: it is not initialised
  int64_t pending = 0;                   ///< those that the phase at hand lacks
  int64_t missing_bytes = 0;             ///< the same, of boxes; negative: more have come
  int64_t phases = 0;                    ///< that have ended
  std::vector<AfterOperations> arrived;  ///< in the phase at hand
  std::vector<AsyncOperation> brought;   ///< in the phase at hand, at the end of which they end

  /// True if the phase of that parity is not the one at hand.
  bool has_ended(int64_t parity) const { return phases % 2 != parity; }
};

/// A place where a warp waits.
struct PhaseWait {
  uint32_t use = 0;  ///< in SimProgram::phase_uses
  uint32_t barrier = 0;
  int64_t element = 0, parity = 0;

  bool operator==(const PhaseWait&) const = default;
};

struct PhaseBarriers {
  std::vector<PhaseBarrier> barriers;                     ///< of the block, by number
  std::array<PhaseWait, most_warps_together> waits = {};  ///< by warp, of those that wait
};

/// Lanes of a warp at one barrier.
struct PhaseUse {
  uint32_t access = 0;   ///< by which they find it
  uint32_t barrier = 0;  ///< its number
  int64_t element = 0;   ///< of its tensor
  int first_lane = 0;    ///< of the warp, in the group that runs
  uint32_t lanes = 0;    ///< of the warp, a bit each
  uint32_t late = 0;     ///< of arrivals: lanes that come with these, and count in a later phase

  int lane() const { return first_lane + std::countr_zero(lanes); }  ///< the first one
};

/// The phase at hand of the barrier that the lane names counts the bytes of its operation.
void ask(Worker& worker, int lane, AsyncOperation operation);
/// The operation of that number among those that have been asked for comes to its barrier.
void bring(Worker& worker, size_t number);

// ---- Instructions: the details are uses of barriers ---------------------------------------------

void init_phases(Worker& worker, const Instruction& instruction);
/// With the constant 1 of the kernel's instruction, after what the lanes have started on the
/// timeline.
void arrive_at_phase(Worker& worker, const Instruction& instruction, Timeline timeline);
void expect_bytes(Worker& worker, const Instruction& instruction);
/// The first operand is the parity, a lane of 8 bytes; the destination has a lane of a byte.
void test_phase(Worker& worker, const Instruction& instruction);
/// The first operand is the parity, a lane of 8 bytes. Warps that have to wait part from those that
/// go on, and come here again.
void wait_for_phase(Worker& worker, const Instruction& instruction);

}  // namespace hone

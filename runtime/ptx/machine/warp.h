// A warp that runs: its lanes, split into those that stand at different places, and the registers
// of the functions that they are in.
#pragma once

#include <bit>
#include <cstring>

#include "runtime/ptx/machine/program.h"

namespace hone::ptx {

struct Block;
class Stepper;

/// The registers of a call.
struct Frame {
  const Code* code = nullptr;
  std::unique_ptr<std::byte[]> registers;
  std::shared_ptr<Frame> caller;
  const CallDetail* call = nullptr;  ///< by which it came here
  uint32_t return_to = 0;            ///< the op of the caller behind the call
  int64_t local_base = 0;            ///< of its local variables in those of a thread
  int depth = 0;
  /// By unit of the registers: the lanes whose value comes from memory that nobody wrote, and the
  /// access that read it. Empty where there are none.
  std::vector<LaneMask> unset;
  std::vector<uint32_t> origins;
};

/// Lanes that stand at one place.
struct Split {
  enum class State : uint8_t { ready, at_barrier, gathering };

  LaneMask lanes = 0;
  uint32_t next = 0;  ///< the op
  std::shared_ptr<Frame> frame;
  State state = State::ready;
  int barrier = 0;   ///< at which it waits
  int patience = 0;  ///< grows with each turn that it has spent in a loop while others stood by
};

struct Warp {
  /// The registers at hand, and the program's constants: what a Ref is a place in.
  std::array<std::byte*, 2> bases{};
  /// Those that run the op at hand: that stand here, and whose guard holds.
  LaneMask active = 0;
  const Op* next = nullptr;  ///< the op behind the one at hand
  bool is_stopped = false;   ///< the split at hand goes no further

  Block* block = nullptr;
  int number = 0;  ///< in the block
  Stepper* stepper = nullptr;
  LaneMask live = 0;  ///< lanes that have not ended
  Split at_hand;
  std::vector<Split> others;
  int64_t steps_left = 0;    ///< jumps back in this turn
  int spins = 0;             ///< those of the split at hand that may have been for others to act
  bool is_spinning = false;  ///< its last jump back was one of those
  bool has_looked = false;   ///< it has read what others may write, since its last jump back
  bool yields = false;       ///< and it waits for that: its next jump back lets others run
  int yielded = 0;           ///< jumps back in this turn that did
  std::vector<std::byte> local;  ///< `local_stride` bytes of each lane
  int64_t local_stride = 0;
  int64_t cluster_phase = 0;       ///< of the barrier of the cluster, when it came there
  std::vector<uint8_t> local_set;  ///< in check mode: the bytes of it that hold values

  /// The 32 lanes of a value.
  template <class T>
  T* at(Ref ref) const {
    return reinterpret_cast<T*>(bases[ref.bits >> 31] + ref.offset());
  }
  /// The lanes in which a predicate holds.
  LaneMask& predicate(Ref ref) const { return *at<LaneMask>(ref); }

  // ---- Where it stands: schedule.cpp

  /// Runs until all lanes have ended or wait, or for so many jumps back.
  void run(int64_t steps);
  bool has_ended() const { return live == 0; }
  bool is_ready() const;
  bool has_yielded() const;
  bool is_waiting() const { return !others.empty() && !is_ready(); }
  /// The number of the op at hand in its function.
  uint32_t here() const;
  int thread(int lane) const { return number * lanes + lane; }

  // Ops of control move the split at hand:

  /// It goes on at that op.
  void jump(uint32_t op);
  /// Its active lanes go on there, and the others stay on the way.
  void branch(uint32_t op);
  /// Its lanes that are not active pass the op by.
  void part();
  /// These lanes of it go on at that op, and it is without them.
  void part(LaneMask parted, uint32_t op);
  void enter(std::shared_ptr<Frame> frame);
  /// It returns from a call, or ends.
  void leave();
  void end();
  /// It joins others that stand here, and stands by where some are behind.
  void meet();
  /// It waits at the op at hand, to which it comes again.
  void wait(Split::State state, int barrier = 0);

  /// Some wait for lanes of the warp that are not to come.
  bool is_gathering() const;
  /// These go on without them.
  void release_gathered();

  bool is_forced = false;  ///< lanes that are missing are not waited for

 private:
  void stand_by();
  bool take_next();
  void look_back();
  template <bool is_checked, bool is_stepped>
  void run_ops();
};

// ---- Values -------------------------------------------------------------------------------------

/// result[l] = value(l) in the active lanes; `value` is computed for all lanes, so it must have a
/// result for any operands.
template <class T, class Value>
inline void write_lanes(const Warp& warp, Ref destination, const Value& value) {
  T chunk[lanes];
  for (int lane = 0; lane < lanes; ++lane) chunk[lane] = value(lane);
  T* const result = warp.at<T>(destination);
  if (warp.active == all_lanes) {
    std::memcpy(result, chunk, sizeof chunk);
    return;
  }
  const LaneMask active = warp.active;  // which a store to `result` might change
  for (int lane = 0; lane < lanes; ++lane)
    result[lane] = (active >> lane & 1) != 0 ? chunk[lane] : result[lane];
}

/// Calls `use(lane)` for the lanes in order.
template <class Use>
inline void for_each_lane(LaneMask mask, const Use& use) {
  for (; mask != 0; mask &= mask - 1) use(std::countr_zero(mask));
}

/// The predicate becomes `holds(lane)` in the active lanes.
template <class Holds>
inline void write_predicate(const Warp& warp, Ref destination, const Holds& holds) {
  LaneMask bits = 0;
  for (int lane = 0; lane < lanes; ++lane) bits |= LaneMask{holds(lane)} << lane;
  LaneMask& result = warp.predicate(destination);
  result = (result & ~warp.active) | (bits & warp.active);
}

}  // namespace hone::ptx

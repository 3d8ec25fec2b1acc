// A warp that runs: its lanes, split into those that stand at different places, and the registers
// of the functions that they are in.
#pragma once

#include <bit>
#include <cstring>

#include "runtime/ptx/machine/program.h"

namespace hone::ptx {

struct Block;

/// The registers of a call.
struct Frame {
  const Code* code = nullptr;
  std::unique_ptr<std::byte[]> registers;
  std::shared_ptr<Frame> caller;
  uint32_t return_to = 0;  ///< the op of the caller behind the call
  int64_t local_base = 0;  ///< of its local variables in those of a thread
  int depth = 0;
};

/// Lanes that stand at one place.
struct Split {
  enum class State : uint8_t { ready, at_barrier, gathering, ended };

  LaneMask lanes = 0;
  uint32_t next = 0;  ///< the op
  std::shared_ptr<Frame> frame;
  State state = State::ready;
};

struct Warp {
  /// The registers at hand, and the program's constants: what a Ref is a place in.
  std::array<std::byte*, 2> bases{};
  /// Those that run the op at hand: that stand here, and whose guard holds.
  LaneMask active = 0;

  Block* block = nullptr;
  int number = 0;  ///< in the block
  Split at_hand;
  std::vector<Split> others;

  /// The 32 lanes of a value.
  template <class T>
  T* at(Ref ref) const {
    return reinterpret_cast<T*>(bases[ref.bits >> 31] + ref.offset());
  }
  /// The lanes in which a predicate holds.
  LaneMask& predicate(Ref ref) const { return *at<LaneMask>(ref); }
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

// The order of the accesses of a block, by clocks of its agents. An agent is a part of the block
// whose threads wait together. If only barriers of the whole block order anything, that is the
// block, and its clock counts them; otherwise a warp.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/sim/check/shadow.h"
#include "runtime/sim/lanes.h"

namespace hone {

class Clocks {
 public:
  /// For a block of so many threads.
  Clocks(int threads, bool by_warp);

  /// A block begins: all accesses so far come before its own.
  void begin();
  /// The agents' next accesses come behind those that they have made, and behind all before these.
  void join(WarpBits agents);
  /// By agent: the first stamp that is not before what acquires these.
  using Floors = std::vector<uint64_t>;
  /// Adds to `floors` all that comes before the next accesses of these lanes of the agent, of its
  /// own all but those that nothing orders within it yet.
  void release_past(int agent, uint32_t lanes, Floors& floors) const;
  /// Adds all that the agent has done, too. Its next accesses are of a later time.
  void release(int agent, uint32_t lanes, Floors& floors);
  /// The next accesses of these lanes come behind all that `floors` has. The others know of it when
  /// the agent has come to a barrier.
  void acquire(int agent, uint32_t lanes, const Floors& floors);
  /// The next accesses of the thread's agent are of a later time, and ordered no further.
  void tick(int thread) { ++times_[agent_of(thread)]; }

  int shift() const { return shift_; }  ///< from the number of a thread to that of its agent
  int agents() const { return static_cast<int>(times_.size()); }
  int agent_of(int thread) const { return thread >> shift_; }
  uint64_t time(int agent) const { return times_[agent]; }
  /// The first time of `other` that does not come before the next accesses of `agent`.
  uint64_t floor(int agent, int other) const {
    return Stamp{floors_[agent * agents() + other]}.interval();
  }

  uint64_t first_stamp(int thread, uint32_t access) const {
    return Stamp::of(times_[agent_of(thread)], access, 0).bits;
  }
  Stamp stamp(int thread, uint32_t access) const {
    return {first_stamp(thread, access) | static_cast<uint64_t>(thread)};
  }
  /// As threads see it whose agent is the block.
  OneAgentOrder block_order() const { return {floors_.front()}; }
  /// As the thread sees it.
  WarpOrder warp_order(int thread) const {
    const int agent = agent_of(thread);
    return {floors_of_lane(agent, thread - (agent << shift_)), shift_};
  }

 private:
  /// Times that some lanes of an agent know and others do not.
  struct LaneFloors {
    uint32_t lanes = 0;
    std::vector<Floors> of_lane;  ///< of those
  };

  uint32_t all_lanes(int agent) const;
  const uint64_t* floors_of(int agent) const {
    return floors_.data() + static_cast<size_t>(agent) * times_.size();
  }
  const uint64_t* floors_of_lane(int agent, int lane) const {
    const LaneFloors& own = of_lanes_[agent];
    return (own.lanes >> lane & 1) != 0 ? own.of_lane[lane].data() : floors_of(agent);
  }
  void tell_all_lanes(int agent);

  int threads_, shift_;
  std::vector<uint64_t> times_;       ///< by agent; from 1
  std::vector<uint64_t> floors_;      ///< by agent and other: the first stamp that is not before it
  std::vector<LaneFloors> of_lanes_;  ///< by agent
};

/// The clock of a block that is one agent, at an access.
struct BlockClock {
  uint64_t first = 0;  ///< the stamp of thread 0
  OneAgentOrder order;

  BlockClock(const Clocks& clocks, uint32_t access)
      : first(clocks.first_stamp(0, access)), order(clocks.block_order()) {}
  static constexpr bool is_one_agent = true;
  Stamp stamp(int thread) const { return {first | static_cast<uint64_t>(thread)}; }
  const OneAgentOrder& order_of(int) const { return order; }
  static OtherStamps* more_of(ShadowCell&) { return nullptr; }
};

/// The clocks of the warps of a block, at an access.
struct WarpClocks {
  const Clocks& clocks;
  uint32_t access;
  std::vector<OtherStamps>& more;

  static constexpr bool is_one_agent = false;
  Stamp stamp(int thread) const { return clocks.stamp(thread, access); }
  WarpOrder order_of(int thread) const { return clocks.warp_order(thread); }
  OtherStamps* more_of(ShadowCell& cell) const {
    if (cell.others == 0) {
      more.emplace_back();
      cell.others = static_cast<uint32_t>(more.size());
    }
    return &more[cell.others - 1];
  }
};

}  // namespace hone

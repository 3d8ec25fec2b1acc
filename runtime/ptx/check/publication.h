// The order of blocks by flags: a block fences what it wrote and writes a flag, or a counter, and
// another one that reads it comes behind all that. Of such locations all writes are kept, and who
// read them; whether one access comes before another is looked up when it matters.
#pragma once

#include <map>
#include <mutex>

#include "runtime/sim/check/clocks.h"

namespace hone::ptx {

/// Safe to use from several threads.
class Publications {
 public:
  /// A thread of the block writes a flag at the location. That comes behind what the block has
  /// fenced, as far as the thread has done it itself or is ordered behind it.
  void release(uint64_t location, int64_t block, int thread, const Clocks::Floors& fenced,
               const Clocks& clocks);
  /// One of the block's agents reads it. Those from `warps` on, engines, count as behind at once.
  /// Returns true if it comes behind something new.
  bool acquire(uint64_t location, int64_t block, int agent, int warps, const Clocks& clocks);
  /// The agent comes behind what is below the floors, and so behind reads of flags by others.
  /// Returns true if there are new ones.
  bool learn(int64_t block, int agent, const uint64_t* floors, const Clocks& clocks);
  struct Access {
    int64_t block;
    Stamp stamp;
  };
  /// True if an access of one block is before one of another, or behind it. `shift` is from the
  /// number of a thread to that of its agent.
  bool are_ordered(Access one, Access other, int shift) const;

 private:
  struct Release {
    int64_t block = 0;
    int thread = 0;
    uint64_t own = 0;       ///< the first stamp of the thread that does not come before it
    Clocks::Floors floors;  ///< the same of all threads, by agent
    uint64_t time = 0;      ///< of the thread's agent
    size_t learnt = 0;      ///< by the block, until then

    bool is_behind(Stamp stamp, int shift) const {
      return stamp.bits < floors[stamp.lane() >> shift] ||
             (stamp.lane() == thread && stamp.bits < own);
    }
    bool tells_the_same(const Release& other) const {
      return block == other.block && thread == other.thread && own == other.own &&
             floors == other.floors && learnt == other.learnt;
    }
  };
  struct Acquire {
    uint64_t location = 0;
    size_t releases = 0;  ///< there, until then
    int agent = 0;
    uint64_t time = 0;            ///< of the agent
    std::vector<uint64_t> times;  ///< by agent: the first one behind it
  };
  struct Acquires {
    std::vector<Acquire> all;
    /// By agent, those that it is behind: since when, and their numbers in `all`.
    std::vector<std::vector<std::pair<uint64_t, size_t>>> behind;
    size_t known_by_all = 0;  ///< the first ones
    size_t learnt = 0;        ///< how often an agent has come behind one

    void add(Acquire acquire);
  };
  struct Search {
    Access access;  ///< that may come before
    int shift;
    bool by_others;                       ///< also by way of what other blocks have come behind
    std::map<uint64_t, size_t> looked{};  ///< by location, the number of releases
  };

  bool comes_before(Search& search, int64_t later_block, size_t agent, uint64_t time) const;

  mutable std::mutex mutex_;
  std::map<uint64_t, std::vector<Release>> releases_;
  std::map<int64_t, Acquires> acquires_;
  std::map<std::pair<uint64_t, int64_t>, size_t> seen_;  ///< releases, by location and block
};

}  // namespace hone::ptx

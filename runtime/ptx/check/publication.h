// The order of blocks by flags: a block fences what it wrote and writes a flag, or a counter, and
// another one that reads it comes behind all that. Of such locations all writes are kept, and who
// read them; whether one access comes before another is looked up when it matters.
#pragma once

#include <deque>
#include <map>
#include <set>

#include "runtime/sim/check/clocks.h"

namespace hone::ptx {

class Publications {
 public:
  /// A thread of the block writes a flag at the location. That comes behind what the block has
  /// fenced, as far as the thread has done it itself or is ordered behind it.
  void release(uint64_t location, int64_t block, int thread, const Clocks::Floors& fenced,
               const Clocks& clocks);
  /// The block reads it, at the times that its agents have now.
  void acquire(uint64_t location, int64_t block, const Clocks& clocks);
  /// True if an access of one block is before one of another. `shift` is from the number of a
  /// thread to that of its agent.
  bool precedes(int64_t block, Stamp stamp, int64_t later_block, Stamp later, int shift) const;

 private:
  struct Release {
    int64_t block = 0;
    int thread = 0;
    uint64_t own = 0;       ///< the first stamp of the thread that does not come before it
    Clocks::Floors floors;  ///< the same of all threads, by agent
    size_t acquired = 0;    ///< by the block, until then

    bool is_behind(Stamp stamp, int shift) const {
      return stamp.bits < floors[stamp.lane() >> shift] ||
             (stamp.lane() == thread && stamp.bits < own);
    }
  };
  struct Acquire {
    uint64_t location = 0;
    size_t releases = 0;  ///< there, until then
    std::vector<uint64_t> times;
  };
  using Visited = std::set<std::pair<int64_t, size_t>>;

  bool comes_before(int64_t block, Stamp stamp, int64_t later_block, size_t acquires, int shift,
                    Visited& visited) const;

  std::map<uint64_t, std::vector<Release>> releases_;
  std::map<int64_t, std::vector<Acquire>> acquires_;
  std::map<std::pair<uint64_t, int64_t>, size_t> seen_;  ///< releases, by location and block
};

}  // namespace hone::ptx

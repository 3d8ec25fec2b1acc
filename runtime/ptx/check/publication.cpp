#include "runtime/ptx/check/publication.h"

#include <algorithm>

namespace hone::ptx {

void Publications::release(uint64_t location, int64_t block, int thread,
                           const Clocks::Floors& fenced, const Clocks& clocks) {
  if (fenced.empty()) return;
  Clocks::Floors floors = fenced;
  const uint64_t* const past = clocks.warp_order(thread).floors;
  for (size_t agent = 0; agent < floors.size(); ++agent)
    floors[agent] = std::min(floors[agent], past[agent]);
  releases_[location].push_back(
      {block, thread, fenced[clocks.agent_of(thread)], std::move(floors), acquires_[block].size()});
}

void Publications::acquire(uint64_t location, int64_t block, const Clocks& clocks) {
  const auto known = releases_.find(location);
  if (known == releases_.end()) return;
  size_t& seen = seen_[{location, block}];
  if (seen == known->second.size()) return;
  seen = known->second.size();
  Acquire acquire = {location, seen, {}};
  for (int agent = 0; agent < clocks.agents(); ++agent) acquire.times.push_back(clocks.time(agent));
  acquires_[block].push_back(std::move(acquire));
}

/// The block has made that many acquires: is the access before any of them?
bool Publications::comes_before(int64_t block, Stamp stamp, int64_t later_block, size_t acquires,
                                int shift, Visited& visited) const {
  const auto made = acquires_.find(later_block);
  if (made == acquires_.end() || !visited.insert({later_block, acquires}).second) return false;
  for (size_t n = acquires; n-- > 0;) {
    const Acquire& acquire = made->second[n];
    const std::vector<Release>& releases = releases_.at(acquire.location);
    for (size_t r = 0; r < acquire.releases; ++r) {
      const Release& release = releases[r];
      if (release.block == block && release.is_behind(stamp, shift)) return true;
      if (release.block != block && release.block != later_block &&
          comes_before(block, stamp, release.block, release.acquired, shift, visited))
        return true;
    }
  }
  return false;
}

bool Publications::precedes(int64_t block, Stamp stamp, int64_t later_block, Stamp later,
                            int shift) const {
  const auto made = acquires_.find(later_block);
  if (made == acquires_.end()) return false;
  const size_t agent = later.lane() >> shift;
  const auto is_past = [&](const Acquire& acquire) {
    return acquire.times[agent] <= later.interval();
  };
  const auto acquires = std::partition_point(made->second.begin(), made->second.end(), is_past);
  Visited visited;
  return comes_before(block, stamp, later_block, acquires - made->second.begin(), shift, visited);
}

}  // namespace hone::ptx

#include "runtime/ptx/check/publication.h"

#include <algorithm>

namespace hone::ptx {
namespace {

constexpr uint64_t never = ~uint64_t{0};

bool is_known_by_all(const std::vector<uint64_t>& times) {
  return std::find(times.begin(), times.end(), never) == times.end();
}

}  // namespace

void Publications::release(uint64_t location, int64_t block, int thread,
                           const Clocks::Floors& fenced, const Clocks& clocks) {
  if (fenced.empty()) return;
  const std::lock_guard lock(mutex_);
  const int agent = clocks.agent_of(thread);
  Release release = {
      block, thread, fenced[agent], fenced, clocks.time(agent), acquires_[block].learnt};
  const uint64_t* const past = clocks.warp_order(thread).floors;
  for (size_t n = 0; n < fenced.size(); ++n)
    release.floors[n] = std::min(release.floors[n], past[n]);
  std::vector<Release>& known = releases_[location];
  if (known.empty() || !known.back().tells_the_same(release)) known.push_back(std::move(release));
}

bool Publications::acquire(uint64_t location, int64_t block, int agent, int warps,
                           const Clocks& clocks) {
  const std::lock_guard lock(mutex_);
  const auto known = releases_.find(location);
  if (known == releases_.end()) return false;
  size_t& seen = seen_[{location, block}];
  const auto is_of_other = [&](const Release& release) { return release.block != block; };
  const bool tells = std::any_of(known->second.begin() + static_cast<int64_t>(seen),
                                 known->second.end(), is_of_other);
  seen = known->second.size();
  if (!tells) return false;
  Acquires& acquires = acquires_[block];
  Acquire acquire = {location, seen, agent, clocks.time(agent), {}};
  for (int n = 0; n < clocks.agents(); ++n)
    acquire.times.push_back(n == agent || n >= warps ? clocks.time(n) : never);
  acquires.all.push_back(std::move(acquire));
  ++acquires.learnt;
  return true;
}

bool Publications::learn(int64_t block, int agent, const uint64_t* floors, const Clocks& clocks) {
  const std::lock_guard lock(mutex_);
  const auto found = acquires_.find(block);
  if (found == acquires_.end()) return false;
  Acquires& acquires = found->second;
  const size_t before = acquires.learnt;
  for (size_t n = acquires.known_by_all; n < acquires.all.size(); ++n) {
    Acquire& acquire = acquires.all[n];
    if (acquire.times[agent] == never && Stamp{floors[acquire.agent]}.interval() > acquire.time) {
      acquire.times[agent] = clocks.time(agent);
      ++acquires.learnt;
    }
    if (n == acquires.known_by_all && is_known_by_all(acquire.times)) ++acquires.known_by_all;
  }
  return acquires.learnt > before;
}

/// True if the access is before one of the acquires that the agent of the later block has behind it
/// at the time.
bool Publications::comes_before(int64_t block, Stamp stamp, int64_t later_block, size_t agent,
                                uint64_t time, int shift, Looked& looked) const {
  const auto made = acquires_.find(later_block);
  if (made == acquires_.end()) return false;
  for (const Acquire& acquire : made->second.all) {
    if (acquire.times[agent] > time) continue;
    const std::vector<Release>& releases = releases_.at(acquire.location);
    const size_t first = looked[acquire.location];
    looked[acquire.location] = std::max(first, acquire.releases);
    for (size_t n = first; n < acquire.releases; ++n) {
      const Release& release = releases[n];
      if (release.block == block && release.is_behind(stamp, shift)) return true;
      if (release.block != block &&
          comes_before(block, stamp, release.block, release.thread >> shift, release.time, shift,
                       looked))
        return true;
    }
  }
  return false;
}

bool Publications::precedes(int64_t block, Stamp stamp, int64_t later_block, Stamp later,
                            int shift) const {
  const std::lock_guard lock(mutex_);
  Looked looked;
  return comes_before(block, stamp, later_block, later.lane() >> shift, later.interval(), shift,
                      looked);
}

}  // namespace hone::ptx

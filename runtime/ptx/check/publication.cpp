#include "runtime/ptx/check/publication.h"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"

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

void Publications::Acquires::add(Acquire acquire) {
  behind.resize(acquire.times.size());
  for (size_t agent = 0; agent < acquire.times.size(); ++agent)
    if (acquire.times[agent] != never) behind[agent].emplace_back(acquire.times[agent], all.size());
  all.push_back(std::move(acquire));
  ++learnt;
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
  Acquire acquire = {location, seen, agent, clocks.time(agent), {}};
  for (int n = 0; n < clocks.agents(); ++n)
    acquire.times.push_back(n == agent || n >= warps ? clocks.time(n) : never);
  acquires_[block].add(std::move(acquire));
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
      acquires.behind[agent].emplace_back(acquire.times[agent], n);
      ++acquires.learnt;
    }
    if (n == acquires.known_by_all && is_known_by_all(acquire.times)) ++acquires.known_by_all;
  }
  return acquires.learnt > before;
}

/// True if the access is before one of the acquires that the agent of the later block has behind it
/// at the time. The last ones come first: what orders two accesses mostly stands close to them.
bool Publications::comes_before(Search& search, int64_t later_block, size_t agent,
                                uint64_t time) const {
  const auto made = acquires_.find(later_block);
  if (made == acquires_.end() || made->second.all.empty()) return false;
  const auto& behind = made->second.behind[agent];
  const auto end = llvm::partition_point(behind, [&](const auto& at) { return at.first <= time; });
  for (const auto& [since, number] : llvm::reverse(llvm::make_range(behind.begin(), end))) {
    const Acquire& acquire = made->second.all[number];
    const std::vector<Release>& releases = releases_.at(acquire.location);
    const size_t first = search.looked[acquire.location];
    search.looked[acquire.location] = std::max(first, acquire.releases);
    for (size_t n = acquire.releases; n > first; --n) {
      const Release& release = releases[n - 1];
      const bool is_own = release.block == search.access.block;
      if (is_own && release.is_behind(search.access.stamp, search.shift)) return true;
      if (!is_own && search.by_others &&
          comes_before(search, release.block, release.thread >> search.shift, release.time))
        return true;
    }
  }
  return false;
}

/// A lock that both blocks have taken needs no look at others.
bool Publications::are_ordered(Access one, Access other, int shift) const {
  const std::lock_guard lock(mutex_);
  const auto precedes = [&](Access access, Access later, bool by_others) {
    Search search = {access, shift, by_others};
    return comes_before(search, later.block, later.stamp.lane() >> shift, later.stamp.interval());
  };
  return precedes(one, other, false) || precedes(other, one, false) || precedes(one, other, true) ||
         precedes(other, one, true);
}

}  // namespace hone::ptx

#include "tools/draw/agents.h"

#include "llvm/ADT/STLExtras.h"
#include "runtime/sim/lanes.h"

namespace hone {
namespace {

std::vector<RingWait> waits_of(llvm::ArrayRef<Stretch> stretches) {
  std::vector<RingWait> waits;
  for (const Stretch& stretch : stretches) waits.push_back(stretch.wait);
  return waits;
}

void add_to(std::map<RingSlot, int64_t>& sums, const std::map<RingSlot, int64_t>& others) {
  for (const auto& [slot, count] : others) sums[slot] += count;
}

/// The longer one, and what is missing in it.
void add_to(std::vector<RingSlot>& slots, std::vector<RingSlot> others) {
  if (slots.size() < others.size()) slots.swap(others);
  for (const RingSlot& other : others)
    if (!llvm::is_contained(slots, other)) slots.push_back(other);
}

void add_to(Stretch& sum, const Stretch& other) {
  add_to(sum.reads, other.reads);
  add_to(sum.stores, other.stores);
  sum.copies.resize(std::max(sum.copies.size(), other.copies.size()));
  for (size_t group = 0; group < other.copies.size(); ++group)
    add_to(sum.copies[group], other.copies[group]);
  sum.inits.insert(other.inits.begin(), other.inits.end());
  add_to(sum.arrivals, other.arrivals);
  add_to(sum.arrivals_after_copies, other.arrivals_after_copies);
}

/// True if a thread comes to the first of these waits, or to all of them.
bool is_start_of(llvm::ArrayRef<RingWait> waits, llvm::ArrayRef<RingWait> all) {
  return waits.size() <= all.size() && std::equal(waits.begin(), waits.end(), all.begin());
}

/// Threads with these waits. Other lanes of a warp may come to fewer of them than the first one, as
/// those beside one that asks the copy engine for tiles.
class Agents {
 public:
  /// Returns whether the thread waits where the first lane of its warp does.
  bool add(int warp, bool is_first_lane, llvm::ArrayRef<Stretch> stretches) {
    const std::vector<RingWait> waits = waits_of(stretches);
    Agent* const found = is_first_lane ? &with(waits) : of_warp(warp);
    if (!found || !is_start_of(waits, waits_of(found->stretches))) return false;
    Agent& agent = *found;
    if (is_first_lane) agent.warps.push_back(warp);
    for (size_t number = 0; number < stretches.size(); ++number)
      add_to(agent.stretches[number], stretches[number]);
    ++agent.threads;
    return true;
  }

  std::vector<Agent> all;

 private:
  Agent* of_warp(int warp) {
    for (Agent& agent : all)
      if (!agent.warps.empty() && agent.warps.back() == warp) return &agent;
    return nullptr;
  }

  Agent& with(const std::vector<RingWait>& waits) {
    for (Agent& agent : all)
      if (waits_of(agent.stretches) == waits) return agent;
    Agent& agent = all.emplace_back();
    agent.stretches.resize(waits.size());
    for (size_t number = 0; number < waits.size(); ++number)
      agent.stretches[number].wait = waits[number];
    return agent;
  }
};

}  // namespace

bool Agent::fills() const {
  return llvm::any_of(stretches, [](const Stretch& stretch) {
    return stretch.has_copies() || !stretch.stores.empty();
  });
}

bool Agent::reads() const {
  return llvm::any_of(stretches, [](const Stretch& stretch) { return !stretch.reads.empty(); });
}

std::vector<Agent> agents_of(const KernelFunction& kernel, const Sizes& sizes,
                             const std::array<int64_t, 3>& block,
                             const std::array<int64_t, 3>& threads) {
  ThreadFollower follower(kernel, sizes, block);
  Agents agents;
  for (int64_t number = 0; number < threads[0] * threads[1] * threads[2]; ++number) {
    const bool is_first_lane = number % warp_lanes == 0;
    const auto stretches = follower.follow(
        {number % threads[0], number / threads[0] % threads[1], number / (threads[0] * threads[1])},
        is_first_lane);
    if (!stretches || !agents.add(static_cast<int>(number / warp_lanes), is_first_lane, *stretches))
      return {};
  }
  llvm::stable_sort(agents.all,
                    [](const Agent& lhs, const Agent& rhs) { return lhs.fills() > rhs.fills(); });
  return agents.all;
}

}  // namespace hone

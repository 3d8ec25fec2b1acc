#include "tools/draw/agents.h"

#include <functional>

#include "llvm/ADT/STLExtras.h"
#include "runtime/sim/lanes.h"

namespace hone {
namespace {

bool waits_alike(const Stretch& lhs, const Stretch& rhs) {
  if (!lhs.wait || !rhs.wait) return !lhs.wait && !rhs.wait;
  return lhs.wait->is_like(*rhs.wait);
}

/// The one whose warps wait as these stretches do; a new one if there is none.
Agent& agent_with(std::vector<Agent>& agents, llvm::ArrayRef<Stretch> stretches) {
  for (Agent& agent : agents)
    if (std::equal(agent.stretches.begin(), agent.stretches.end(), stretches.begin(),
                   stretches.end(), waits_alike))
      return agent;
  Agent& agent = agents.emplace_back();
  for (const Stretch& stretch : stretches) agent.stretches.push_back({stretch.wait, {}});
  return agent;
}

template <class IsIt>
bool any_event(const Agent& agent, const IsIt& is_it) {
  return llvm::any_of(agent.stretches,
                      [&](const Stretch& stretch) { return llvm::any_of(stretch.events, is_it); });
}

}  // namespace

bool Agent::fills() const { return any_event(*this, std::mem_fn(&RingEvent::is_fill)); }

bool Agent::reads() const { return any_event(*this, std::mem_fn(&RingEvent::is_read)); }

std::vector<Agent> agents_of(const RecordReport& report) {
  std::vector<Agent> agents;
  int64_t threads_left = report.threads();
  for (size_t warp = 0; warp < report.rings.warps.size(); ++warp) {
    const auto stretches =
        llvm::ArrayRef(report.rings.warps[warp]).take_front(RingUse::most_stretches);
    Agent& agent = agent_with(agents, stretches);
    agent.warps.push_back(static_cast<int>(warp));
    agent.threads += std::min<int64_t>(threads_left, warp_lanes);
    threads_left -= warp_lanes;
    for (const auto& [sum, more] : llvm::zip(agent.stretches, stretches))
      for (const RingEvent& event : more.events) sum.add(event);
  }
  llvm::stable_sort(agents,
                    [](const Agent& lhs, const Agent& rhs) { return lhs.fills() > rhs.fills(); });
  return agents;
}

}  // namespace hone

#include "tools/draw/timeline.h"

#include "llvm/ADT/STLExtras.h"

namespace hone {
namespace {

struct Mbarrier {
  int64_t wanted = 0, arrived = 0, phases = 0;

  void arrive(int64_t count) {
    arrived += count;
    if (wanted == 0 || arrived < wanted) return;
    arrived -= wanted;
    ++phases;
  }
};

/// Arrivals that others see from a step on.
struct Arrival {
  RingSlot mbarrier;
  int64_t count = 0, step = 0;
};

/// The place where an agent is, and the copies that it has not waited for.
struct Place {
  size_t next = 0;                                 ///< stretch
  bool comes = false;                              ///< to a barrier
  bool acts = false;                               ///< in this step
  std::vector<std::vector<size_t>> groups = {{}};  ///< fills; the last group is open
};

class Running {
 public:
  Running(const std::vector<Agent>& agents, int64_t latency)
      : agents_(agents), places_(agents.size()) {
    timeline_.latency = latency;
  }

  RingTimeline run() {
    while (!is_done() && !timeline_.is_stuck) {
      arrive();
      for (Place& place : places_) place.acts = false;
      bool goes_on = false;
      while (advance_all()) goes_on = true;
      note_waits();
      timeline_.is_stuck = !goes_on && arrivals_.empty();
      ++timeline_.steps;
    }
    return timeline_;
  }

 private:
  bool is_at_end(size_t agent) const {
    return places_[agent].next == agents_[agent].stretches.size();
  }
  bool is_done() const {
    for (size_t agent = 0; agent < agents_.size(); ++agent)
      if (!is_at_end(agent)) return false;
    return true;
  }

  void arrive() {
    for (const Arrival& arrival : arrivals_)
      if (arrival.step <= timeline_.steps) mbarriers_[arrival.mbarrier].arrive(arrival.count);
    llvm::erase_if(arrivals_,
                   [&](const Arrival& arrival) { return arrival.step <= timeline_.steps; });
  }

  /// Returns whether any agent goes on.
  bool advance_all() {
    bool goes_on = false;
    for (size_t agent = 0; agent < agents_.size(); ++agent)
      while (!places_[agent].acts && !is_at_end(agent) && advance(agent)) goes_on = true;
    return goes_on;
  }

  /// Takes an agent past its next wait, if that is over, and up to the one behind.
  bool advance(size_t agent) {
    Place& place = places_[agent];
    const Stretch& stretch = agents_[agent].stretches[place.next];
    if (!is_past(agent, stretch.wait)) return false;
    if (stretch.wait.kind != RingWait::Kind::none)
      timeline_.waits.push_back({stretch.wait, agent, timeline_.steps, true});
    ++place.next;
    place.comes = false;
    place.acts = stretch.is_visible();
    perform(agent, stretch);
    return true;
  }

  /// Those of agents that do nothing in this step.
  void note_waits() {
    for (size_t agent = 0; agent < agents_.size(); ++agent)
      if (!places_[agent].acts && !is_at_end(agent))
        timeline_.waits.push_back(
            {agents_[agent].stretches[places_[agent].next].wait, agent, timeline_.steps, false});
  }

  bool is_past(size_t agent, const RingWait& wait) {
    switch (wait.kind) {
      case RingWait::Kind::none:
        return true;
      case RingWait::Kind::group:
        finish_groups(agent, wait.amount);
        return true;
      case RingWait::Kind::barrier:
        return is_past_barrier(agent, wait);
      case RingWait::Kind::mbarrier:
        return mbarriers_[wait.mbarrier].phases % 2 != wait.amount;
    }
    return true;
  }

  /// Agents come to a barrier one after the other; from then on those that have come are counted.
  bool is_past_barrier(size_t agent, const RingWait& wait) {
    std::vector<int64_t>& passes = passes_[wait.barrier];
    passes.resize(agents_.size());
    Place& place = places_[agent];
    if (!place.comes) ++passes[agent];
    place.comes = true;
    int64_t threads = 0, all = 0;
    for (size_t other = 0; other < agents_.size(); ++other) {
      all += agents_[other].threads;
      if (passes[other] >= passes[agent]) threads += agents_[other].threads;
    }
    return threads >= (wait.barrier == 0 ? all : wait.amount);
  }

  void finish_groups(size_t agent, int64_t pending) {
    auto& groups = places_[agent].groups;
    while (static_cast<int64_t>(groups.size()) - 1 > pending) {
      for (const size_t fill : groups.front()) timeline_.fills[fill].there = timeline_.steps;
      groups.erase(groups.begin());
    }
  }

  void perform(size_t agent, const Stretch& stretch) {
    for (const auto& [mbarrier, count] : stretch.inits) mbarriers_[mbarrier] = {count};
    for (const RingSlot& slot : stretch.reads)
      timeline_.reads.push_back({slot, agent, timeline_.steps});
    for (const RingSlot& slot : stretch.stores) {
      const size_t fill = add_fill(agent, slot, false);
      timeline_.fills[fill].there = timeline_.steps + 1;
    }
    for (size_t group = 0; group < stretch.copies.size(); ++group) {
      auto& groups = places_[agent].groups;
      if (group > 0) groups.emplace_back();
      for (const RingSlot& slot : stretch.copies[group])
        groups.back().push_back(add_fill(agent, slot, true));
    }
    for (const auto& [mbarrier, count] : stretch.arrivals)
      arrivals_.push_back({mbarrier, count, timeline_.steps + 1});
    if (!stretch.arrivals_after_copies.empty()) arrive_after_copies(agent, stretch);
  }

  size_t add_fill(size_t agent, const RingSlot& slot, bool is_copy) {
    RingFill& fill = timeline_.fills.emplace_back();
    fill = {slot, turns_[slot.tensor]++, is_copy, agent, timeline_.steps};
    return timeline_.fills.size() - 1;
  }

  void arrive_after_copies(size_t agent, const Stretch& stretch) {
    const int64_t there = timeline_.steps + timeline_.latency;
    for (const std::vector<size_t>& group : places_[agent].groups)
      for (const size_t fill : group) timeline_.fills[fill].there = there;
    places_[agent].groups = {{}};
    for (const auto& [mbarrier, count] : stretch.arrivals_after_copies)
      arrivals_.push_back({mbarrier, count, there});
  }

  const std::vector<Agent>& agents_;
  std::vector<Place> places_;
  std::map<RingSlot, Mbarrier> mbarriers_;
  std::map<int64_t, std::vector<int64_t>> passes_;  ///< of agents, by the number of the barrier
  std::map<std::string, int64_t> turns_;
  std::vector<Arrival> arrivals_;
  RingTimeline timeline_;
};

}  // namespace

const RingFill* RingTimeline::filled_before(const RingSlot& slot, int64_t step) const {
  const RingFill* latest = nullptr;
  for (const RingFill& fill : fills)
    if (fill.slot == slot && fill.start < step) latest = &fill;
  return latest;
}

int64_t RingTimeline::stalls() const {
  if (reads.empty()) return 0;
  return llvm::count_if(waits, [&](const WaitStep& wait) {
    return !wait.is_over && wait.step > reads.front().step && wait.agent == reads.front().agent;
  });
}

/// A slot is read between two fills.
bool RingTimeline::is_too_early(size_t number) const {
  const RingFill& fill = fills[number];
  while (number-- > 0) {
    const RingFill& before = fills[number];
    if (before.slot == fill.slot)
      return llvm::none_of(reads, [&](const RingRead& read) {
        return read.slot == fill.slot && read.step >= before.there && read.step < fill.start;
      });
  }
  return false;
}

int64_t RingTimeline::mistakes() const {
  int64_t mistakes = 0;
  for (const RingRead& read : reads) {
    const RingFill* fill = filled_before(read.slot, read.step + 1);
    mistakes += !fill || fill->there > read.step;
  }
  for (size_t number = 0; number < fills.size(); ++number) mistakes += is_too_early(number);
  return mistakes;
}

int64_t RingTimeline::copies_in_flight() const {
  int64_t most = 0;
  for (const RingFill& at : fills)
    most = std::max<int64_t>(most, llvm::count_if(fills, [&](const RingFill& fill) {
                               return fill.is_copy && fill.slot.tensor == at.slot.tensor &&
                                      fill.start <= at.start && at.start < fill.there;
                             }));
  return most;
}

int64_t RingTimeline::steps_to_arrive() const {
  int64_t most = 0;
  for (const RingFill& fill : fills)
    if (fill.is_copy && fill.there != RingFill::never)
      most = std::max(most, fill.there - fill.start);
  return most;
}

RingTimeline timeline_of(const std::vector<Agent>& agents, int64_t latency) {
  return Running(agents, latency).run();
}

RingTimeline timeline_of(const std::vector<Agent>& agents,
                         const std::map<std::string, int64_t>& rings) {
  int64_t slots = 1;
  for (const auto& [tensor, count] : rings) slots = std::max(slots, count);
  const RingTimeline shortest = timeline_of(agents, 1);
  for (int64_t latency = slots; latency > 1; --latency) {
    RingTimeline timeline = timeline_of(agents, latency);
    if (timeline.stalls() <= shortest.stalls()) return timeline;
  }
  return shortest;
}

}  // namespace hone

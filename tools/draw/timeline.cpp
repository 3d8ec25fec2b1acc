#include "tools/draw/timeline.h"

#include <functional>

#include "ir/opcodes/opcodes.h"
#include "llvm/ADT/STLExtras.h"

namespace hone {
namespace {

/// Phases, each of which ends with so many arrivals.
struct Phases {
  int64_t wanted = 0, arrived = 0, ended = 0;

  void arrive(int64_t count) {
    arrived += count;
    if (wanted == 0 || arrived < wanted) return;
    arrived -= wanted;
    ++ended;
  }
};

/// Arrivals that others see from a step on.
struct Arrival {
  RingSlot place;
  int64_t count = 0, step = 0;
};

/// Numbers of fills, or of reads; the last group is open.
using WorkGroups = std::vector<std::vector<size_t>>;

/// The place where an agent is, and the copies and products that it has not waited for.
struct Place {
  size_t next = 0;     ///< stretch
  bool comes = false;  ///< to a barrier
  bool acts = false;   ///< in this step
  WorkGroups copies = {{}}, products = {{}};

  WorkGroups& groups_of(Timeline timeline) {
    return timeline == Timeline::tensor_core ? products : copies;
  }
};

class Running {
 public:
  Running(const std::vector<Agent>& agents, int64_t latency)
      : agents_(agents), places_(agents.size()) {
    timeline_.latency = latency;
  }

  /// Ends where all agents that are left wait: for what was not recorded any more.
  RingTimeline run() {
    for (bool goes_on = true; !is_done() && (goes_on || !arrivals_.empty()); ++timeline_.steps) {
      arrive();
      for (Place& place : places_) place.acts = false;
      goes_on = false;
      while (advance_all()) goes_on = true;
      note_waits();
    }
    for (RingRead& read : timeline_.reads) read.end = std::min(read.end, timeline_.steps);
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
      if (arrival.step <= timeline_.steps) phases_[arrival.place].arrive(arrival.count);
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
    if (stretch.wait && !is_past(agent, *stretch.wait)) return false;
    if (stretch.wait) timeline_.waits.push_back({*stretch.wait, agent, timeline_.steps, true});
    ++place.next;
    place.comes = false;
    place.acts = llvm::any_of(stretch.events, std::mem_fn(&RingEvent::touches));
    perform(agent, stretch);
    return true;
  }

  /// Those of agents that do nothing in this step.
  void note_waits() {
    for (size_t agent = 0; agent < agents_.size(); ++agent)
      if (!places_[agent].acts && !is_at_end(agent))
        timeline_.waits.push_back(
            {*agents_[agent].stretches[places_[agent].next].wait, agent, timeline_.steps, false});
  }

  bool is_past(size_t agent, const RingEvent& wait) {
    if (const auto scope = barrier_scope(Stmt(wait.instr))) return is_past_barrier(agent, *scope);
    if (wait.place.tensor) return phases_[wait.place].ended % 2 != wait.value;
    finish_groups(agent, wait);
    return true;
  }

  /// Agents come to a barrier one after the other; from then on those that have come are counted.
  bool is_past_barrier(size_t agent, const BarrierScope& barrier) {
    std::vector<int64_t>& passes = passes_[barrier.id];
    passes.resize(agents_.size());
    Place& place = places_[agent];
    if (!place.comes) ++passes[agent];
    place.comes = true;
    int64_t threads = 0, all = 0;
    for (size_t other = 0; other < agents_.size(); ++other) {
      all += agents_[other].threads;
      if (passes[other] >= passes[agent]) threads += agents_[other].threads;
    }
    return threads >= (barrier.id == 0 ? all : barrier.threads);
  }

  /// All but those of the last groups.
  void finish_groups(size_t agent, const RingEvent& wait) {
    WorkGroups& groups = places_[agent].groups_of(wait.timeline);
    const bool are_products = wait.timeline == Timeline::tensor_core;
    while (static_cast<int64_t>(groups.size()) - 1 > wait.value) {
      for (const size_t number : groups.front())
        (are_products ? timeline_.reads[number].end : timeline_.fills[number].there) =
            timeline_.steps;
      groups.erase(groups.begin());
    }
  }

  /// Arrivals come last: also those before copies that the phase ends with.
  void perform(size_t agent, const Stretch& stretch) {
    Place& place = places_[agent];
    const size_t open_copies = place.copies.size() - 1, open_products = place.products.size() - 1;
    for (const RingEvent& event : stretch.events) {
      if (event.use == Use::begins) phases_[event.place] = {event.instr->constants[0]};
      if (event.ends_group()) place.groups_of(event.timeline).emplace_back();
      if (event.is_copy())
        place.copies[open_copies + event.value].push_back(timeline_.fills.size());
      if (event.is_product())
        place.products[open_products + event.value].push_back(timeline_.reads.size());
      if (event.is_read()) add_read(agent, event);
      if (event.is_fill()) add_fill(agent, event);
    }
    for (const RingEvent& event : stretch.events)
      if (event.use == Use::signals && !event.ends_group()) arrive_at(agent, event);
  }

  void add_read(size_t agent, const RingEvent& event) {
    const int64_t step = timeline_.steps;
    timeline_.reads.push_back({event.place, agent, event.is_product(), step,
                               event.is_product() ? RingFill::never : step + 1});
  }

  void add_fill(size_t agent, const RingEvent& event) {
    const int64_t step = timeline_.steps, turn = turns_[event.place.tensor]++;
    const bool is_copy = event.is_late();
    timeline_.fills.push_back(
        {event.place, turn, is_copy, agent, step, is_copy ? RingFill::never : step + 1});
  }

  /// Copies that it comes after are there then.
  void arrive_at(size_t agent, const RingEvent& event) {
    const int64_t there = timeline_.steps + (event.is_late() ? timeline_.latency : 1);
    arrivals_.push_back({event.place, event.threads, there});
    if (!event.is_late()) return;
    for (const std::vector<size_t>& group : std::exchange(places_[agent].copies, {{}}))
      for (const size_t fill : group) timeline_.fills[fill].there = there;
  }

  const std::vector<Agent>& agents_;
  std::vector<Place> places_;
  std::map<RingSlot, Phases> phases_;
  std::map<int64_t, std::vector<int64_t>> passes_;  ///< of agents, by the number of the barrier
  std::map<const TensorNode*, int64_t> turns_;
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
        return read.slot == fill.slot && read.step >= before.there && read.end <= fill.start;
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

// The steps of a block that fills and reads rings of tiles: who goes on, and who waits.
#pragma once

#include <map>

#include "tools/draw/agents.h"

namespace hone {

/// A slot that is filled once.
struct RingFill {
  static constexpr int64_t never = INT64_MAX;

  RingSlot slot;
  int64_t turn = 0;  ///< the number of slots of the ring that were filled before
  bool is_copy = false;
  size_t agent = 0;
  int64_t start = 0, there = never;  ///< steps
};

struct RingRead {
  RingSlot slot;
  size_t agent = 0;
  bool is_product = false;  ///< of tensor cores, while the agent goes on
  int64_t step = 0, end = 0;
};

/// A wait in one step, which is over then, or goes on.
struct WaitStep {
  RingEvent wait;
  size_t agent = 0;
  int64_t step = 0;
  bool is_over = false;

  bool is_for_phase() const { return wait.place.tensor != nullptr; }
  bool is_for_group() const { return wait.instr->opcode.rules.groups.awaits(); }
  bool is_for_products() const { return is_for_group() && wait.timeline == Timeline::tensor_core; }
};

/// In a step each agent does what it does from one wait to the next, unless it has to wait. Those
/// of one step do not see what the others do in it. Copies that an arrival comes after take
/// `latency` steps; others are there when their threads have waited for them. Tensor cores read
/// until then.
struct RingTimeline {
  std::vector<RingFill> fills;
  std::vector<RingRead> reads;
  std::vector<WaitStep> waits;
  int64_t steps = 0, latency = 0;

  /// The latest fill of a slot that starts before a step; null: none.
  const RingFill* filled_before(const RingSlot& slot, int64_t step) const;
  /// Steps of waiting behind the first read.
  int64_t stalls() const;
  /// Reads of what is not there, and fills of slots that are on their way, or are not read yet.
  int64_t mistakes() const;
  /// True of a fill of a slot that is on its way, or is not read yet.
  bool is_too_early(size_t number) const;
  /// The most slots of one ring whose copies are on their way in one step.
  int64_t copies_in_flight() const;
  /// The most steps that a copy has to arrive.
  int64_t steps_to_arrive() const;
};

RingTimeline timeline_of(const std::vector<Agent>& agents, int64_t latency);

/// The same, with the longest latency for which nobody waits longer than for the shortest one.
RingTimeline timeline_of(const std::vector<Agent>& agents,
                         const std::map<std::string, int64_t>& rings);

}  // namespace hone

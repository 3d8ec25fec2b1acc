#include "runtime/sim/count/rings.h"

#include <algorithm>
#include <tuple>

#include "ir/opcodes/opcodes.h"
#include "runtime/sim/worker.h"

namespace hone {
namespace {

/// The number of slots that a first index goes round in.
std::optional<int64_t> turning_slots(const Access& access) {
  const auto& load = *llvm::cast<Load>(access.place);
  const auto slots = as_int(load.tensor->shape[0]);
  const auto* turn = llvm::dyn_cast<Binary>(load.indices[0]);
  const bool goes_round = turn && turn->op == BinaryOp::mod && as_int(turn->rhs) == slots;
  return goes_round ? slots : std::nullopt;
}

void append_event(std::vector<Stretch>& stretches, RingEvent event) {
  if (event.use == Use::awaits) {
    stretches.emplace_back().wait = event;
    return;
  }
  const auto& events = stretches.back().events;
  if (event.is_late() && (event.touches() || event.ends_group()))
    event.value = llvm::count_if(events, [&](const RingEvent& one) {
      return one.ends_group() && one.timeline == event.timeline;
    });
  stretches.back().add(event);
}

/// A barrier of warps that go through rings together.
bool is_among_neighbours(const Instr& instr) {
  return is<op::barrier_of_warp>(Stmt(&instr)) || is<op::barrier_of_warpgroup>(Stmt(&instr));
}

/// Of an instruction without a place: nothing where it has to do neither with threads nor with
/// groups of what fills or multiplies tiles.
std::optional<RingEvent> event_of(const Instr& instr) {
  const bool waits = keeps_threads(Stmt(&instr)) && !is_among_neighbours(instr);
  const Groups& groups = instr.opcode.rules.groups;
  const bool is_of_groups = groups.commits() || groups.awaits();
  const bool is_of_tiles = fills_tiles(groups.timeline) || groups.timeline == Timeline::tensor_core;
  if (is_of_groups ? !is_of_tiles : !waits) return std::nullopt;
  const int64_t value = instr.constants.empty() ? 0 : instr.constants[0];
  return RingEvent{.instr = &instr,
                   .use = waits || groups.awaits() ? Use::awaits : Use::signals,
                   .timeline = groups.timeline,
                   .value = value};
}

RingEvent event_at_place(const Instr& instr) {
  RingEvent event = {.instr = &instr, .use = instr.opcode.uses.front()};
  for (const Operand& operand : instr.operands())
    if (operand.use == event.use) event.timeline = operand.timeline;
  return event;
}

}  // namespace

bool RingEvent::is_like(const RingEvent& other) const {
  const auto known_by = [](const RingEvent& event) {
    const Opcode* opcode = event.instr ? &event.instr->opcode : nullptr;
    return std::tuple(event.place, event.value, event.use, event.timeline, opcode);
  };
  return known_by(*this) == known_by(other);
}

void Stretch::add(const RingEvent& event) {
  const auto known =
      llvm::find_if(events, [&](const RingEvent& other) { return other.is_like(event); });
  if (known == events.end())
    events.push_back(event);
  else
    known->threads += event.threads;
}

int64_t value_of(const Worker& worker, const LaneIndex& index, int lane) {
  const int64_t uniform = *worker.at<int64_t>(index.uniform);
  return index.is_uniform() ? uniform : uniform + worker.bases[index.base].values[lane];
}

RingFollower::RingFollower(const SimProgram& program, RingUse& rings)
    : program_(program), rings_(rings) {
  for (const Access& access : program.accesses) {
    const Memory& memory = program.memories[access.memory];
    const bool reads_tile = access.kind == Access::Kind::read && !memory.first_barrier;
    if (!memory.is_shared() || access.indices.empty() || !reads_tile) continue;
    if (const auto slots = turning_slots(access)) rings.slots[memory.tensor->name] = *slots;
  }
  for (const Access& access : program.accesses)
    if (is_ring(access) && !access.indices.front().is_uniform())
      rings.slots.erase(tensor_of(access)->name);
}

const TensorPtr& RingFollower::tensor_of(const Access& access) const {
  return program_.memories[access.memory].tensor;
}

bool RingFollower::is_ring(const Access& access) const {
  return rings_.slots.count(tensor_of(access)->name) > 0;
}

void RingFollower::begin_block(const Worker& worker, bool is_followed) {
  is_on_ = is_followed && !rings_.slots.empty();
  const int warps = (worker.launch.block_lanes() + warp_lanes - 1) / warp_lanes;
  if (is_on_) rings_.warps.assign(warps, std::vector<Stretch>(1));
}

/// Asynchronous ones are instructions.
void RingFollower::record_access(const Worker& worker, const Access& access) {
  if (!is_on_ || access.is_async || !is_ring(access)) return;
  const bool reads = access.kind == Access::Kind::read;
  record(worker, {.use = reads ? Use::reads : Use::writes}, &access, nullptr);
}

void RingFollower::record_issue(const Worker& worker, const Instruction& instruction) {
  if (!is_on_) return;
  const IssueDetail& issue = program_.issues[instruction.detail];
  const auto& instr = *llvm::cast<Instr>(program_.statements[issue.statement]);
  for (const uint32_t tile : issue.tiles)
    if (const Access& access = program_.accesses[tile]; is_ring(access))
      record(worker, {.instr = &instr, .use = Use::reads, .timeline = Timeline::tensor_core},
             &access, nullptr);
  const Access* access = issue.access ? &program_.accesses[*issue.access] : nullptr;
  const std::optional<RingEvent> event = access ? event_at_place(instr) : event_of(instr);
  if (!event || (access && event->touches() && !is_ring(*access))) return;
  const Slot values = instruction.operands[0];
  record(worker, *event, access, values == no_slot ? nullptr : worker.at<int64_t>(values));
}

/// What lanes do differently is told of the first one that is active. The other blocks of a cluster
/// are not followed.
void RingFollower::record(const Worker& worker, RingEvent event, const Access* access,
                          const int64_t* values) {
  if (access) event.place.tensor = tensor_of(*access).get();
  for (int first = 0; first < worker.lanes; first += warp_lanes) {
    event.threads = worker.mask->count(first, std::min(first + warp_lanes, worker.lanes));
    const size_t warp = worker.thread(first) / warp_lanes;
    if (event.threads == 0 || warp >= rings_.warps.size()) continue;
    int lane = first;
    while (!worker.mask->has(lane)) ++lane;
    if (access) event.place.slot = value_of(worker, access->indices.front(), lane);
    if (values) event.value = values[lane];
    if (rings_.warps[warp].size() <= RingUse::most_stretches)
      append_event(rings_.warps[warp], event);
  }
}

}  // namespace hone

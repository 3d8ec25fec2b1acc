// Barriers with phases in check mode: what a phase collects, and who may know of an initialisation.
#include <algorithm>
#include <bit>

#include "runtime/sim/check/checker.h"
#include "runtime/sim/report.h"

namespace hone {

/// Nothing but these barriers lies there: the write of the cell is the initialisation.
ShadowCell& Checker::cell_of(const Worker& worker, const PhaseUse& use) {
  const Cells cells = cells_of(worker, worker.program.accesses[use.access]);
  return shared_[cells.origin + use.element * cells.per_element];
}

void Checker::init_phases(Worker& worker, const PhaseUse& use) {
  cell_of(worker, use).write = clocks_.stamp(worker.thread(use.lane()), use.access);
}

/// A barrier comes between the initialisation and the use by another thread.
void Checker::look_for_init(Worker& worker, const PhaseUse& use) {
  const Stamp init = cell_of(worker, use).write;
  for (uint32_t left = use.lanes; left != 0; left &= left - 1) {
    const int lane = use.first_lane + std::countr_zero(left);
    const int thread = worker.thread(lane);
    if (!meet(init, clocks_.stamp(thread, use.access), clocks_.warp_order(thread))) continue;
    const Access& access = worker.program.accesses[use.access];
    const Running running = {worker, access, use.access, open_access(worker, access), {}};
    return report_race(running, lane, init);
  }
}

// ---- Phases -------------------------------------------------------------------------------------

/// Remembers the lanes whose accesses the warp has not made known among its lanes.
void Checker::note_lanes(const Worker& worker) {
  worker.mask->for_each([&](int lane) {
    const int thread = worker.thread(lane);
    unordered_lanes_[clocks_.agent_of(thread)] |= uint32_t{1} << thread % warp_lanes;
  });
}

/// An arrival of some lanes tells what these have done. A warp has one clock: if others have done
/// something since the last barrier of the warp, what all did before that is told.
uint64_t Checker::arrive_at_phase(Worker& worker, const PhaseUse& use) {
  look_for_init(worker, use);
  if (!visits_.empty()) note_visit(worker.thread(use.lane()), use.access, use.element);
  const int agent = clocks_.agent_of(worker.thread(use.first_lane));
  const uint64_t time = clocks_.time(agent);
  PhaseClocks& phases = phases_[use.barrier];
  Clocks::Floors& floors = phases.at_hand;
  phases.arrival = clocks_.stamp(worker.thread(use.lane()), use.access);
  uint32_t others = unordered_lanes_[agent];
  for (int lane = use.first_lane; lane < std::min(use.first_lane + warp_lanes, worker.lanes);
       ++lane)
    if (worker.mask->has(lane)) others &= ~(uint32_t{1} << (lane - use.first_lane)) | use.late;
  if (others != 0) {
    clocks_.release_past(agent, use.lanes, floors);
    return time;
  }
  clocks_.release(agent, use.lanes, floors);
  unordered_lanes_[agent] = 0;
  return time;
}

void Checker::end_phase(uint32_t barrier) {
  PhaseClocks& phases = phases_[barrier];
  phases.ended.resize(phases.at_hand.size());
  for (size_t agent = 0; agent < phases.ended.size(); ++agent)
    phases.ended[agent] = std::max(phases.ended[agent], phases.at_hand[agent]);
  phases.at_hand.clear();
  look_for_early_end(barrier);
  phases.waits.clear();
}

/// A wait for a phase goes by its parity alone: if the next phase, too, can end before the wait, a
/// thread that comes late waits for another one. Somebody who arrives has to know of the wait.
void Checker::look_for_early_end(uint32_t barrier) {
  const PhaseClocks& phases = phases_[barrier];
  const WarpOrder order = {phases.ended.data(), clocks_.shift()};
  for (const Stamp wait : phases.waits) {
    if (order.is_past(wait)) continue;
    report(FindingKind::race, {wait, phases.arrival}, phases.element,
           [] { return "the phase behind that of a wait may end before the wait"; });
  }
}

void Checker::pass_phase(Worker& worker, const PhaseUse& use) {
  look_for_init(worker, use);
  const int thread = worker.thread(use.lane());
  PhaseClocks& phases = phases_[use.barrier];
  phases.element = use.element;
  phases.copy = {};
  phases.waits.push_back(clocks_.stamp(thread, use.access));
  clocks_.acquire(clocks_.agent_of(thread), use.lanes, phases.ended);
  arrival_.update(clocks_);
}

}  // namespace hone

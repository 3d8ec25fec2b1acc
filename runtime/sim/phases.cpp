#include "runtime/sim/phases.h"

#include "ir/opcodes/opcodes.h"
#include "runtime/sim/access.h"
#include "runtime/sim/report.h"

namespace hone {
namespace {

const PhaseDetail& detail_of(const Worker& worker, const Instruction& instruction) {
  return worker.program.phase_uses[instruction.detail];
}

/// Of the instruction that the kernel has there.
int64_t constant_in(const Worker& worker, const PhaseDetail& detail) {
  return llvm::cast<Instr>(worker.program.statements[detail.statement])->constants[0];
}

/// The blocks of a cluster have barriers of their own, one block after the other.
uint32_t number_of(const Worker& worker, const PhaseDetail& detail, int64_t element) {
  const Memory& memory = worker.program.memories[worker.program.accesses[detail.access].memory];
  const int64_t number =
      memory.part_of(element) * memory.own_elements + element % memory.part_stride;
  return detail.first + static_cast<uint32_t>(number);
}

PhaseUse use_of(const Worker& worker, const PhaseDetail& detail, const Address& address, int lane) {
  const int64_t element = address.element(lane);
  const int in_warp = lane % warp_lanes;
  return {detail.access, number_of(worker, detail, element), element, lane - in_warp,
          uint32_t{1} << in_warp};
}

/// Calls `use` with the active lanes of each warp, those that follow each other at one barrier
/// together.
void for_phase_uses(Worker& worker, const PhaseDetail& detail,
                    llvm::function_ref<void(const PhaseUse&)> use) {
  const Address address = open_access(worker, worker.program.accesses[detail.access]);
  PhaseUse found;
  worker.mask->for_each([&](int lane) {
    PhaseUse next = use_of(worker, detail, address, lane);
    if (found.element != next.element || found.first_lane != next.first_lane) {
      if (found.lanes != 0) use(found);
      found.lanes = 0;
    }
    next.lanes |= found.lanes;
    found = next;
  });
  if (found.lanes != 0) use(found);
}

/// The barrier, which somebody has initialised.
PhaseBarrier& find_barrier(Worker& worker, const PhaseUse& use) {
  PhaseBarrier& barrier = worker.phases.barriers[use.barrier];
  if (barrier.count == 0) report_phase(worker, use, "is used before it is initialised");
  return barrier;
}

}  // namespace

// ---- Initialisation and arrivals ----------------------------------------------------------------

void init_phases(Worker& worker, const Instruction& instruction) {
  const PhaseDetail& detail = detail_of(worker, instruction);
  for_phase_uses(worker, detail, [&](const PhaseUse& use) {
    PhaseBarrier& barrier = worker.phases.barriers[use.barrier];
    const bool is_alone = std::has_single_bit(use.lanes);
    if (barrier.count != 0 || !is_alone) report_phase(worker, use, "is initialised again");
    barrier.count = barrier.pending = constant_in(worker, detail);
    if (worker.observer) worker.observer->init_phases(worker, use);
  });
}

namespace {

/// Ends the phase at hand where it lacks neither arrivals nor bytes. What its arrivals came after
/// is there before anybody goes on, and so is what it has counted the bytes of.
void end_phase_if_complete(Worker& worker, uint32_t number) {
  PhaseBarrier& barrier = worker.phases.barriers[number];
  if (barrier.pending != 0 || barrier.missing_bytes != 0) return;
  for (const PhaseBarrier::AfterOperations& arrival : barrier.arrived)
    end_operations(worker, arrival.thread,
                   {.timeline = arrival.timeline, .operations = arrival.started});
  for (AsyncOperation& operation : barrier.brought) finish(worker, operation);
  barrier.arrived.clear();
  barrier.brought.clear();
  barrier.pending = barrier.count;
  ++barrier.phases;
  if (worker.observer) worker.observer->end_phase(number);
  worker.wake();
}

/// The first of the lanes, so many at most.
uint32_t first_lanes(uint32_t lanes, int64_t count) {
  uint32_t first = 0;
  for (; lanes != 0 && count > 0; --count, lanes &= lanes - 1) first |= lanes & -lanes;
  return first;
}

/// The phase waits for what the lanes of the use have started on the timeline, too.
void wait_for_operations(Worker& worker, const PhaseUse& use, Timeline timeline, uint64_t time) {
  for (uint32_t left = use.lanes; left != 0; left &= left - 1) {
    const int thread = worker.thread(use.first_lane + std::countr_zero(left));
    for (AsyncOperation& operation : worker.engines.queues[thread].operations)
      if (operation.detail->timeline == timeline && !operation.told) operation.told = time;
    worker.phases.barriers[use.barrier].arrived.push_back(
        {thread, timeline, worker.engines.started});
  }
}

/// The lanes arrive one by one: the last ones may be the first of the next phase. Each expects so
/// many bytes, or arrives after what it has started on a timeline that is not the thread's.
void arrive(Worker& worker, PhaseUse use, Timeline timeline, int64_t bytes) {
  PhaseBarrier& barrier = find_barrier(worker, use);
  for (use.late = use.lanes; use.late != 0;) {
    if (barrier.pending == 0)
      report_phase(worker, use, "is arrived at again while its phase lacks bytes alone");
    use.lanes = first_lanes(use.late, barrier.pending);
    use.late &= ~use.lanes;
    const uint64_t time = worker.observer ? worker.observer->arrive_at_phase(worker, use) : 0;
    if (timeline != Timeline::thread) wait_for_operations(worker, use, timeline, time);
    barrier.missing_bytes += bytes * std::popcount(use.lanes);
    if (barrier.missing_bytes > most_phase_count)
      report_phase(worker, use,
                   fmt::format("is to wait for {} bytes, and counts {} at most",
                               barrier.missing_bytes, most_phase_count));
    barrier.pending -= std::popcount(use.lanes);
    end_phase_if_complete(worker, use.barrier);
  }
}

}  // namespace

void arrive_at_phase(Worker& worker, const Instruction& instruction, Timeline timeline) {
  const PhaseDetail& detail = detail_of(worker, instruction);
  const bool waits = constant_in(worker, detail) != 0;
  for_phase_uses(worker, detail, [&](const PhaseUse& use) {
    arrive(worker, use, waits ? timeline : Timeline::thread, 0);
  });
}

void expect_bytes(Worker& worker, const Instruction& instruction) {
  const PhaseDetail& detail = detail_of(worker, instruction);
  const int64_t bytes = constant_in(worker, detail);
  for_phase_uses(worker, detail,
                 [&](const PhaseUse& use) { arrive(worker, use, Timeline::thread, bytes); });
}

// ---- Operations whose bytes are counted ---------------------------------------------------------

void ask(Worker& worker, int lane, AsyncOperation operation) {
  const PhaseDetail& detail = worker.program.phase_uses[*operation.detail->phase];
  const Address address = open_access(worker, worker.program.accesses[detail.access]);
  const PhaseUse use = use_of(worker, detail, address, lane);
  find_barrier(worker, use);
  operation.barrier = use.barrier;
  if (worker.observer) operation.told = worker.observer->arrive_at_phase(worker, use);
  worker.engines.asked.push_back(std::move(operation));
}

void bring(Worker& worker, size_t number) {
  std::vector<AsyncOperation>& asked = worker.engines.asked;
  AsyncOperation operation = std::move(asked[number]);
  asked.erase(asked.begin() + static_cast<std::ptrdiff_t>(number));
  const uint32_t at = operation.barrier;
  PhaseBarrier& barrier = worker.phases.barriers[at];
  barrier.missing_bytes -= operation.detail->bytes;
  barrier.brought.push_back(std::move(operation));
  end_phase_if_complete(worker, at);
}

// ---- Waits --------------------------------------------------------------------------------------

namespace {

/// The lanes of the use that a wait lets pass, a bit each.
uint32_t lanes_to_pass(Worker& worker, const Instruction& instruction, const PhaseUse& use) {
  const auto* parities = worker.at<int64_t>(instruction.operands[0]);
  const PhaseBarrier& barrier = find_barrier(worker, use);
  uint32_t lanes = 0;
  for (uint32_t left = use.lanes; left != 0; left &= left - 1) {
    const int lane = use.first_lane + std::countr_zero(left);
    const int64_t parity = parities[lane];
    if (parity != 0 && parity != 1)
      report_lane(worker, lane, detail_of(worker, instruction).statement,
                  fmt::format("the parity of a phase is 0 or 1, and not {}", parity));
    if (barrier.has_ended(parity)) lanes |= left & -left;
  }
  return lanes;
}

/// The warps of the group that have to wait, a bit each: those with a lane whose phase goes on.
WarpBits warps_to_wait(Worker& worker, const Instruction& instruction) {
  const auto* parities = worker.at<int64_t>(instruction.operands[0]);
  WarpBits warps = 0;
  for_phase_uses(worker, detail_of(worker, instruction), [&](const PhaseUse& use) {
    const uint32_t waiting = use.lanes & ~lanes_to_pass(worker, instruction, use);
    if (waiting == 0) return;
    const int lane = use.first_lane + std::bit_width(waiting) - 1;
    warps |= WarpBits{1} << use.first_lane / warp_lanes;
    worker.phases.waits[worker.thread(lane) / warp_lanes] = {instruction.detail, use.barrier,
                                                             use.element, parities[lane]};
  });
  return warps;
}

/// The lanes where warps that have to wait follow on warps that do not, or the reverse.
llvm::SmallVector<int, 8> changes(const Worker& worker, WarpBits warps) {
  llvm::SmallVector<int, 8> starts;
  for (int warp = 1; warp * warp_lanes < worker.lanes; ++warp)
    if ((warps >> warp & 1) != (warps >> (warp - 1) & 1)) starts.push_back(warp * warp_lanes);
  return starts;
}

}  // namespace

void test_phase(Worker& worker, const Instruction& instruction) {
  auto* flags = worker.at<uint8_t>(instruction.destination);
  for_phase_uses(worker, detail_of(worker, instruction), [&](PhaseUse use) {
    const uint32_t tested = use.lanes;
    use.lanes = lanes_to_pass(worker, instruction, use);
    for (uint32_t left = tested; left != 0; left &= left - 1) {
      const int place = std::countr_zero(left);
      flags[use.first_lane + place] = use.lanes >> place & 1;
    }
    if (use.lanes != 0 && worker.observer) worker.observer->pass_phase(worker, use);
  });
}

void wait_for_phase(Worker& worker, const Instruction& instruction) {
  const WarpBits warps = warps_to_wait(worker, instruction);
  if (warps == 0) {
    if (worker.observer)
      for_phase_uses(worker, detail_of(worker, instruction),
                     [&](const PhaseUse& use) { worker.observer->pass_phase(worker, use); });
    return;
  }
  const auto starts = changes(worker, warps);
  if (starts.empty()) return worker.wait_at_phase(instruction);
  worker.next = &instruction;
  worker.part(starts);
}

}  // namespace hone

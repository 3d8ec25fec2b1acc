#include "runtime/sim/mbarriers.h"

#include <bit>
#include <cstring>

#include "ir/bulk_limits.h"
#include "ir/opcodes/opcodes.h"
#include "runtime/sim/access.h"
#include "runtime/sim/report.h"

namespace hone {
namespace {

const MbarrierDetail& detail_of(const Worker& worker, const Instruction& instruction) {
  return worker.program.mbarrier_uses[instruction.detail];
}

}  // namespace

void for_mbarrier_uses(Worker& worker, const MbarrierDetail& detail,
                       llvm::function_ref<void(const MbarrierUse&)> use) {
  const Address address = open_access(worker, worker.program.accesses[detail.access]);
  MbarrierUse found;
  worker.mask->for_each([&](int lane) {
    const int64_t element = address.element(lane);
    const int first_lane = lane / warp_lanes * warp_lanes;
    if (found.lanes != 0 && (found.element != element || found.first_lane != first_lane)) {
      use(found);
      found.lanes = 0;
    }
    found = {detail.access, detail.first + static_cast<uint32_t>(element), element, first_lane,
             found.lanes | uint32_t{1} << (lane - first_lane)};
  });
  if (found.lanes != 0) use(found);
}

Mbarrier& find_mbarrier(Worker& worker, const MbarrierUse& use) {
  Mbarrier& mbarrier = worker.mbarriers.of_block[use.mbarrier];
  if (mbarrier.count == 0) report_mbarrier(worker, use, "is used before it is initialised");
  return mbarrier;
}

// ---- Initialisation and arrivals ----------------------------------------------------------------

void init_mbarrier(Worker& worker, const Instruction& instruction) {
  const MbarrierDetail& detail = detail_of(worker, instruction);
  const auto& init = *llvm::cast<Instr>(worker.program.statements[detail.statement]);
  for_mbarrier_uses(worker, detail, [&](const MbarrierUse& use) {
    Mbarrier& mbarrier = worker.mbarriers.of_block[use.mbarrier];
    const bool is_alone = std::has_single_bit(use.lanes);
    if (mbarrier.count != 0 || !is_alone) report_mbarrier(worker, use, "is initialised again");
    mbarrier.count = mbarrier.pending = init.constants[0];
    if (worker.observer) worker.observer->init_mbarrier(worker, use);
  });
}

namespace {

/// The copies that its arrivals came after are there before anybody goes on.
void end_copies_before_arrivals(Worker& worker, Mbarrier& mbarrier) {
  for (const Mbarrier::AfterCopies& arrival : mbarrier.arrived)
    worker.copies.end_first(arrival.thread, arrival.started, [&](const PendingCopy& copy) {
      if (worker.observer) worker.observer->end_copy(worker, copy, copy.arrival);
    });
  mbarrier.arrived.clear();
}

/// And so are those whose bytes it counts.
void end_bulk_copies(Worker& worker, Mbarrier& mbarrier) {
  for (const AskedCopy& asked : mbarrier.brought) {
    std::memcpy(asked.copy.target, asked.bytes.data(), asked.bytes.size());
    if (worker.observer) worker.observer->end_copy(worker, asked.copy, asked.time);
  }
  mbarrier.brought.clear();
}

/// The first of the lanes, so many at most.
uint32_t first_lanes(uint32_t lanes, int64_t count) {
  uint32_t first = 0;
  for (; lanes != 0 && count > 0; --count, lanes &= lanes - 1) first |= lanes & -lanes;
  return first;
}

/// The lanes arrive one by one: the last ones may be the first of the next phase. Each expects so
/// many bytes.
void arrive(Worker& worker, MbarrierUse use, bool after_copies, int64_t bytes = 0) {
  Mbarrier& mbarrier = find_mbarrier(worker, use);
  for (use.late = use.lanes; use.late != 0;) {
    if (mbarrier.pending == 0)
      report_mbarrier(worker, use, "is arrived at again while its phase lacks bytes alone");
    use.lanes = first_lanes(use.late, mbarrier.pending);
    use.late &= ~use.lanes;
    const uint64_t time = worker.observer ? worker.observer->arrive_at_mbarrier(worker, use) : 0;
    for (uint32_t left = after_copies ? use.lanes : 0; left != 0; left &= left - 1) {
      const int thread = worker.thread(use.first_lane + std::countr_zero(left));
      worker.copies.arrive(thread, time);
      mbarrier.arrived.push_back({thread, worker.copies.started(thread)});
    }
    mbarrier.missing_bytes += bytes * std::popcount(use.lanes);
    if (mbarrier.missing_bytes > most_mbarrier_count)
      report_mbarrier(worker, use,
                      fmt::format("is to wait for {} bytes, and counts {} at most",
                                  mbarrier.missing_bytes, most_mbarrier_count));
    mbarrier.pending -= std::popcount(use.lanes);
    end_phase_if_complete(worker, use.mbarrier);
  }
}

}  // namespace

bool end_phase_if_complete(Worker& worker, uint32_t number) {
  Mbarrier& mbarrier = worker.mbarriers.of_block[number];
  if (mbarrier.pending != 0 || mbarrier.missing_bytes != 0) return false;
  end_copies_before_arrivals(worker, mbarrier);
  end_bulk_copies(worker, mbarrier);
  mbarrier.pending = mbarrier.count;
  ++mbarrier.phases;
  if (worker.observer) worker.observer->end_phase(number);
  worker.wake();
  return true;
}

void arrive_mbarrier(Worker& worker, const Instruction& instruction) {
  const MbarrierDetail& detail = detail_of(worker, instruction);
  const auto& arrival = *llvm::cast<Instr>(worker.program.statements[detail.statement]);
  const bool after_copies = arrival.constants[0] != 0 && worker.program.has_async_copies;
  for_mbarrier_uses(worker, detail,
                    [&](const MbarrierUse& use) { arrive(worker, use, after_copies); });
}

void expect_bytes(Worker& worker, const Instruction& instruction) {
  const MbarrierDetail& detail = detail_of(worker, instruction);
  const auto& expect = *llvm::cast<Instr>(worker.program.statements[detail.statement]);
  for_mbarrier_uses(worker, detail, [&](const MbarrierUse& use) {
    arrive(worker, use, false, expect.constants[0]);
  });
}

// ---- Waits --------------------------------------------------------------------------------------

namespace {

/// The lanes of the use that a wait lets pass, a bit each.
uint32_t lanes_to_pass(Worker& worker, const Instruction& instruction, const MbarrierUse& use) {
  const auto* parities = worker.at<int64_t>(instruction.operands[0]);
  const Mbarrier& mbarrier = find_mbarrier(worker, use);
  uint32_t lanes = 0;
  for (uint32_t left = use.lanes; left != 0; left &= left - 1) {
    const int lane = use.first_lane + std::countr_zero(left);
    const int64_t parity = parities[lane];
    if (parity != 0 && parity != 1)
      report_lane(worker, lane, detail_of(worker, instruction).statement,
                  fmt::format("the parity of a phase is 0 or 1, and not {}", parity));
    if (mbarrier.has_ended(parity)) lanes |= left & -left;
  }
  return lanes;
}

/// The warps of the group that have to wait, a bit each: those with a lane whose phase goes on.
uint32_t warps_to_wait(Worker& worker, const Instruction& instruction) {
  const auto* parities = worker.at<int64_t>(instruction.operands[0]);
  uint32_t warps = 0;
  for_mbarrier_uses(worker, detail_of(worker, instruction), [&](const MbarrierUse& use) {
    const uint32_t waiting = use.lanes & ~lanes_to_pass(worker, instruction, use);
    if (waiting == 0) return;
    const int lane = use.first_lane + std::bit_width(waiting) - 1;
    warps |= uint32_t{1} << use.first_lane / warp_lanes;
    worker.mbarriers.waits[worker.thread(lane) / warp_lanes] = {instruction.detail, use.mbarrier,
                                                                use.element, parities[lane]};
  });
  return warps;
}

/// The lanes where warps that have to wait follow on warps that do not, or the reverse.
llvm::SmallVector<int, 8> changes(const Worker& worker, uint32_t warps) {
  llvm::SmallVector<int, 8> starts;
  for (int warp = 1; warp * warp_lanes < worker.lanes; ++warp)
    if ((warps >> warp & 1) != (warps >> (warp - 1) & 1)) starts.push_back(warp * warp_lanes);
  return starts;
}

}  // namespace

void test_mbarrier(Worker& worker, const Instruction& instruction) {
  auto* flags = worker.at<uint8_t>(instruction.destination);
  for_mbarrier_uses(worker, detail_of(worker, instruction), [&](MbarrierUse use) {
    const uint32_t tested = use.lanes;
    use.lanes = lanes_to_pass(worker, instruction, use);
    for (uint32_t left = tested; left != 0; left &= left - 1) {
      const int place = std::countr_zero(left);
      flags[use.first_lane + place] = use.lanes >> place & 1;
    }
    if (use.lanes != 0 && worker.observer) worker.observer->pass_mbarrier(worker, use);
  });
}

void wait_mbarrier(Worker& worker, const Instruction& instruction) {
  const uint32_t warps = warps_to_wait(worker, instruction);
  if (warps == 0) {
    if (worker.observer)
      for_mbarrier_uses(worker, detail_of(worker, instruction), [&](const MbarrierUse& use) {
        worker.observer->pass_mbarrier(worker, use);
      });
    return;
  }
  const auto starts = changes(worker, warps);
  if (starts.empty()) return worker.wait_at_mbarrier(instruction);
  worker.next = &instruction;
  worker.part(starts);
}

}  // namespace hone

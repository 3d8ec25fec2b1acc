#include "runtime/ptx/check/checker.h"

#include <algorithm>

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"
#include "runtime/ptx/check/words.h"
#include "runtime/ptx/machine/control.h"
#include "runtime/ptx/machine/exchange.h"
#include "runtime/ptx/machine/unset.h"

namespace hone::ptx {
namespace {

using Kind = MemoryDetail::Kind;

bool orders_parts(const Program& program, const Op& op) {
  if (op.execute == run_warp_barrier || op.execute == run_fence) return true;
  if (op.execute != run_barrier) return false;
  const BarrierDetail& detail = program.barriers[op.detail];
  return detail.threads.exists() || detail.kind == BarrierDetail::Kind::arrive;
}

}  // namespace

WatchPlan watch_plan(const Program& program) {
  WatchPlan plan;
  for (const MemoryDetail& detail : program.memory) {
    plan.granule = std::min<int64_t>(plan.granule, detail.bytes);
    plan.has_fences |= detail.acquires || detail.releases;
  }
  for (const Code& code : program.codes)
    for (const Op& op : code.ops) {
      plan.is_by_warp |= orders_parts(program, op);
      plan.has_fences |= op.execute == run_fence;
    }
  plan.is_by_warp |= plan.has_fences;
  return plan;
}

Checker::Checker(Checkers& state, Block& block)
    : state_(state),
      block_(block),
      clocks_(static_cast<int>(block.run.threads()), state.plan.is_by_warp),
      shared_(block.shared.size() / state.plan.granule + 1),
      shared_set_(block.shared.size()) {
  clocks_.begin();
}

// ---- Accesses -----------------------------------------------------------------------------------

void Checker::access(const MemoryAccess& access) {
  if (access.space == Space::shared && !is_of_other_block(access))
    watch(access, shared_, 0);
  else if (access.space == Space::global && !access.detail.is_non_coherent)
    watch(access, global_, 0);
  follow_values(access);
  if (state_.plan.has_fences && access.detail.is_strong && access.space != Space::local)
    order_by_flags(access);
}

template <class Shadow>
void Checker::watch(const MemoryAccess& access, Shadow& shadow, int64_t origin) {
  if (clocks_.agents() == 1)
    return watch(access, shadow, origin, BlockClock(clocks_, access.number));
  watch(access, shadow, origin, WarpClocks{clocks_, access.number, others_});
}

/// Strong reads meet weak writes alone, and nobody has to know of them.
template <class Clock>
Stamp Checker::record(const MemoryAccess& access, ShadowCell& cell, int thread,
                      const Clock& clock) {
  const Stamp mine = clock.stamp(thread);
  const auto order = clock.order_of(thread);
  const MemoryDetail& detail = access.detail;
  if (detail.kind == Kind::load && detail.is_strong)
    return meet(cell.write, mine, order) ? cell.write : Stamp();
  if (detail.kind == Kind::load) return cell.record_read(mine, order, clock.more_of(cell));
  if (detail.is_strong) return cell.record_update(mine, order, clock.more_of(cell));
  return cell.record_write(mine, order, clock.more_of(cell));
}

template <class Shadow, class Clock>
void Checker::watch(const MemoryAccess& access, Shadow& shadow, int64_t origin,
                    const Clock& clock) {
  const int64_t granule = state_.plan.granule, bytes = access.detail.all_bytes();
  const bool changes = access.space == Space::global && access.detail.kind == Kind::store;
  for_each_lane(access.lanes, [&](int lane) {
    const auto address = static_cast<int64_t>(access.address[lane]) - origin;
    Stamp other;
    for (int64_t cell = address / granule; cell < (address + bytes) / granule; ++cell) {
      ShadowCell& known = shadow[cell];
      const Stamp met = record(access, known, access.warp.thread(lane), clock);
      if (changes) known.is_set |= !writes_same_value(access, lane, Stamp());
      if (met.exists()) other = met;
    }
    if (other.exists()) report_race(access, lane, other);
  });
}

// ---- Order --------------------------------------------------------------------------------------

void Checker::synchronise(Block&, llvm::ArrayRef<LaneMask> lanes_by_warp) {
  if (clocks_.agents() == 1) return clocks_.join(1);
  WarpBits warps = 0;
  for (size_t n = 0; n < lanes_by_warp.size(); ++n)
    if (lanes_by_warp[n] != 0) warps |= WarpBits{1} << n;
  clocks_.join(warps);
}

void Checker::synchronise(Warp& warp, LaneMask lanes) {
  if (clocks_.agents() == 1) return;
  if ((warp.live & ~lanes) == 0) return clocks_.join(WarpBits{1} << warp.number);
  Clocks::Floors floors;
  clocks_.release(warp.number, lanes, floors);
  clocks_.acquire(warp.number, lanes, floors);
}

void Checker::fence(Warp& warp) { clocks_.release(warp.number, warp.active, fenced_); }

/// In the block, a flag orders what was before it. Other blocks see what was fenced.
void Checker::order_by_flags(const MemoryAccess& access) {
  const int agent = access.warp.number;
  const bool writes = access.detail.kind != Kind::load, reads = access.detail.kind != Kind::store;
  if (access.detail.releases) fence(access.warp);
  for_each_lane(access.lanes, [&](int lane) {
    const uint64_t location =
        access.address[lane] + (access.space == Space::shared ? window::shared : 0);
    Clocks::Floors& flag = flags_[location];
    const LaneMask bit = LaneMask{1} << lane;
    if (reads) clocks_.acquire(agent, bit, flag);
    if (reads) state_.publications.acquire(location, block_.number, clocks_);
    if (writes) clocks_.release(agent, bit, flag);
    if (writes) state_.publications.release(location, block_.number, fenced_);
  });
}

// ---- Values -------------------------------------------------------------------------------------

bool Checker::is_set(const MemoryAccess& access, int lane, int64_t byte, int64_t bytes) const {
  const auto all = [&](const uint8_t* flags, uint8_t set) {
    return std::all_of(flags, flags + bytes, [&](uint8_t flag) { return flag == set; });
  };
  const uint64_t address = access.address[lane] + byte;
  if (access.space == Space::shared)
    return is_of_other_block(access) || all(shared_set_.data() + address, 1);
  if (access.space == Space::local)
    return all(access.warp.local_set.data() + lane * access.warp.local_stride + address, 1);
  const Allocation* const allocation = access.warp.block->run.module.memory().find(address);
  return !allocation || allocation->unset.empty() ||
         all(allocation->unset.data() + (address - allocation->address), 0);
}

void Checker::mark(const MemoryAccess& access, int lane, int64_t byte, int64_t bytes, bool is_set) {
  const uint64_t address = access.address[lane] + byte;
  if (access.space == Space::shared) {
    if (!is_of_other_block(access)) std::fill_n(shared_set_.data() + address, bytes, is_set);
  } else if (access.space == Space::local) {
    std::fill_n(access.warp.local_set.data() + lane * access.warp.local_stride + address, bytes,
                is_set);
  } else if (Allocation* const allocation = access.warp.block->run.module.memory().find(address);
             allocation && !allocation->unset.empty()) {
    std::fill_n(allocation->unset.data() + (address - allocation->address), bytes, !is_set);
  }
}

void Checker::load_values(const MemoryAccess& access) {
  const MemoryDetail& detail = access.detail;
  const llvm::ArrayRef<Ref> results =
      detail.kind == Kind::load ? llvm::ArrayRef<Ref>(detail.values) : detail.results;
  for (size_t n = 0; n < detail.values.size(); ++n) {
    LaneMask unset = 0;
    for_each_lane(access.lanes, [&](int lane) {
      const bool holds = is_set(access, lane, static_cast<int64_t>(n) * detail.bytes, detail.bytes);
      unset |= LaneMask{!holds} << lane;
    });
    if (n < results.size()) mark_unset(access.warp, results[n], unset, access.number);
    if (detail.kind == Kind::atomic && unset != 0)
      report_unset(access.warp, access.number, std::countr_zero(unset), "is updated");
  }
}

/// Nobody gets what global memory holds without a value but by an access to it.
void Checker::store_values(const MemoryAccess& access) {
  const MemoryDetail& detail = access.detail;
  for (size_t n = 0; n < detail.values.size(); ++n) {
    const LaneMask unset = unset_lanes(access.warp, detail.values[n]) & access.lanes;
    for_each_lane(access.lanes, [&](int lane) {
      mark(access, lane, static_cast<int64_t>(n) * detail.bytes, detail.bytes,
           (unset >> lane & 1) == 0);
    });
    if (unset != 0 && access.space == Space::global)
      report_unset(access.warp, origin_of_unset(access.warp, detail.values[n]),
                   std::countr_zero(unset), "is written to global memory");
  }
}

void Checker::follow_values(const MemoryAccess& access) {
  if (access.space == Space::param || access.space == Space::constant) return;
  if (access.detail.kind != Kind::store) load_values(access);
  if (access.detail.kind != Kind::load) store_values(access);
}

void Checker::use(Warp& warp, Ref ref, LaneMask lanes, const char* how) {
  report_unset(warp, origin_of_unset(warp, ref), std::countr_zero(lanes), how);
}

void Checker::use_address(Warp& warp, Ref ref) {
  if (const LaneMask unset = unset_lanes(warp, ref) & warp.active)
    use(warp, ref, unset, "is an address");
}

void Checker::end_block(Block& block) {
  state_.grid.add(block.number, global_,
                  [&](int64_t granule, GridStamp other, GridStamp mine, bool same_value) {
                    report_grid_race(block, granule, other, mine, same_value);
                  });
}

// ---- The launch ---------------------------------------------------------------------------------

void Checkers::watch(Block& block) {
  block.observer = std::make_unique<Checker>(*this, block);
  for (Warp& warp : block.warps) warp.local_set.assign(warp.local.size(), 0);
}

void Checkers::finish(Report& report) { findings.move_to(report.findings); }

std::unique_ptr<CheckState> make_check_state(const Run& run) {
  return std::make_unique<Checkers>(run);
}

}  // namespace hone::ptx

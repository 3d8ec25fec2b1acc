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

WatchPlan watch_plan(const Run& run) {
  const Program& program = run.program;
  WatchPlan plan;
  plan.has_clusters = run.cluster_blocks() > 1;
  plan.has_engines = !program.copies.empty() || !program.warpgroup_products.empty();
  for (const MemoryDetail& detail : program.memory) {
    plan.has_engines |= detail.is_mbarrier;
    plan.granule = std::min<int64_t>(plan.granule, detail.bytes);
    plan.has_fences |= detail.acquires || detail.releases;
  }
  for (const Code& code : program.codes)
    for (const Op& op : code.ops) {
      plan.is_by_warp |= orders_parts(program, op);
      plan.has_fences |= op.execute == run_fence;
    }
  plan.is_by_warp |= plan.has_fences || plan.has_engines || plan.has_clusters;
  return plan;
}

namespace {

/// The engines are an agent behind the warps, and then comes each block of the cluster.
int threads_of(const Block& block, const WatchPlan& plan) {
  if (!plan.has_engines && !plan.has_clusters) return static_cast<int>(block.run.threads());
  const int64_t others = plan.has_clusters ? block.run.cluster_blocks() : 0;
  return static_cast<int>(static_cast<int64_t>(block.warps.size()) + 1 + others) * lanes;
}

}  // namespace

Checker::Checker(Checkers& state, Block& block)
    : state_(state),
      block_(block),
      clocks_(threads_of(block, state.plan), state.plan.is_by_warp),
      shared_(block.shared.size() / state.plan.granule + 1),
      epochs_(clocks_.agents()) {
  clocks_.begin();
}

// ---- Accesses -----------------------------------------------------------------------------------

void Checker::access(const MemoryAccess& access) {
  unset_.fill(0);
  if (access.space == Space::shared && is_of_other_block(access))
    watch_cluster(access);
  else if (access.space == Space::shared)
    watch(access, shared_);
  else if (access.space == Space::global && !access.detail.is_non_coherent)
    watch(access, global_);
  follow_values(access);
  if (state_.plan.has_fences && access.detail.is_strong && !access.detail.is_mbarrier &&
      access.space != Space::local)
    order_by_flags(access);
}

template <class Shadow>
void Checker::watch(const MemoryAccess& access, Shadow& shadow) {
  if (!state_.plan.is_by_warp) return watch(access, shadow, BlockClock(clocks_, access.number));
  watch(access, shadow, WarpClocks{clocks_, access.number, others_});
}

/// Lanes of a warp that count on running in step are told so.
/// The volatile write of another lane of the warp, which nothing orders before this read.
template <class Order>
Stamp Checker::lockstep_write(const ShadowCell& cell, Stamp mine, const Order& order) const {
  static const StampSet::Others none;
  const Stamp write = cell.updates.meeting(mine, order, &none);
  const bool is_of_warp = write.exists() && write.lane() / lanes == mine.lane() / lanes;
  return is_of_warp && block_.run.program.memory[write.access()].is_volatile ? write : Stamp();
}

template <class Clock>
Stamp Checker::record(const MemoryAccess& access, ShadowCell& cell, int thread,
                      const Clock& clock) {
  const Stamp mine = clock.stamp(thread);
  const auto order = clock.order_of(thread);
  const MemoryDetail& detail = access.detail;
  if (detail.kind == Kind::load && detail.is_strong) {
    const Stamp write = cell.record_look(mine, order, clock.more_of(cell));
    if (write.exists()) return write;
    return detail.is_volatile ? lockstep_write(cell, mine, order) : Stamp();
  }
  if (detail.kind == Kind::load) return cell.record_read(mine, order, clock.more_of(cell));
  if (detail.is_strong) return cell.record_update(mine, order, clock.more_of(cell));
  return cell.record_write(mine, order, clock.more_of(cell));
}

namespace {

/// Of lanes that read one place, two are all that a cell remembers, where the block is one agent.
LaneMask lanes_that_count(const MemoryAccess& access, bool is_one_agent) {
  if (!is_one_agent || !access.is_uniform || access.detail.kind != Kind::load) return access.lanes;
  return 1u << std::countr_zero(access.lanes) | 1u << (31 - std::countl_zero(access.lanes));
}

}  // namespace

/// The access takes the place of one from before its agent read a flag: other blocks may have to be
/// told of that one.
bool Checker::is_of_past_epoch(const MemoryAccess& access, const ShadowCell& cell) const {
  if (!state_.plan.has_fences || access.detail.is_strong) return false;
  const Stamp known = access.detail.kind == Kind::store ? cell.write : cell.reads.first;
  return known.exists() && known.interval() < epochs_[clocks_.agent_of(known.lane())];
}

namespace {

/// The bytes of a granule that a lane stores, of one of its values.
uint32_t stored_value(const MemoryAccess& access, int lane, size_t value, int64_t first,
                      int64_t granule) {
  const MemoryDetail& detail = access.detail;
  const std::byte* const bytes = access.warp.at<std::byte>(detail.values[value]) +
                                 static_cast<int64_t>(lane) * detail.register_bytes;
  uint32_t stored = 0;
  std::memcpy(&stored, bytes + first, granule);
  return stored;
}

/// Several values of a block are known by what it writes alone: others write there at any time.
void note_value(ShadowCell& cell, bool is_first, std::optional<uint32_t> value) {
  cell.is_set |= !value || (!is_first && *value != cell.value);
  cell.value = value.value_or(0);
}

}  // namespace

template <class Shadow, class Clock>
void Checker::watch(const MemoryAccess& access, Shadow& shadow, const Clock& clock) {
  const int64_t moved = access.detail.moved;
  const int64_t granule = state_.plan.granule,
                cells = std::max<int64_t>((moved > 0 ? moved : access.detail.bytes) / granule, 1);
  const size_t values = moved > 0 ? 1 : access.detail.values.size();
  const bool is_store = access.detail.kind == Kind::store;
  const bool is_shared = access.space == Space::shared;
  for_each_lane(lanes_that_count(access, Clock::is_one_agent), [&](int lane) {
    int64_t cell = static_cast<int64_t>(access.address[lane]) / granule;
    Stamp other;
    for (size_t n = 0; n < values; ++n)
      for (int64_t part = 0; part < cells; ++part, ++cell) {
        ShadowCell& known = shadow[cell];
        const bool is_first = !known.write.exists();
        if (!is_shared && is_of_past_epoch(access, known)) add_to_grid(cell, known);
        const Stamp under_way = known.is_under_way ? known.write : Stamp();
        const Stamp met = record(access, known, access.warp.thread(lane), clock);
        if (is_shared && !is_store && !known.is_set) unset_[n] |= LaneMask{1} << lane;
        if (!is_shared && is_store)
          note_value(known, is_first,
                     moved > 0
                         ? std::nullopt
                         : std::optional(stored_value(access, lane, n, part * granule, granule)));
        if (met.exists() || under_way.exists()) other = met.exists() ? met : under_way;
      }
    if (other.exists()) report_race(access, lane, other, access.address[lane]);
  });
  if (access.is_uniform && unset_[0] != 0) unset_[0] = access.lanes;
}

// ---- Order --------------------------------------------------------------------------------------

void Checker::synchronise(Block&, llvm::ArrayRef<LaneMask> lanes_by_warp) {
  if (clocks_.agents() == 1) return clocks_.join(1);
  WarpBits warps = 0;
  for (size_t n = 0; n < lanes_by_warp.size(); ++n)
    if (lanes_by_warp[n] != 0) warps |= WarpBits{1} << n;
  clocks_.join(warps);
  for (size_t n = 0; n < lanes_by_warp.size() && state_.plan.has_fences; ++n)
    if (lanes_by_warp[n] != 0)
      learn(static_cast<int>(n), clocks_.warp_order(static_cast<int>(n) * lanes).floors);
}

void Checker::learn(int agent, const uint64_t* floors) {
  if (state_.publications.learn(block_.number, agent, floors, clocks_))
    epochs_[agent] = clocks_.time(agent);
}

/// The lanes come behind what is below the floors.
void Checker::acquire(int agent, LaneMask lanes, const Clocks::Floors& floors) {
  clocks_.acquire(agent, lanes, floors);
  if (state_.plan.has_fences && !floors.empty()) learn(agent, floors.data());
}

void Checker::synchronise(Warp& warp, LaneMask lanes) {
  if (!state_.plan.is_by_warp) return;
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
    const bool is_shared = access.space == Space::shared;
    if (is_shared && state_.plan.has_clusters)
      order_others(access, lane, shared_place(block_, access.address[lane]));
    const uint64_t location = access.address[lane] + (is_shared ? window::shared : 0);
    Clocks::Floors& flag = flags_[location];
    const LaneMask bit = LaneMask{1} << lane;
    if (reads) acquire(agent, bit, flag);
    const auto warps = static_cast<int>(block_.warps.size());
    if (reads && state_.publications.acquire(location, block_.number, agent, warps, clocks_))
      epochs_[agent] = clocks_.time(agent);
    if (writes) clocks_.release(agent, bit, flag);
    if (writes)
      state_.publications.release(location, block_.number, access.warp.thread(lane), fenced_,
                                  clocks_);
  });
}

// ---- Values -------------------------------------------------------------------------------------

namespace {

/// The flags of the bytes of a lane, of memory other than shared; null where all hold values.
uint8_t* flags_of(const MemoryAccess& access, int lane) {
  const uint64_t address = access.address[lane];
  if (access.space == Space::local)
    return access.warp.local_set.data() + lane * access.warp.local_stride + address;
  Allocation* const allocation = access.allocation
                                     ? const_cast<Allocation*>(access.allocation)
                                     : access.warp.block->run.module.memory().find(address);
  if (!allocation || allocation->unset.empty()) return nullptr;
  return allocation->unset.data() + (address - allocation->address);
}

/// In local memory the flags say what is set, in global memory what is not.
bool flag_of_set(const MemoryAccess& access) { return access.space == Space::local; }

bool has_flags(const MemoryAccess& access) {
  return access.space == Space::local || !access.allocation || !access.allocation->unset.empty();
}

}  // namespace

LaneMask Checker::unset_of(const MemoryAccess& access, size_t value) const {
  if (access.space == Space::shared) return unset_[value];
  if (!has_flags(access)) return 0;
  LaneMask unset = 0;
  const int64_t bytes = access.detail.bytes;
  for_each_lane(access.lanes, [&](int lane) {
    const uint8_t* const flags = flags_of(access, lane);
    const auto is_unset = [&](uint8_t flag) { return (flag != 0) != flag_of_set(access); };
    if (flags && std::any_of(flags + value * bytes, flags + (value + 1) * bytes, is_unset))
      unset |= LaneMask{1} << lane;
  });
  return unset;
}

void Checker::mark(const MemoryAccess& access, size_t value, LaneMask unset) {
  const int64_t bytes = access.detail.bytes;
  if (access.space != Space::shared && !has_flags(access)) return;
  for_each_lane(access.lanes, [&](int lane) {
    const bool is_set = (unset >> lane & 1) == 0;
    if (access.space != Space::shared) {
      if (uint8_t* const flags = flags_of(access, lane))
        std::fill_n(flags + value * bytes, bytes, is_set == flag_of_set(access));
      return;
    }
    const int64_t granule = state_.plan.granule;
    const auto first = static_cast<int64_t>(access.address[lane] + value * bytes) / granule;
    for (int64_t cell = first; cell < first + bytes / granule; ++cell)
      shared_[cell].is_set = is_set;
  });
}

void Checker::load_values(const MemoryAccess& access) {
  const MemoryDetail& detail = access.detail;
  const llvm::ArrayRef<Ref> results =
      detail.kind == Kind::load ? llvm::ArrayRef<Ref>(detail.values) : detail.results;
  for (size_t n = 0; n < detail.values.size(); ++n) {
    const LaneMask unset = unset_of(access, n);
    if (n < results.size()) mark_unset(access.warp, results[n], access.lanes, unset, access.number);
    if (detail.kind == Kind::atomic && unset != 0)
      report_unset(access.warp, access.number, std::countr_zero(unset), "is updated");
  }
}

void Checker::store_values(const MemoryAccess& access) {
  const MemoryDetail& detail = access.detail;
  for (size_t n = 0; n < detail.values.size(); ++n) {
    const LaneMask unset = unset_lanes(access.warp, detail.values[n]) & access.lanes;
    const uint32_t origin = unset != 0 ? origin_of_unset(access.warp, detail.values[n]) : 0;
    mark(access, n, is_of_product(origin) ? 0 : unset);
    if (unset == 0) continue;
    if (access.space == Space::global)
      report_unset(access.warp, origin, std::countr_zero(unset), "is written to global memory");
    else if (access.space == Space::shared && is_of_product(origin))
      report_unset(access.warp, origin, std::countr_zero(unset), "is written to shared memory");
  }
}

/// Elements of other blocks of the cluster hold a value once they are written.
void Checker::mark_in_cluster(const MemoryAccess& access) {
  for_each_lane(access.lanes, [&](int lane) {
    mark_set(shared_place(block_, access.address[lane]), access.detail.all_bytes(), true);
  });
}

void Checker::follow_values(const MemoryAccess& access) {
  if (access.space == Space::param || access.space == Space::constant) return;
  if (access.detail.moved > 0) return;
  if (is_of_other_block(access)) {
    if (access.detail.kind != Kind::load) mark_in_cluster(access);
    return;
  }
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

void Checker::add_to_grid(int64_t granule, const ShadowCell& cell) {
  state_.grid.add(block_.number, granule, cell,
                  [&](int64_t at, GridStamp other, GridStamp mine, bool same_value) {
                    report_grid_race(block_, at, other, mine, same_value);
                  });
}

void Checker::end_block(Block& block) {
  if (block.has_ended()) report_use_of_ended();
  global_.for_each([&](int64_t granule, const ShadowCell& cell) { add_to_grid(granule, cell); });
}

// ---- The launch ---------------------------------------------------------------------------------

void Checkers::watch(Block& block) {
  block.observer = std::make_unique<Checker>(*this, block);
  for (Warp& warp : block.warps) warp.local_set.assign(warp.local.size(), 0);
}

std::unique_ptr<LaunchObserver> make_checker(const Run& run) {
  return std::make_unique<Checkers>(run);
}

}  // namespace hone::ptx

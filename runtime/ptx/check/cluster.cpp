// Shared memory that the blocks of a cluster use together. To the clocks of a block each other one
// is an agent: its accesses come behind its earlier ones, and a barrier of the cluster, an mbarrier
// or a flag orders them with those of the block. Where in doubt, they count as ordered.

#include "fmt/format.h"
#include "runtime/ptx/check/checker.h"
#include "runtime/sim/finding.h"

namespace hone::ptx {

template <class Use>
void Checker::for_others(const Use& use) {
  for (const auto& other : block_.team.blocks)
    if (other.get() != &block_ && other->is_in_cluster_of(block_)) use(checker_of(*other));
}

// ---- Accesses -----------------------------------------------------------------------------------

void Checker::watch_cluster(const MemoryAccess& access) {
  for_each_lane(access.lanes, [&](int lane) {
    const Found place = shared_place(block_, access.address[lane]);
    checker_of(*place.owner).watch_lane(access, lane, place);
  });
}

namespace {

/// The clock of another block, which orders its own accesses.
struct OtherBlockClock : WarpClocks {
  Clocks::Floors floors;

  OtherBlockClock(const WarpClocks& clock, int agent)
      : WarpClocks(clock), floors(clock.clocks.agents()) {
    const WarpOrder known = clocks.warp_order(agent * lanes);
    std::copy_n(known.floors, floors.size(), floors.begin());
    floors[agent] = ~uint64_t{0};
  }
  WarpOrder order_of(int) const { return {floors.data(), clocks.shift()}; }
};

}  // namespace

/// An access to memory of this block, by a lane of it or of another.
void Checker::watch_lane(const MemoryAccess& access, int lane, const Found& place) {
  const WarpClocks clock = {clocks_, access.number, others_};
  if (access.warp.block == &block_)
    return watch_lane(access, lane, place, access.warp.thread(lane), clock);
  const int agent = agent_of_block(*access.warp.block), thread = agent * lanes + lane;
  const Stamp mine = clock.stamp(thread);
  starters_[starter_key(mine)] = access.warp.thread(lane);
  uses_by_others_[agent] = mine;
  watch_lane(access, lane, place, thread, OtherBlockClock(clock, agent));
}

template <class Clock>
void Checker::watch_lane(const MemoryAccess& access, int lane, const Found& place, int thread,
                         const Clock& clock) {
  Stamp other;
  const auto [first, end] = cells_of(place, access.detail.all_bytes());
  for (int64_t cell = first; cell < end; ++cell)
    if (const Stamp met = record(access, shared_[cell], thread, clock); met.exists()) other = met;
  if (other.exists()) report_race(access, lane, other, place.address);
}

// ---- Order --------------------------------------------------------------------------------------

/// A barrier of the cluster, as a flag that orders what blocks do in global memory.
uint64_t Checker::cluster_location() const {
  constexpr uint64_t barriers = window::function + window::size;
  const auto cluster = static_cast<uint64_t>(block_.team.peer(block_, 0)->number);
  constexpr int phase_bits = 20;
  const uint64_t phase = static_cast<uint64_t>(block_.cluster_phase) & ((1u << phase_bits) - 1);
  return barriers + (cluster << phase_bits | phase);
}

void Checker::publish_to_cluster() {
  clocks_.join((WarpBits{1} << block_.warps.size()) - 1);
  Clocks::Floors floors;
  for (int warp = 0; warp < engine_agent(); ++warp) clocks_.release(warp, all_lanes, floors);
  state_.publications.release(cluster_location(), block_.number, 0, floors, clocks_);
}

/// The first block publishes for all, as each of them learns what all have done.
void Checker::synchronise_cluster(llvm::ArrayRef<LaneMask> lanes_by_warp) {
  const uint64_t location = cluster_location();
  if (block_.rank == 0) {
    publish_to_cluster();
    for_others([](Checker& other) { other.publish_to_cluster(); });
  }
  WarpBits agents = 0;
  for (size_t n = 0; n < lanes_by_warp.size(); ++n) agents |= WarpBits{lanes_by_warp[n] != 0} << n;
  for (int agent = first_other(); agent < clocks_.agents(); ++agent) agents |= WarpBits{1} << agent;
  clocks_.join(agents);
  // All agents come behind it at once.
  if (state_.publications.acquire(location, block_.number, 0, 0, clocks_))
    for (int agent = 0; agent < clocks_.agents(); ++agent) epochs_[agent] = clocks_.time(agent);
}

/// This block learns what the others have told, and what they know of each other.
void Checker::hear_others() {
  for_others([&](Checker& other) {
    Clocks::Floors floors = other.exported_;
    floors.resize(other.clocks_.agents());
    for (int agent = other.first_other(); agent < other.clocks_.agents(); ++agent)
      other.clocks_.release(agent, all_lanes, floors);
    other.clocks_.acquire(other.agent_of_block(block_), all_lanes, floors);
  });
}

/// A flag in shared memory orders blocks, too.
void Checker::order_others(const MemoryAccess& access, int lane, const Found& place) {
  if (access.detail.kind != MemoryDetail::Kind::store) hear_others();
  if (access.detail.kind != MemoryDetail::Kind::load)
    clocks_.release(access.warp.number, LaneMask{1} << lane, exported_);
  if (place.owner == &block_) return;
  Checker& home = checker_of(*place.owner);
  Clocks::Floors& flag = home.flags_[place.address + window::shared];
  home.clocks_.acquire(home.agent_of_block(block_), all_lanes, flag);
  home.clocks_.release(home.agent_of_block(block_), all_lanes, flag);
}

// ---- The end ------------------------------------------------------------------------------------

/// A thread of the block knows that it is.
bool Checker::is_over(Stamp use) const {
  for (int thread = 0; thread < static_cast<int>(block_.run.threads()); ++thread)
    if (clocks_.warp_order(thread).is_past(use)) return true;
  return false;
}

void Checker::report_use_of_ended() {
  for (const auto& [agent, use] : uses_by_others_) {
    if (is_over(use)) continue;
    const Place place = block_.run.program.memory[use.access()].place;
    block_.run.findings.add(FindingKind::ended_block, place, place, [&, use = use] {
      Report::Finding finding;
      finding.kind = FindingKind::ended_block;
      finding.what = fmt::format("block {} may have ended, whose shared memory another one uses",
                                 triple(block_.index));
      finding.cause = "cluster.sync() has to come behind the last access.";
      finding.sites = {site_of(use, block_)};
      return finding;
    });
  }
}

}  // namespace hone::ptx

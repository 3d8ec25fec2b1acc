// Asynchronous operations and mbarriers in check mode. The engines are one agent more, behind the
// warps of the block; each operation has two times of its clock, for what it reads and for what it
// writes. Who has waited for it knows these.

#include "runtime/ptx/check/checker.h"

namespace hone::ptx {
namespace {

/// The first stamp of a time.
uint64_t floor_at(uint64_t time) { return Stamp::of(time, 0, 0).bits; }

LaneMask bit(int lane) { return LaneMask{1} << lane; }

void raise(Clocks::Floors& floors, const Clocks::Floors& others) {
  floors.resize(std::max(floors.size(), others.size()));
  for (size_t n = 0; n < others.size(); ++n) floors[n] = std::max(floors[n], others[n]);
}

}  // namespace

/// The checker of another block of the cluster, or of this one.
Checker& Checker::checker_of(const Block& owner) {
  return &owner == &block_ ? *this : static_cast<Checker&>(*owner.observer);
}

// ---- Times --------------------------------------------------------------------------------------

/// The operation is asked for in this block; `home` is where it writes.
Checker& Checker::home_of(const AsyncOperation& operation) {
  if (operation.is_of_warp) return *this;
  const Found& to = operation.pieces.empty() ? operation.mbarrier : operation.pieces.front().to;
  return to.owner ? checker_of(*to.owner) : *this;
}

void Checker::start(Warp& warp, int lane, AsyncOperation& operation) {
  auto known = std::make_shared<Clocks::Floors>();
  clocks_.release(warp.number, operation.is_of_warp ? warp.active : bit(lane), *known);
  Checker& home = home_of(operation);
  home.clocks_.tick(home.engine_thread(0));
  operation.time = home.clocks_.time(home.engine_agent());
  home.clocks_.tick(home.engine_thread(0));
  operation.known = std::move(known);
  if (!operation.detail) return;
  for (const uint32_t access : {operation.detail->reads, operation.detail->writes})
    home.starters_[starter_key(home.engine_stamp(operation, access, 0))] = operation.thread;
  for (const Piece& piece : operation.pieces) {
    if (piece.from.data) start_read(warp, lane, operation, piece);
    if (piece.to.data) home.start_write(operation, piece, &home == this);
  }
}

/// The order that a thread knows of which has waited for it.
Clocks::Floors Checker::floors_behind(const AsyncOperation& operation, bool writes) const {
  Clocks::Floors floors(clocks_.agents());
  floors[engine_agent()] = floor_at(operation.time + (writes ? 2 : 1));
  return floors;
}

void Checker::await(const AsyncOperation& operation, bool writes) {
  if (&home_of(operation) != this) return;
  const int agent = static_cast<int>(operation.thread) / lanes;
  const LaneMask waiting = operation.is_of_warp ? block_.warps[agent].active
                                                : bit(static_cast<int>(operation.thread) % lanes);
  acquire(agent, waiting, floors_behind(operation, writes));
}

// ---- Accesses -----------------------------------------------------------------------------------

std::pair<int64_t, int64_t> Checker::cells_of(const Found& place, int64_t bytes) const {
  const int64_t granule = state_.plan.granule;
  const auto first = static_cast<int64_t>(place.address);
  return {first / granule, (first + bytes + granule - 1) / granule};
}

/// Those that it has whole.
template <class Use>
void Checker::for_each_cell(const Found& place, int64_t bytes, const Use& use) {
  const int64_t granule = state_.plan.granule;
  const auto first = static_cast<int64_t>(place.address);
  for (int64_t cell = (first + granule - 1) / granule; cell < (first + bytes) / granule; ++cell)
    use(place.owner ? shared_[cell] : global_[cell], cell * granule);
}

/// Global memory is read at once: by the thread, as it were.
void Checker::start_read(Warp& warp, int lane, const AsyncOperation& operation,
                         const Piece& piece) {
  const bool is_shared = piece.from.owner != nullptr;
  if (is_shared && piece.from.owner != &block_) return;
  if (is_shared && &home_of(operation) != this) return;
  const uint32_t access = operation.detail->reads;
  const int thread = warp.thread(lane);
  const Stamp mine =
      is_shared ? engine_stamp(operation, access, operation.time) : clocks_.stamp(thread, access);
  const WarpOrder order = is_shared ? order_of(operation) : clocks_.warp_order(thread);
  const WarpClocks clock = {clocks_, access, others_};
  for_each_cell(piece.from, piece.bytes, [&](ShadowCell& cell, int64_t address) {
    const Stamp met = cell.record_read(mine, order, clock.more_of(cell));
    if (met.exists())
      report_engine_race(operation, access, met, piece.from.owner, address);
    else if (is_shared && operation.detail->is_bulk && lacks_fence(cell.write))
      report_missing_fence(operation, cell.write, address);
  });
}

/// Of a block that another one writes to, nothing is known about the order.
void Checker::start_write(const AsyncOperation& operation, const Piece& piece, bool is_own) {
  const uint32_t access = operation.detail->writes;
  const Stamp mine = engine_stamp(operation, access, operation.time + 1);
  const WarpClocks clock = {clocks_, access, others_};
  for_each_cell(piece.to, piece.bytes, [&](ShadowCell& cell, int64_t address) {
    const bool combines = operation.combine != nullptr;
    if (is_own) {
      const WarpOrder order = order_of(operation);
      const Stamp met = combines ? cell.record_update(mine, order, clock.more_of(cell))
                                 : cell.record_write(mine, order, clock.more_of(cell));
      if (met.exists()) report_engine_race(operation, access, met, piece.to.owner, address);
    } else {
      cell.write = mine;
    }
    if (piece.to.owner)
      cell.is_under_way = true;
    else
      cell.is_set = true;
  });
}

void Checker::end_writes(const AsyncOperation& operation) {
  Checker& home = home_of(operation);
  for (const Piece& piece : operation.pieces) {
    if (!piece.to.data) continue;
    home.copy_values(operation, piece);
    if (piece.to.owner)
      home.for_each_cell(piece.to, piece.bytes,
                         [](ShadowCell& cell, int64_t) { cell.is_under_way = false; });
  }
}

/// Bytes are set where those are that they come from.
void Checker::copy_values(const AsyncOperation& operation, const Piece& piece) {
  if (!piece.from.data || are_set(piece.from, piece.bytes))
    return mark_set(piece.to, piece.bytes, true);
  if (!piece.to.owner) report_unset_copy(operation, piece);
  for (int64_t byte = 0; byte < piece.bytes; ++byte)
    mark_set(piece.to.behind(byte), 1, are_set(piece.from.behind(byte), 1));
}

Stamp Checker::engine_stamp(const AsyncOperation& operation, uint32_t access, uint64_t time) const {
  return Stamp::of(time, access, engine_thread(static_cast<int>(operation.number % lanes)));
}

WarpOrder Checker::order_of(const AsyncOperation& operation) const {
  return {operation.known->data(), clocks_.shift()};
}

// ---- Values -------------------------------------------------------------------------------------

bool Checker::are_set(const Found& place, int64_t bytes) {
  if (place.owner) {
    Checker& home = checker_of(*place.owner);
    const auto [first, end] = home.cells_of(place, bytes);
    return std::all_of(home.shared_.begin() + first, home.shared_.begin() + end,
                       [](const ShadowCell& cell) { return cell.is_set; });
  }
  const Allocation* const allocation = block_.run.module.memory().find(place.address);
  if (!allocation || allocation->unset.empty()) return true;
  const auto first = static_cast<int64_t>(place.address - allocation->address);
  const uint8_t* const flags = allocation->unset.data() + first;
  return std::all_of(flags, flags + std::min(bytes, allocation->bytes - first),
                     [](uint8_t flag) { return flag == 0; });
}

void Checker::mark_set(const Found& place, int64_t bytes, bool is_set) {
  if (place.owner) {
    Checker& home = checker_of(*place.owner);
    const auto [first, end] = home.cells_of(place, bytes);
    for (int64_t cell = first; cell < end; ++cell) home.shared_[cell].is_set = is_set;
    return;
  }
  Allocation* const allocation = block_.run.module.memory().find(place.address);
  if (allocation && !allocation->unset.empty())
    std::fill_n(allocation->unset.data() + (place.address - allocation->address), bytes, !is_set);
}

// ---- Mbarriers ----------------------------------------------------------------------------------

/// From one block to another, it orders all that comes before in its own.
void Checker::arrive(Warp& warp, int lane, const Found& mbarrier) {
  Checker& home = checker_of(*mbarrier.owner);
  Phases& phases = home.phases_[mbarrier.address];
  const bool is_own = &home == this;
  clocks_.release(warp.number, bit(lane), is_own ? phases.at_hand : exported_);
  if (!is_own) home.clocks_.release(home.agent_of_block(block_), all_lanes, phases.at_hand);
  phases.has_others |= !is_own;
}

void Checker::arrive(const AsyncOperation& operation) {
  Checker& home = checker_of(*operation.mbarrier.owner);
  Phases& phases = home.phases_[operation.mbarrier.address];
  raise(phases.at_hand, home.floors_behind(operation, true));
  if (&home == this) raise(phases.at_hand, *operation.known);
  phases.has_others |= &home != this;
}

void Checker::end_phase(const Found& mbarrier) {
  Phases& phases = checker_of(*mbarrier.owner).phases_[mbarrier.address];
  raise(phases.ended, phases.at_hand);
  phases.have_ended_others |= phases.has_others;
}

void Checker::pass(Warp& warp, int lane, const Found& mbarrier) {
  Phases& phases = phases_[mbarrier.address];
  if (phases.have_ended_others) {
    raise(phases.ended, exported_);
    hear_others();
  }
  acquire(warp.number, bit(lane), phases.ended);
}

void Checker::fence_engines(Warp& warp) {
  clocks_.release(warp.number, warp.active, engine_fences_);
}

bool Checker::lacks_fence(Stamp write) const {
  if (!write.exists() || clocks_.agent_of(write.lane()) == engine_agent()) return false;
  const auto agent = static_cast<size_t>(clocks_.agent_of(write.lane()));
  return agent >= engine_fences_.size() || write.bits >= engine_fences_[agent];
}

}  // namespace hone::ptx

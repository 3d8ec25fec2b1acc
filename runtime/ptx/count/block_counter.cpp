#include "llvm/Support/ErrorHandling.h"
#include "runtime/ptx/count/counter.h"

namespace hone::ptx {
namespace {

using Kind = MemoryDetail::Kind;

AccessClass class_of(const MemoryDetail& detail, Space space) {
  const bool is_shared = space == Space::shared;
  if (detail.kind == Kind::load)
    return is_shared ? AccessClass::shared_load : AccessClass::global_load;
  if (detail.kind == Kind::store)
    return is_shared ? AccessClass::shared_store : AccessClass::global_store;
  return is_shared ? AccessClass::shared_atomic : AccessClass::global_atomic;
}

/// The place of the same accesses of the other memory.
size_t twin_of(AccessClass access_class) {
  switch (access_class) {
    case AccessClass::global_load:
      return static_cast<size_t>(AccessClass::shared_load);
    case AccessClass::global_store:
      return static_cast<size_t>(AccessClass::shared_store);
    case AccessClass::shared_load:
      return static_cast<size_t>(AccessClass::global_load);
    case AccessClass::shared_store:
      return static_cast<size_t>(AccessClass::global_store);
    case AccessClass::global_atomic:
      return static_cast<size_t>(AccessClass::shared_atomic);
    case AccessClass::shared_atomic:
      return static_cast<size_t>(AccessClass::global_atomic);
  }
  llvm_unreachable("an access is of some class");
}

/// Of one instruction of a warp, whose lanes move up to 16 bytes.
MemoryCounts counts_of(const WarpAccess& access, AccessClass access_class) {
  MemoryCounts counts;
  counts.requests = 1;
  counts.bytes = int64_t{std::popcount(access.active)} * access.width;
  if (!is_atomic(access_class)) counts.data_bytes = count_data_bytes(access);
  switch (access_class) {
    case AccessClass::shared_load:
    case AccessClass::shared_store:
    case AccessClass::shared_atomic: {
      const Wavefronts wavefronts = count_wavefronts(access);
      counts.wavefronts = wavefronts.actual;
      counts.ideal_wavefronts = wavefronts.ideal;
      break;
    }
    case AccessClass::global_load:
    case AccessClass::global_store:
      counts.sectors = count_sectors(access);
      counts.lines = count_lines(access);
      break;
    case AccessClass::global_atomic:
      break;
  }
  return counts;
}

/// Lanes that come to the shared memory of other blocks, which has units of its own.
LaneMask lanes_elsewhere(const MemoryAccess& access) {
  LaneMask elsewhere = 0;
  if (access.space != Space::shared) return elsewhere;
  for_each_lane(access.lanes, [&](int lane) {
    const uint64_t rank = access.address[lane] >> window::rank_shift;
    const bool is_own = rank == 0 || static_cast<int64_t>(rank) - 1 == access.warp.block->rank;
    elsewhere |= LaneMask{!is_own} << lane;
  });
  return elsewhere;
}

/// Mbarriers have units of their own, too, and so have textures and surfaces.
bool is_counted(const MemoryAccess& access) {
  return (access.space == Space::shared || access.space == Space::global) &&
         !access.detail.is_mbarrier && !access.detail.is_of_image;
}

/// Lanes of an access, at most 16 bytes of each from `moved` on.
WarpAccess part_of(const MemoryAccess& access, LaneMask active, int64_t moved) {
  WarpAccess part;
  part.active = active;
  part.width = static_cast<int>(std::min<int64_t>(access.detail.all_bytes(), widest_access));
  for (int lane = 0; lane < lanes; ++lane)
    part.addresses[lane] = static_cast<int64_t>(access.address[lane]) + moved;
  return part;
}

void add_lane(const Found& place, int lane, int64_t bytes, WarpAccess& access) {
  access.width = static_cast<int>(bytes);
  access.active |= LaneMask{1} << lane;
  access.addresses[lane] = static_cast<int64_t>(place.address);
}

}  // namespace

AccessTally& BlockCounter::tally_of(const MemoryAccess& access, AccessClass access_class) {
  const auto [found, is_new] = table_.try_emplace({access.number, access_class});
  if (is_new && access.space == Space::shared)
    found->second.array = launch_.shared_variable(access.address[std::countr_zero(access.lanes)]);
  if (is_new && access.allocation) found->second.array = access.allocation->name;
  return found->second;
}

AccessTally& BlockCounter::tally_of(uint32_t number, AccessClass access_class, const Found& place) {
  const auto [found, is_new] = table_.try_emplace({number, access_class});
  if (is_new) found->second.array = launch_.array_at(place);
  return found->second;
}

void BlockCounter::access(const MemoryAccess& access) {
  others_.local_requests += access.space == Space::local ? 1 : 0;
  if (!is_counted(access)) return;
  const AccessClass access_class = class_of(access.detail, access.space);
  const LaneMask elsewhere = lanes_elsewhere(access);
  if (elsewhere != 0 && !is_atomic(access_class)) exchange(access, access_class, elsewhere);
  const LaneMask here = access.lanes & ~elsewhere;
  if (here == 0) return;
  AccessTally& tally = tally_of(access, access_class);
  const CompiledAccess* const fate = launch_.fate_of(access.number);
  const int64_t bytes = access.detail.all_bytes();
  for (int64_t moved = 0; moved < bytes; moved += widest_access) {
    const WarpAccess part = part_of(access, here, moved);
    ++tally.in_ptx.requests;
    tally.in_ptx.bytes += int64_t{std::popcount(part.active)} * part.width;
    if (!fate)
      count({access.number, access_class}, part, tally);
    else if (!fate->is_dropped)
      warps_[access.warp.number].merging.add(
          *fate, {access.number, access_class}, part,
          [&](AccessKey first, const WarpAccess& whole) { add(first, whole); });
  }
}

/// Bytes of other blocks count as data of both memories, as lanes come there by generic addresses.
void BlockCounter::exchange(const MemoryAccess& access, AccessClass access_class,
                            LaneMask elsewhere) {
  for (int64_t moved = 0; moved < access.detail.all_bytes(); moved += widest_access) {
    const int64_t bytes = count_data_bytes(part_of(access, elsewhere, moved));
    tally_of(access, access_class).counts.data_bytes += bytes;
    others_.data[twin_of(access_class)] += bytes;
  }
}

void BlockCounter::count(AccessKey key, const WarpAccess& access, AccessTally& tally) {
  MemoryCounts counts = counts_of(access, key.second);
  if (!launch_.moves_data(key.first)) counts.data_bytes = 0;
  tally.counts += counts;
  if (key.second == AccessClass::global_atomic) others_.updates.add(access);
  if (launch_.is_generic(key.first)) others_.data[twin_of(key.second)] += counts.data_bytes;
  if (key.second != AccessClass::global_load) return;
  const MissedSectors missed = cache_.load(access, launch_.is_cached(key.first));
  tally.cache += {missed.sectors > 0 ? 1 : 0, missed.sectors, missed.first};
}

void BlockCounter::add(AccessKey key, const WarpAccess& access) {
  if (access.active != 0) count(key, access, table_[key]);
}

// ---- Asynchronous operations --------------------------------------------------------------------

void BlockCounter::start(Warp& warp, int lane, AsyncOperation& operation) {
  if (!operation.detail || operation.is_of_warp) return;
  if (operation.detail->is_bulk) return start_bulk(operation);
  StartedCopies& copies = warps_[warp.number].copies;
  if (copies.detail != operation.detail || lane <= copies.last) end(copies);
  copies.detail = operation.detail;
  copies.last = lane;
  const int64_t bytes = operation.detail->size;
  for (const Piece& piece : operation.pieces)
    if (piece.from.data) {
      tally_of(operation.detail->reads, AccessClass::global_load, piece.from);
      add_lane(piece.from, lane, bytes, copies.reads);
    }
  tally_of(operation.detail->writes, AccessClass::shared_store, operation.pieces.front().to);
  add_lane(operation.pieces.front().to, lane, bytes, copies.writes);
}

void BlockCounter::end(StartedCopies& copies) {
  if (copies.detail) {
    add({copies.detail->reads, AccessClass::global_load}, copies.reads);
    add({copies.detail->writes, AccessClass::shared_store}, copies.writes);
  }
  copies = {};
}

/// The copy engine passes by the units of all other counts.
void BlockCounter::start_bulk(const AsyncOperation& operation) {
  const auto add_bytes = [&](const Found& place, int64_t bytes, uint32_t number, bool is_store) {
    if (!place.data) return;
    MemoryCounts counts;
    counts.bytes = counts.engine_bytes = bytes;
    const AccessClass shared = is_store ? AccessClass::shared_store : AccessClass::shared_load;
    const AccessClass global = is_store ? AccessClass::global_store : AccessClass::global_load;
    tally_of(number, place.owner ? shared : global, place).counts += counts;
  };
  for (const Piece& piece : operation.pieces) {
    add_bytes(piece.from, piece.bytes, operation.detail->reads, false);
    add_bytes(piece.to, piece.bytes, operation.detail->writes, true);
  }
}

/// A wavefront of 128 bytes.
void BlockCounter::multiply(const WarpgroupDetail& detail, int64_t bytes) {
  MemoryCounts counts;
  counts.requests = 1;
  counts.bytes = bytes;
  counts.wavefronts = counts.ideal_wavefronts = bytes / 128;
  table_[{detail.async.reads, AccessClass::shared_load}].counts += counts;
}

// ---- Ends ---------------------------------------------------------------------------------------

void BlockCounter::end(Merging& merging) {
  merging.end([&](AccessKey first, const WarpAccess& whole) { add(first, whole); });
}

/// Accesses on both sides of a barrier never become one.
void BlockCounter::synchronise(Block&, llvm::ArrayRef<LaneMask>) {
  for (Begun& warp : warps_) end(warp.merging);
}

void BlockCounter::end_block(Block& block) {
  for (Begun& warp : warps_) {
    end(warp.merging);
    end(warp.copies);
  }
  others_.stretches = cache_.stretches();
  launch_.add(table_, others_, block);
}

}  // namespace hone::ptx

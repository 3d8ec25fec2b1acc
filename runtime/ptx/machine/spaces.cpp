#include "runtime/ptx/machine/spaces.h"

#include "fmt/format.h"
#include "runtime/ptx/machine/report.h"

namespace hone::ptx {
namespace {

const char* name_of(Space space) {
  switch (space) {
    case Space::shared:
      return "shared memory";
    case Space::local:
      return "local memory";
    case Space::constant:
      return "constant memory";
    case Space::param:
      return "parameters";
    default:
      return "global memory";
  }
}

std::string verb_of(const MemoryDetail& detail) {
  using Kind = MemoryDetail::Kind;
  const char* verb = detail.kind == Kind::load    ? "reads"
                     : detail.kind == Kind::store ? "writes"
                                                  : "updates";
  return fmt::format("{} {} byte{}", verb, detail.all_bytes(), detail.all_bytes() == 1 ? "" : "s");
}

Mistake mistake_of_bounds(const Group& group, std::string what) {
  return {FindingKind::out_of_bounds, std::move(what),
          fmt::format("{} of {}", verb_of(group.detail), name_of(group.space))};
}

[[noreturn]] void fail_bounds(const Group& group, int lane, std::string what) {
  fail(group.warp, lane, mistake_of_bounds(group, std::move(what)));
}

/// Tells of a lane that leaves its memory; far from any, the launch ends. Returns the lane.
LaneMask stray(const Group& group, int lane, bool is_near,
               llvm::function_ref<std::string()> describe) {
  if (!is_near) fail_bounds(group, lane, describe());
  report_stray(group.warp, lane, [&] {
    Mistake mistake = mistake_of_bounds(group, describe());
    mistake.cause = "So close to memory in use, a GPU may not notice; the kernel goes on.";
    return mistake;
  });
  return LaneMask{1} << lane;
}

}  // namespace

void fail_alignment(const Group& group, const Targets& targets) {
  int lane = std::countr_zero(group.mask);
  for_each_lane(group.mask, [&](int other) {
    const bool is_first_wrong = (targets.address[lane] & (group.bytes - 1)) == 0;
    if (is_first_wrong) lane = other;
  });
  fail(group.warp, lane,
       {FindingKind::misaligned_access,
        fmt::format("address {:#x} in {} is no multiple of the {} bytes of the access",
                    targets.address[lane], name_of(group.space), group.bytes),
        verb_of(group.detail)});
}

// ---- Spaces -------------------------------------------------------------------------------------

namespace {

bool is_within(const Block::Range& range, uint64_t first, uint64_t end) {
  return range.begin <= first && end <= range.end;
}

/// The allocation that has the bytes, which is remembered; null where none has.
const Block::Range* range_of(Block& block, uint64_t first, uint64_t end) {
  for (const Block::Range& range : block.ranges)
    if (is_within(range, first, end)) return &range;
  Allocation* const allocation = block.run.module.memory().find(first);
  if (!allocation) return nullptr;
  Block::Range& range = block.ranges[block.next_range++ % block.ranges.size()];
  range = {allocation->address, allocation->address + allocation->bytes, allocation};
  return is_within(range, first, end) ? &range : nullptr;
}

Landing find_global(const Group& group, const Extent& extent, Targets& targets) {
  Block& block = *group.warp.block;
  for_lanes_of(group.mask, [&](int lane) {
    targets.data[lane] = reinterpret_cast<std::byte*>(targets.address[lane]);
  });
  const bool writes = group.detail.kind != MemoryDetail::Kind::load;
  const Block::Range* common = range_of(block, extent.least, extent.end(group.bytes));
  if (common && !(writes && common->allocation->is_read_only)) {
    common->allocation->is_written |= writes;
    return {common->allocation};
  }
  Landing landing;
  const Memory& memory = block.run.module.memory();
  for_each_lane(group.mask, [&](int lane) {
    const uint64_t address = targets.address[lane];
    const Block::Range* range = range_of(block, address, address + group.bytes);
    if (!range) {
      landing.strays |= stray(group, lane, memory.is_near(address, group.bytes),
                              [&] { return memory.describe(address); });
      return;
    }
    if (writes && range->allocation->is_read_only)
      fail_bounds(group, lane, fmt::format("{} is constant memory", range->allocation->name));
    range->allocation->is_written |= writes;
  });
  return landing;
}

/// "4 bytes before the begin of shared memory", "byte 5000 of shared memory, of which the block has
/// 4096"
std::string describe_piece(int64_t address, int64_t bytes, const char* piece, const char* owner) {
  if (address < 0) return fmt::format("{} bytes before the begin of {}", -address, piece);
  return fmt::format("byte {} of {}, of which {} has {}", address, piece, owner, bytes);
}

/// A 32-bit address before the begin is a large one.
std::string describe_shared(const Block& block, uint64_t address, int address_bytes) {
  const auto place =
      address_bytes == 4 ? static_cast<int32_t>(address) : static_cast<int64_t>(address);
  return describe_piece(place, block.run.shared_bytes, "shared memory", "the block");
}

/// The lowest bits are the place in the memory of a block, those above them its rank.
LaneMask find_shared_of_cluster(const Group& group, Targets& targets) {
  Block& block = *group.warp.block;
  LaneMask strays = 0;
  for_each_lane(group.mask, [&](int lane) {
    const uint64_t address = targets.address[lane];
    Block* owner = &block;
    constexpr uint64_t most_rank = 0xff;
    if (const uint64_t rank = address >> window::rank_shift; rank != 0)
      owner = block.team.peer(block, static_cast<int64_t>(rank) - 1);
    const uint64_t place = window::place_in_block(address);
    const bool has_owner = address >> window::rank_shift <= most_rank && owner;
    if (!has_owner || place + group.bytes > block.shared_bytes())
      strays |= stray(group, lane, has_owner && place + group.bytes <= owner->shared.size(),
                      [&] { return describe_shared(block, address, group.detail.address_bytes); });
    targets.data[lane] = owner->shared.data() + place;
  });
  return strays;
}

/// Returns the lanes that are outside of what the kernel asked for.
LaneMask find_shared(const Group& group, const Extent& extent, Targets& targets) {
  Block& block = *group.warp.block;
  if (extent.end(group.bytes) > block.shared_bytes()) return find_shared_of_cluster(group, targets);
  std::byte* const data = block.shared.data();
  for_lanes_of(group.mask, [&](int lane) { targets.data[lane] = data + targets.address[lane]; });
  return 0;
}

void find_local(const Group& group, const Extent& extent, Targets& targets) {
  Warp& warp = group.warp;
  if (extent.end(group.bytes) > static_cast<uint64_t>(warp.local_stride))
    for_each_lane(group.mask, [&](int lane) {
      const auto address = static_cast<int64_t>(targets.address[lane]);
      if (address < 0 || address + group.bytes > warp.local_stride)
        fail_bounds(group, lane,
                    describe_piece(address, warp.local_stride, "local memory", "the thread"));
    });
  for_lanes_of(group.mask, [&](int lane) {
    targets.data[lane] = warp.local.data() + lane * warp.local_stride + targets.address[lane];
  });
}

void find_param(const Group& group, Targets& targets) {
  const auto params = group.warp.block->run.params;
  for_each_lane(group.mask, [&](int lane) {
    const uint64_t address = targets.address[lane];
    if (group.detail.kind != MemoryDetail::Kind::load || address + group.bytes > params.size())
      fail_bounds(group, lane,
                  fmt::format("byte {} of {} of the parameters", address, params.size()));
    targets.data[lane] = const_cast<std::byte*>(params.data()) + address;
  });
}

}  // namespace

Landing find_in_space(const Group& group, const Extent& extent, Targets& targets) {
  switch (group.space) {
    case Space::shared:
      return {nullptr, find_shared(group, extent, targets)};
    case Space::local:
      find_local(group, extent, targets);
      return {};
    case Space::param:
      find_param(group, targets);
      return {};
    default:
      return find_global(group, extent, targets);
  }
}

}  // namespace hone::ptx

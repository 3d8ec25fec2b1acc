#include "runtime/ptx/machine/access.h"

#include <algorithm>

#include "fmt/format.h"
#include "runtime/ptx/machine/report.h"
#include "runtime/ptx/machine/unset.h"

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

Space space_of(uint64_t generic_address) {
  if (window::has(window::shared, generic_address)) return Space::shared;
  if (window::has(window::local, generic_address)) return Space::local;
  if (window::has(window::param, generic_address)) return Space::param;
  return Space::global;
}

/// The lanes of an access that are in one space.
struct Group {
  Warp& warp;
  const MemoryDetail& detail;
  Space space;
  LaneMask mask;
  int64_t bytes;
};

/// Of the addresses of a group: the least, the greatest, and all bits that are in any of them.
struct Extent {
  uint64_t least = ~uint64_t{0}, greatest = 0, bits = 0;

  /// Behind all bytes of an access; addresses may lie at the end of all memory.
  uint64_t end(int64_t bytes) const {
    return greatest + static_cast<uint64_t>(bytes) < greatest ? ~uint64_t{0} : greatest + bytes;
  }
  void add(uint64_t address) {
    least = std::min(least, address);
    greatest = std::max(greatest, address);
    bits |= address;
  }
};

template <class Use>
void for_lanes_of(LaneMask mask, const Use& use) {
  if (mask != all_lanes) return for_each_lane(mask, use);
  for (int lane = 0; lane < lanes; ++lane) use(lane);
}

Extent extent_of(const Group& group, const Targets& targets) {
  Extent extent;
  for_lanes_of(group.mask, [&](int lane) { extent.add(targets.address[lane]); });
  return extent;
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

[[noreturn]] void fail_alignment(const Group& group, const Targets& targets) {
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

/// The memory that the lanes of a group have come to.
struct Landing {
  Allocation* allocation = nullptr;  ///< that all of them are in, if it is one
  LaneMask strays = 0;               ///< those that are outside of their memory
};

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

/// Strays are told already; what they read counts as a value.
void observe(const Group& group, const Op& op, const Targets& targets, const Landing& landing,
             bool is_uniform) {
  Warp& warp = group.warp;
  Observer* const observer = warp.block->observer.get();
  if (!observer) return;
  const MemoryDetail& detail = group.detail;
  if (op.sources[0].exists() && !warp.at_hand.frame->unset.empty())
    observer->use_address(warp, op.sources[0]);
  if (landing.strays != 0) {
    const bool loads = detail.kind == MemoryDetail::Kind::load;
    for (const Ref result : loads ? llvm::ArrayRef<Ref>(detail.values) : detail.results)
      mark_unset(warp, result, 0, op.detail);
  }
  if (const LaneMask inside = group.mask & ~landing.strays; inside != 0)
    observer->access({warp, detail, op.detail, group.space, inside, targets.address, targets.data,
                      landing.allocation, is_uniform});
}

void find_group(const Group& group, const Op& op, Targets& targets) {
  const Extent extent = extent_of(group, targets);
  if ((extent.bits & (group.bytes - 1)) != 0) fail_alignment(group, targets);
  const Landing landing = find_in_space(group, extent, targets);
  const bool is_uniform = extent.least == extent.greatest;
  targets.is_uniform = is_uniform && group.space != Space::local && group.mask == group.warp.active;
  observe(group, op, targets, landing, is_uniform);
}

void set_addresses(const Warp& warp, const Op& op, const MemoryDetail& detail, Targets& targets) {
  const auto offset = static_cast<uint64_t>(detail.offset);
  if (!op.sources[0].exists()) {
    targets.address.fill(offset);
  } else if (detail.address_bytes == 4) {
    const auto* base = warp.at<uint32_t>(op.sources[0]);
    for (int lane = 0; lane < lanes; ++lane)
      targets.address[lane] = static_cast<uint32_t>(base[lane] + offset);
  } else {
    const auto* base = warp.at<uint64_t>(op.sources[0]);
    for (int lane = 0; lane < lanes; ++lane) targets.address[lane] = base[lane] + offset;
  }
}

/// Shared addresses of 64 bits may be generic ones that were cut: they are taken as they are.
void find_generic(Warp& warp, const Op& op, const MemoryDetail& detail, Targets& targets) {
  for (LaneMask left = warp.active; left != 0;) {
    const Space space = space_of(targets.address[std::countr_zero(left)]);
    LaneMask same = 0;
    for_each_lane(left, [&](int lane) {
      if (space_of(targets.address[lane]) != space) return;
      same |= LaneMask{1} << lane;
      targets.address[lane] -= window::of(space);
    });
    find_group({warp, detail, space, same, detail.all_bytes()}, op, targets);
    left &= ~same;
  }
}

}  // namespace

void find_targets(Warp& warp, const Op& op, const MemoryDetail& detail, Targets& targets) {
  set_addresses(warp, op, detail, targets);
  warp.has_looked |= detail.is_strong;
  if (detail.space == Space::generic) return find_generic(warp, op, detail, targets);
  find_group({warp, detail, detail.space, warp.active, detail.all_bytes()}, op, targets);
}

void find_at(Warp& warp, uint32_t number, Targets& targets) {
  Op op;
  op.detail = number;
  find_generic(warp, op, warp.block->run.program.memory[number], targets);
}

Found shared_place(Block& block, uint64_t address) {
  constexpr uint64_t low = (uint64_t{1} << window::rank_shift) - 1;
  const uint64_t rank = address >> window::rank_shift;
  Block& owner = rank == 0 ? block : *block.team.peer(block, static_cast<int64_t>(rank) - 1);
  return {&owner, address & low, owner.shared.data() + (address & low)};
}

Found find_place(Warp& warp, int lane, uint64_t generic_address, int64_t bytes, int64_t alignment,
                 MemoryDetail::Kind kind) {
  MemoryDetail detail;
  detail.kind = kind;
  detail.moved = bytes;
  Targets targets;
  const Space space = space_of(generic_address);
  targets.address[lane] = generic_address - window::of(space);
  const LaneMask mask = LaneMask{1} << lane;
  const Group group = {warp, detail, space, mask, bytes};
  const Extent extent = extent_of(group, targets);
  if ((extent.bits & (alignment - 1)) != 0)
    fail_alignment({warp, detail, space, mask, alignment}, targets);
  find_in_space(group, extent, targets);
  if (space == Space::shared) return shared_place(*warp.block, targets.address[lane]);
  return {nullptr, generic_address, targets.data[lane]};
}

std::byte* find_bytes(Warp& warp, int lane, uint64_t generic_address, int64_t bytes) {
  return find_place(warp, lane, generic_address, bytes, 1, MemoryDetail::Kind::load).data;
}

uint64_t address_in(const Warp& warp, const AddressOperand& operand, int lane) {
  const auto offset = static_cast<uint64_t>(operand.offset);
  uint64_t address = offset;
  if (operand.base.exists() && operand.bytes == 4)
    address = static_cast<uint32_t>(warp.at<uint32_t>(operand.base)[lane] + offset);
  else if (operand.base.exists())
    address = warp.at<uint64_t>(operand.base)[lane] + offset;
  return address + window::of(operand.space);
}

}  // namespace hone::ptx

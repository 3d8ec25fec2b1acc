#include "runtime/ptx/machine/access.h"

#include "runtime/ptx/machine/spaces.h"
#include "runtime/ptx/machine/unset.h"

namespace hone::ptx {
namespace {

Space space_of(uint64_t generic_address) {
  if (window::has(window::shared, generic_address)) return Space::shared;
  if (window::has(window::local, generic_address)) return Space::local;
  if (window::has(window::param, generic_address)) return Space::param;
  return Space::global;
}

Extent extent_of(const Group& group, const Targets& targets) {
  Extent extent;
  for_lanes_of(group.mask, [&](int lane) { extent.add(targets.address[lane]); });
  return extent;
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
      mark_unset(warp, result, landing.strays, 0, op.detail);
  }
  if (const LaneMask inside = group.mask & ~landing.strays; inside != 0)
    observer->access({warp, detail, op.detail, group.space, inside, targets.address, targets.data,
                      landing.allocation, is_uniform});
}

void land(const Group& group, const Op& op, const Extent& extent, Targets& targets) {
  const Landing landing = find_in_space(group, extent, targets);
  const bool is_uniform = extent.least == extent.greatest;
  targets.is_uniform = is_uniform && group.space != Space::local && group.mask == group.warp.active;
  observe(group, op, targets, landing, is_uniform);
}

void find_group(const Group& group, const Op& op, Targets& targets) {
  const Extent extent = extent_of(group, targets);
  if ((extent.bits & (group.bytes - 1)) != 0) fail_alignment(group, targets);
  land(group, op, extent, targets);
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

void find_lanes(Warp& warp, const MemoryDetail& detail, uint32_t number, LaneMask lanes,
                Targets& targets) {
  if (lanes == 0) return;
  Op op;
  op.detail = number;
  const Group group = {warp, detail, Space::global, lanes, detail.all_bytes()};
  land(group, op, extent_of(group, targets), targets);
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
  // A GPU takes a generic address for one of the space that it leads to.
  const uint64_t begin = window::of(operand.space);
  return begin != 0 && window::has(begin, address) ? address : address + begin;
}

}  // namespace hone::ptx

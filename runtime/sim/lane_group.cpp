#include "runtime/sim/lane_group.h"

#include <cassert>

#include "runtime/sim/access.h"
#include "runtime/sim/lanes.h"

namespace hone {
namespace {

/// Bytes of a lane in a slot; 0 where it has none, or is found anew by each statement.
size_t lane_bytes(SlotKind kind) {
  const bool has_lanes = kind != SlotKind::uniform && kind != SlotKind::alias;
  return has_lanes ? size_t{1} << (static_cast<int>(kind) - static_cast<int>(SlotKind::lanes_of_1))
                   : 0;
}

std::byte* first_byte(LaneGroup& group) { return group.uniforms.data()->bytes.data(); }
const std::byte* first_byte(const LaneGroup& group) { return group.uniforms.data()->bytes.data(); }

/// Values that lanes have lie behind one another: those of a part start further on.
void move_values(const SimProgram& program, LaneGroup& part, const LaneGroup& group, int first) {
  for (size_t slot = 0; slot < part.slots.size(); ++slot) {
    std::byte*& home = part.slot_homes[slot];
    if (program.slots[slot] == SlotKind::uniform)
      home = first_byte(part) + (home - first_byte(group));
    else
      home += first * lane_bytes(program.slots[slot]);
  }
  part.slots = part.slot_homes;
  for (size_t memory = 0; memory < part.places.size(); ++memory)
    if (const TensorNode& tensor = *program.memories[memory].tensor;
        tensor.scope == Scope::registers)
      part.places[memory].data += first * static_cast<size_t>(lane_bytes(tensor.type));
}

}  // namespace

WarpBits LaneGroup::warps() const {
  const int count = (lanes + warp_lanes - 1) / warp_lanes;
  return ~WarpBits{0} >> (most_warps_together - count) << first_lane / warp_lanes;
}

void LaneGroup::leave_frame() {
  const Frame& frame = frames.back();
  next = frame.opener + 1;
  end = frame.end;
  mask = &masks[frame.mask];
  frames.pop_back();
}

/// Lanes that have no part in the code at hand go on behind it.
LaneGroup part_of(const SimProgram& program, const LaneGroup& group, int first, int lanes,
                  uint64_t& stamp) {
  assert(first % warp_lanes == 0 && "warps stay whole");
  LaneGroup part = group;
  part.first_lane += first;
  part.lanes = lanes;
  part.padded_lanes = first + lanes == group.lanes ? group.padded_lanes - first : lanes;
  move_values(program, part, group, first);
  for (Mask& mask : part.masks) mask = mask.part(first, lanes, part.padded_lanes, ++stamp);
  part.mask = &part.masks[group.mask_number()];
  for (size_t base = 0; base < part.bases.size(); ++base) {
    part.bases[base].values = reinterpret_cast<const int64_t*>(part.slots[program.bases[base]]);
    summarise(part.bases[base], part.masks.front());
  }
  while (part.mask->count() == 0) part.leave_frame();
  return part;
}

bool stand_together(const LaneGroup& lhs, const LaneGroup& rhs) {
  if (lhs.next != rhs.next || lhs.frames.size() != rhs.frames.size()) return false;
  for (size_t n = 0; n < lhs.frames.size(); ++n)
    if (lhs.frames[n].opener != rhs.frames[n].opener ||
        lhs.frames[n].trips_left != rhs.frames[n].trips_left)
      return false;
  return true;
}

void append(LaneGroup& group, const LaneGroup& next, uint64_t& stamp) {
  assert(group.first_lane + group.lanes == next.first_lane && stand_together(group, next));
  group.lanes += next.lanes;
  group.padded_lanes += next.padded_lanes;
  for (size_t n = 0; n < group.masks.size(); ++n) group.masks[n].append(next.masks[n], ++stamp);
  for (Base& base : group.bases) summarise(base, group.masks.front());
}

}  // namespace hone

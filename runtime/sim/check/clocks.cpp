#include "runtime/sim/check/clocks.h"

#include <algorithm>
#include <bit>

#include "runtime/sim/lanes.h"

namespace hone {
namespace {

constexpr int warp_shift = 5;
static_assert(1 << warp_shift == warp_lanes);

uint64_t floor_at(uint64_t time) { return Stamp::of(time, 0, 0).bits; }

void raise(uint64_t* floors, const uint64_t* others, size_t count) {
  for (size_t n = 0; n < count; ++n) floors[n] = std::max(floors[n], others[n]);
}

/// Calls `use` with each of the lanes.
template <class Use>
void for_lanes(uint32_t lanes, const Use& use) {
  for (uint32_t left = lanes; left != 0; left &= left - 1) use(std::countr_zero(left));
}

}  // namespace

Clocks::Clocks(int threads, bool by_warp)
    : threads_(threads),
      shift_(by_warp ? warp_shift : Stamp::lane_bits),
      times_(((threads - 1) >> shift_) + 1),
      floors_(times_.size() * times_.size()),
      of_lanes_(times_.size()) {}

void Clocks::begin() {
  const uint64_t time = *std::max_element(times_.begin(), times_.end()) + 1;
  std::fill(times_.begin(), times_.end(), time);
  std::fill(floors_.begin(), floors_.end(), floor_at(time));
  for (LaneFloors& lanes : of_lanes_) lanes.lanes = 0;
}

/// Of a warp, the last of which may be a part of one.
uint32_t Clocks::all_lanes(int agent) const {
  const int count = std::min(threads_ - (agent << shift_), warp_lanes);
  return ~uint32_t{0} >> (warp_lanes - count);
}

/// The agent knows what any of its lanes knew.
void Clocks::tell_all_lanes(int agent) {
  LaneFloors& own = of_lanes_[agent];
  for_lanes(own.lanes, [&](int lane) {
    raise(&floors_[agent * times_.size()], own.of_lane[lane].data(), times_.size());
  });
  own.lanes = 0;
}

void Clocks::join(WarpBits agents) {
  const size_t count = times_.size();
  const auto takes_part = [&](size_t agent) { return (agents >> agent & 1) != 0; };
  std::vector<uint64_t> floors(count);
  for (size_t agent = 0; agent < count; ++agent) {
    if (!takes_part(agent)) continue;
    tell_all_lanes(static_cast<int>(agent));
    ++times_[agent];
    raise(floors.data(), &floors_[agent * count], count);
  }
  for (size_t agent = 0; agent < count; ++agent)
    if (takes_part(agent)) floors[agent] = floor_at(times_[agent]);
  for (size_t agent = 0; agent < count; ++agent)
    if (takes_part(agent)) std::copy(floors.begin(), floors.end(), &floors_[agent * count]);
}

void Clocks::release_past(int agent, uint32_t lanes, Floors& floors) const {
  floors.resize(times_.size());
  for_lanes(lanes,
            [&](int lane) { raise(floors.data(), floors_of_lane(agent, lane), times_.size()); });
}

void Clocks::release(int agent, uint32_t lanes, Floors& floors) {
  release_past(agent, lanes, floors);
  floors[agent] = std::max(floors[agent], floor_at(++times_[agent]));
}

void Clocks::acquire(int agent, uint32_t lanes, const Floors& floors) {
  ++times_[agent];
  if (floors.empty()) return;
  LaneFloors& own = of_lanes_[agent];
  const bool is_of_all = lanes == all_lanes(agent);
  if (is_of_all) raise(&floors_[agent * times_.size()], floors.data(), times_.size());
  own.of_lane.resize(warp_lanes);
  for_lanes(is_of_all ? own.lanes : lanes, [&](int lane) {
    if ((own.lanes >> lane & 1) == 0)
      own.of_lane[lane].assign(floors_of(agent), floors_of(agent) + times_.size());
    raise(own.of_lane[lane].data(), floors.data(), times_.size());
  });
  if (!is_of_all) own.lanes |= lanes;
}

}  // namespace hone

#include "runtime/sim/clocks.h"

#include <algorithm>

#include "runtime/sim/lanes.h"

namespace hone {
namespace {

constexpr int warp_shift = 5;
static_assert(1 << warp_shift == warp_lanes);

uint64_t floor_at(uint64_t time) { return Stamp::of(time, 0, 0).bits; }

}  // namespace

Clocks::Clocks(int threads, bool by_warp)
    : shift_(by_warp ? warp_shift : Stamp::lane_bits),
      times_(((threads - 1) >> shift_) + 1),
      floors_(times_.size() * times_.size()) {}

void Clocks::begin() {
  const uint64_t time = *std::max_element(times_.begin(), times_.end()) + 1;
  std::fill(times_.begin(), times_.end(), time);
  std::fill(floors_.begin(), floors_.end(), floor_at(time));
}

void Clocks::join(uint32_t agents) {
  const size_t count = times_.size();
  const auto takes_part = [&](size_t agent) { return (agents >> agent & 1) != 0; };
  std::vector<uint64_t> floors(count);
  for (size_t agent = 0; agent < count; ++agent) {
    if (!takes_part(agent)) continue;
    ++times_[agent];
    for (size_t other = 0; other < count; ++other)
      floors[other] = std::max(floors[other], floors_[agent * count + other]);
  }
  for (size_t agent = 0; agent < count; ++agent)
    if (takes_part(agent)) floors[agent] = floor_at(times_[agent]);
  for (size_t agent = 0; agent < count; ++agent)
    if (takes_part(agent)) std::copy(floors.begin(), floors.end(), &floors_[agent * count]);
}

void Clocks::release_past(int agent, Floors& floors) const {
  floors.resize(times_.size());
  for (size_t other = 0; other < times_.size(); ++other)
    floors[other] = std::max(floors[other], floors_[agent * times_.size() + other]);
}

void Clocks::release(int agent, Floors& floors) {
  release_past(agent, floors);
  floors[agent] = std::max(floors[agent], floor_at(++times_[agent]));
}

void Clocks::acquire(int agent, const Floors& floors) {
  for (size_t other = 0; other < floors.size(); ++other) {
    uint64_t& floor = floors_[agent * times_.size() + other];
    floor = std::max(floor, floors[other]);
  }
  ++times_[agent];
}

}  // namespace hone

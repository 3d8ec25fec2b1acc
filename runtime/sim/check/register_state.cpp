#include "runtime/sim/check/register_state.h"

#include <algorithm>
#include <cstring>

namespace hone {

RegisterState::RegisterState(const Worker& worker)
    : lanes_(worker.padded_lanes),
      flags_(worker.program.memories.size()),
      origins_(worker.program.memories.size()) {
  for (size_t n = 0; n < flags_.size(); ++n)
    if (const Memory& memory = worker.program.memories[n]; memory.tensor->scope == Scope::registers)
      flags_[n].resize(memory.elements * lanes_);
}

void RegisterState::clear(const Worker& worker, uint32_t memory) {
  std::vector<uint8_t>& flags = flags_[memory];
  for (size_t start = worker.first_lane; start < flags.size(); start += lanes_)
    std::fill_n(flags.begin() + start, worker.padded_lanes, 0);
  std::vector<int64_t>& origins = origins_[memory];
  for (size_t start = worker.first_lane; start < origins.size(); start += lanes_)
    std::fill_n(origins.begin() + start, worker.padded_lanes, LaneFlags::nowhere);
}

int RegisterState::first_unset(const Worker& worker, const Access& access,
                               const Address& address) const {
  if (!address.base && worker.mask->is_full()) {
    const uint8_t* lanes = at(worker, access.memory, address.uniform);
    const void* unset = std::memchr(lanes, 0, worker.lanes);
    return unset ? static_cast<int>(static_cast<const uint8_t*>(unset) - lanes) : -1;
  }
  int first = -1;
  worker.mask->for_each([&](int lane) {
    if (first < 0 && !at(worker, access.memory, address.element(lane))[lane]) first = lane;
  });
  return first;
}

LaneFlags RegisterState::flags(const Worker& worker, const Access& access,
                               const Address& address) const {
  LaneFlags result;
  if (first_unset(worker, access, address) < 0) return result;
  result.all = false;
  result.lanes.assign(worker.lanes, 1);
  worker.mask->for_each([&](int lane) {
    result.lanes[lane] = at(worker, access.memory, address.element(lane))[lane];
  });
  const std::vector<int64_t>& origins = origins_[access.memory];
  if (origins.empty()) return result;
  result.origins.assign(worker.lanes, LaneFlags::nowhere);
  worker.mask->for_each([&](int lane) {
    result.origins[lane] = origins[address.element(lane) * lanes_ + worker.thread(lane)];
  });
  return result;
}

void RegisterState::set(const Worker& worker, const Access& access, const Address& address,
                        const LaneFlags& flags) {
  uint8_t* const start = flags_[access.memory].data() + worker.first_lane;
  if (!address.base && worker.mask->is_full() && flags.all) {
    std::memset(start + address.uniform * lanes_, 1, worker.lanes);
    return;
  }
  worker.mask->for_each(
      [&](int lane) { start[address.element(lane) * lanes_ + lane] = flags.has(lane); });
  std::vector<int64_t>& origins = origins_[access.memory];
  if (origins.empty() && flags.origins.empty()) return;
  origins.resize(flags_[access.memory].size(), LaneFlags::nowhere);
  worker.mask->for_each([&](int lane) {
    origins[address.element(lane) * lanes_ + worker.thread(lane)] = flags.origin(lane);
  });
}

}  // namespace hone

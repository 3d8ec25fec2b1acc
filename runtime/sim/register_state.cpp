#include "runtime/sim/register_state.h"

#include <algorithm>
#include <cstring>

namespace hone {

RegisterState::RegisterState(const Worker& worker)
    : lanes_(worker.padded_lanes), flags_(worker.program.memories.size()) {
  for (size_t n = 0; n < flags_.size(); ++n)
    if (const Memory& memory = worker.program.memories[n]; memory.tensor->scope == Scope::registers)
      flags_[n].resize(memory.elements * lanes_);
}

void RegisterState::clear(uint32_t memory) {
  std::fill(flags_[memory].begin(), flags_[memory].end(), 0);
}

int RegisterState::first_unset(const Worker& worker, const Access& access,
                               const Address& address) const {
  if (!address.base && worker.mask->is_full()) {
    const uint8_t* lanes = at(access.memory, address.uniform);
    const void* unset = std::memchr(lanes, 0, worker.lanes);
    return unset ? static_cast<int>(static_cast<const uint8_t*>(unset) - lanes) : -1;
  }
  int first = -1;
  worker.mask->for_each([&](int lane) {
    if (first < 0 && !at(access.memory, address.element(lane))[lane]) first = lane;
  });
  return first;
}

LaneFlags RegisterState::flags(const Worker& worker, const Access& access,
                               const Address& address) const {
  LaneFlags result;
  if (first_unset(worker, access, address) < 0) return result;
  result.all = false;
  result.lanes.assign(worker.lanes, 1);
  worker.mask->for_each(
      [&](int lane) { result.lanes[lane] = at(access.memory, address.element(lane))[lane]; });
  return result;
}

void RegisterState::set(const Worker& worker, const Access& access, const Address& address,
                        const LaneFlags& flags) {
  uint8_t* const start = flags_[access.memory].data();
  if (!address.base && worker.mask->is_full() && flags.all) {
    std::memset(start + address.uniform * lanes_, 1, worker.lanes);
    return;
  }
  worker.mask->for_each(
      [&](int lane) { start[address.element(lane) * lanes_ + lane] = flags.has(lane); });
}

}  // namespace hone

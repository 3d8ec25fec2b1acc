#include "runtime/sim/check/sums_in_flight.h"

#include <algorithm>

namespace hone {
namespace {

int64_t groups_of(Worker& worker, int lane) {
  return worker.engines.queues[worker.thread(lane)].groups_of(Timeline::tensor_core);
}

}  // namespace

SumsInFlight::SumsInFlight(const Worker& worker)
    : lanes_(worker.padded_lanes),
      groups_(worker.program.memories.size()),
      ended_(worker.padded_lanes) {}

void SumsInFlight::begin_block() {
  for (std::vector<int64_t>& groups : groups_) groups.clear();
  std::fill(ended_.begin(), ended_.end(), 0);
}

void SumsInFlight::start(Worker& worker, const Access& access, const Address& address) {
  std::vector<int64_t>& groups = groups_[access.memory];
  groups.resize(worker.program.memories[access.memory].elements * lanes_);
  worker.mask->for_each([&](int lane) {
    groups[address.element(lane) * lanes_ + worker.thread(lane)] = groups_of(worker, lane) + 1;
  });
}

void SumsInFlight::end(Worker& worker, int64_t pending) {
  worker.mask->for_each([&](int lane) {
    int64_t& ended = ended_[worker.thread(lane)];
    ended = std::max(ended, groups_of(worker, lane) - pending);
  });
}

int SumsInFlight::first(const Worker& worker, const Access& access, const Address& address) const {
  const std::vector<int64_t>& groups = groups_[access.memory];
  int found = -1;
  if (groups.empty()) return found;
  worker.mask->for_each([&](int lane) {
    const int thread = worker.thread(lane);
    if (found < 0 && groups[address.element(lane) * lanes_ + thread] > ended_[thread]) found = lane;
  });
  return found;
}

}  // namespace hone

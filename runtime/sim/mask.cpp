#include "runtime/sim/mask.h"

#include <algorithm>
#include <numeric>

#include "runtime/sim/lanes.h"

namespace hone {

void Mask::fill(int lanes, int padded_lanes) {
  lanes_ = count_ = lanes;
  flags_.assign(padded_lanes, 0);
  std::fill_n(flags_.begin(), lanes, 1);
}

bool Mask::narrow(const Mask& outer, const uint8_t* condition, bool wanted, uint64_t stamp) {
  const int padded_lanes = static_cast<int>(outer.flags_.size());
  const uint8_t flipped = wanted ? 0 : 1;
  lanes_ = outer.lanes_;
  flags_.resize(padded_lanes);
  map_lanes(
      padded_lanes, flags_.data(),
      [flipped](uint8_t active, uint8_t holds) -> uint8_t { return active & (holds ^ flipped); },
      outer.flags_.data(), condition);
  count_ = std::accumulate(flags_.begin(), flags_.end(), 0);
  stamp_ = count_ == outer.count_ ? outer.stamp_ : stamp;
  is_listed_ = false;
  return count_ > 0;
}

int Mask::first() const {
  return static_cast<int>(std::find(flags_.begin(), flags_.end(), 1) - flags_.begin());
}

int Mask::last() const {
  return static_cast<int>(flags_.rend() - std::find(flags_.rbegin(), flags_.rend(), 1)) - 1;
}

llvm::ArrayRef<int32_t> Mask::active() const {
  if (is_listed_) return active_;
  active_.clear();
  for (int lane = 0; lane < lanes_; ++lane)
    if (flags_[lane]) active_.push_back(lane);
  is_listed_ = true;
  return active_;
}

}  // namespace hone

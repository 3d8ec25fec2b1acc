#include "runtime/sim/mask.h"

#include <algorithm>
#include <numeric>

#include "runtime/sim/lanes.h"

namespace hone {

void Mask::fill(int lanes, int padded_lanes, uint64_t stamp) {
  lanes_ = count_ = lanes;
  stamp_ = stamp;
  is_listed_ = false;
  flags_.assign(padded_lanes, 0);
  std::fill_n(flags_.begin(), lanes, 1);
}

Mask Mask::part(int first, int lanes, int padded_lanes, uint64_t stamp) const {
  Mask result;
  if (flags_.empty()) return result;
  result.flags_.assign(flags_.begin() + first, flags_.begin() + first + padded_lanes);
  result.lanes_ = lanes;
  result.count_ = std::accumulate(result.flags_.begin(), result.flags_.end(), 0);
  result.stamp_ = stamp;
  return result;
}

void Mask::append(const Mask& next, uint64_t stamp) {
  if (flags_.empty() || next.flags_.empty()) {
    *this = {};
    return;
  }
  flags_.insert(flags_.end(), next.flags_.begin(), next.flags_.end());
  lanes_ += next.lanes_;
  count_ += next.count_;
  stamp_ = stamp;
  is_listed_ = false;
}

int Mask::count(int first, int end) const {
  return std::accumulate(flags_.begin() + first, flags_.begin() + end, 0);
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

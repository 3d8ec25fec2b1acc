// The active threads of a group.
#pragma once

#include <cstdint>
#include <vector>

#include "llvm/ADT/ArrayRef.h"

namespace hone {

class Mask {
 public:
  /// All of `lanes`.
  void fill(int lanes, int padded_lanes, uint64_t stamp = 1);
  /// Those of `outer` whose condition is as wanted. `stamp` names the result. Returns whether any
  /// lane is left.
  bool narrow(const Mask& outer, const uint8_t* condition, bool wanted, uint64_t stamp);
  /// The lanes `first` and following, which count from 0 then.
  Mask part(int first, int lanes, int padded_lanes, uint64_t stamp) const;
  /// Adds lanes behind these; without any where one of the masks has none.
  void append(const Mask& next, uint64_t stamp);

  int lanes() const { return lanes_; }
  int count() const { return count_; }
  /// The number of active lanes from `first` to `end`.
  int count(int first, int end) const;
  /// The active lanes of the lowest and of the highest number; there must be one.
  int first() const;
  int last() const;
  bool is_full() const { return count_ == lanes_; }
  bool has(int lane) const { return flags_[lane]; }
  /// Differs between masks of one worker that differ; never 0.
  uint64_t stamp() const { return stamp_; }

  /// Calls `use(lane)` for the active lanes in order.
  template <class Use>
  void for_each(const Use& use) const {
    if (is_full()) {
      for (int lane = 0; lane < lanes_; ++lane) use(lane);
      return;
    }
    for (const int32_t lane : active()) use(lane);
  }

 private:
  llvm::ArrayRef<int32_t> active() const;

  int lanes_ = 0, count_ = 0;
  uint64_t stamp_ = 1;
  std::vector<uint8_t> flags_;           ///< with padding; none where nothing was narrowed yet
  mutable std::vector<int32_t> active_;  ///< filled on demand
  mutable bool is_listed_ = false;
};

}  // namespace hone

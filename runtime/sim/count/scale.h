// Counts of some blocks as those of all.
#pragma once

#include <cmath>

#include "runtime/sim/count/count.h"

namespace hone {

/// From the counts of some blocks to those of all.
class Scale {
 public:
  Scale(int64_t blocks, int64_t counted)
      : factor_(blocks == counted ? 1 : static_cast<double>(blocks) / counted) {}

  int64_t operator()(int64_t count) const {
    return factor_ == 1 ? count : std::llround(static_cast<double>(count) * factor_);
  }
  MemoryCounts operator()(const MemoryCounts& counts) const {
    MemoryCounts scaled = counts;
    for (int64_t* count :
         {&scaled.requests, &scaled.bytes, &scaled.sectors, &scaled.wavefronts,
          &scaled.ideal_wavefronts, &scaled.lines, &scaled.engine_bytes, &scaled.data_bytes})
      *count = (*this)(*count);
    return scaled;
  }
  BranchCounts operator()(const BranchCounts& counts) const {
    return {(*this)(counts.warps), (*this)(counts.divergent)};
  }
  WarpCounts operator()(const WarpCounts& counts) const {
    return {(*this)(counts.warps), (*this)(counts.lanes)};
  }

 private:
  double factor_;
};

}  // namespace hone

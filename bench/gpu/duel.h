// Two kernels timed side by side on a GPU.
#pragma once

#include "bench/gpu/contender.h"

namespace hone {

struct DuelOptions {
  double seconds = 2;  ///< of GPU time, after warm-up; what is very slow takes longer
  int least_rounds = 9;
  int most_rounds = 200;
  /// Launches shorter than this are timed in batches, back to back, that take about ten times as
  /// long.
  double short_milliseconds = 0.02;
};

/// Of milliseconds, or of ratios.
struct Spread {
  double median = 0, p10 = 0, p90 = 0;
};

struct DuelTimes {
  Spread hone, hand;  ///< milliseconds of a launch
  Spread ratio;       ///< the hand-written kernel's time over Hone's, round by round
  int rounds = 0;
  int batch = 1;  ///< launches in a sample
};

/// Each round has a sample of both, in random order; all rounds are queued before the first is
/// read, so that the GPU never waits for the host. A side's launches are taken in turn.
DuelTimes time_duel(const Device& device, const std::vector<Launch>& hone,
                    const std::vector<Launch>& hand, const DuelOptions& options);

}  // namespace hone

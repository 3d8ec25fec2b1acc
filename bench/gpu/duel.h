// Kernels timed on a GPU, alone or side by side.
#pragma once

#include <functional>

#include "runtime/device.h"

namespace hone {

struct DuelOptions {
  double seconds = 2;  ///< after warm-up, with pauses; what is very slow takes longer
  int least_rounds = 9;
  int most_rounds = 200;
  /// Launches shorter than this are timed in batches, back to back, that take about ten times as
  /// long.
  double short_milliseconds = 0.02;
  /// The length of a sample, a burst of launches which a pause follows, so that the GPU stays below
  /// its power limit. 0: samples follow each other without a pause.
  double burst_milliseconds = 0;
};

/// Of milliseconds, or of ratios.
struct Spread {
  double median = 0, p10 = 0, p90 = 0;
};

/// Launches of the same work, each on a copy of the data of its own, to be taken in turn. They give
/// it to the GPU and do not wait.
using Launches = std::vector<std::function<void()>>;

struct DuelTimes {
  Spread hone, hand;  ///< milliseconds of a launch
  Spread ratio;       ///< the hand-written kernel's time over Hone's, round by round
  int rounds = 0;
  int hone_batch = 1, hand_batch = 1;  ///< launches in a sample
};

/// Each round has a sample of both, in random order. Without bursts, all rounds are queued before
/// the first is read, so that the GPU never waits for the host.
DuelTimes time_duel(const Device& device, const Launches& hone, const Launches& hand,
                    const DuelOptions& options);

/// Milliseconds of a launch, measured in the same way.
Spread time_alone(const Device& device, const Launches& launches, const DuelOptions& options);

}  // namespace hone

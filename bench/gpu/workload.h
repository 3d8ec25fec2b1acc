// The data of a comparison, on both sides of the bus, and the verdict on what kernels make of it.
#pragma once

#include "bench/gpu/contender.h"
#include "bench/gpu/contest.h"

namespace hone {

/// How far results lie from each other, and from double precision: ||x - y|| / ||y||, NaN where an
/// element was not written.
struct Check {
  double apart = 0;       ///< Hone's from the hand-written kernel's, over all elements
  double hone_error = 0;  ///< from double precision, over a sample of the elements
  double hand_error = 0;

  bool right() const;
};

/// Random inputs and room for the output. Where memory is the limit there are several copies, more
/// than the L2 cache holds, for launches to take in turn.
class Workload {
 public:
  Workload(const Contest& contest, const Sizes& sizes, const Device& device);

  /// Launches of the contender, one for each copy of the data.
  std::vector<Launch> launches(const Contender& contender) const;

  /// Runs both on the same copy, whose output holds NaN before, and compares.
  Check check(const Contender& hone, const Contender& hand);

 private:
  struct Sample {
    int64_t element;
    double exact;
  };

  std::vector<float> result_of(const Contender& contender);
  double distance_from_exact(const std::vector<float>& result) const;

  const Contest& contest_;
  Sizes sizes_;
  HostTensors inputs_;
  std::vector<Sample> sample_;
  std::vector<DeviceTensors> copies_;
};

}  // namespace hone

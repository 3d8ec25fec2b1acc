// The data of a comparison, on both sides of the bus, and the verdict on what kernels make of it.
#pragma once

#include "bench/gpu/contender.h"
#include "bench/gpu/contest.h"
#include "bench/gpu/duel.h"

namespace hone {

/// The distance of results from each other, and from double precision: ||x - y|| / ||y||, NaN if an
/// element was not written.
struct Check {
  double apart = 0;       ///< Hone's from the hand-written kernel's, over all elements
  double hone_error = 0;  ///< from double precision, over a sample of the elements
  double hand_error = 0;
  double tolerance = 0;  ///< of each

  bool right() const;
};

/// Random inputs and room for the output.
class Workload {
 public:
  /// `rotated` asks for several copies, more than the L2 cache holds, for launches to take in turn.
  Workload(const Contest& contest, const Sizes& sizes, const Device& device, bool rotated);

  /// Launches of the contender, which must outlive them, one for each copy of the data.
  Launches launches(const Contender& contender) const;

  /// Copies on the device that read half the bytes of a launch of this contest, and write as many.
  Launches copy_launches() const;

  /// Runs both on the same copy, whose output holds NaN or -1 before, and compares. Throws
  /// RuntimeError where one writes between the rows of the output.
  Check check(const Contender& hone, const Contender& hand);

  /// The error of one, checked in the same way.
  double error_of(const Contender& contender) { return distance_from_exact(result_of(contender)); }

 private:
  struct Sample {
    int64_t number;  ///< of the output, as the contest counts them
    double exact;
  };

  void add_sample(int64_t number);
  AnyArray upload(DType type, const std::vector<float>& values) const;
  /// The numbers that a run leaves in the output. Throws as check() does; what lies between the
  /// rows is 0.
  std::vector<double> result_of(const Contender& contender);
  /// The same with all of the output.
  std::vector<double> result_over_poison(const Contender& contender);
  /// The same, where all elements were `before`.
  template <class T>
  std::vector<double> result_after(const Contender& contender, T before);
  double distance_from_exact(const std::vector<double>& result) const;

  const Contest& contest_;
  Sizes sizes_;
  Device device_;
  HostTensors inputs_;
  std::vector<Sample> sample_;
  std::vector<DeviceTensors> copies_;
};

}  // namespace hone

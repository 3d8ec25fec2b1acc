// How long work takes on a device.
#pragma once

#include <memory>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "runtime/device.h"

namespace hone {

/// Measures the time between two points in a device's work: events on a GPU, the clock of the host
/// for the other devices, whose work is done when a launch returns.
class Stopwatch {
 public:
  explicit Stopwatch(const Device& device);

  void start();
  void stop();
  /// Waits for the work up to stop(); milliseconds since start().
  double milliseconds() const;

 private:
  struct Events;
  std::shared_ptr<Events> events_;
};

/// The distribution of a measurement, in milliseconds.
struct Timing {
  double median = 0;
  double fastest = 0;
  double percentile_20 = 0;
  double percentile_80 = 0;
  int samples = 0;
};

/// Summarises at least one sample; percentiles are interpolated.
Timing summarize(std::vector<double> milliseconds);

struct TimingOptions {
  int warm_up = 3;  ///< launches before the first sample
  int samples = 20;
  int launches_per_sample = 1;  ///< a sample is their mean: more for kernels of a few microseconds
  bool flush_l2 = true;         ///< each sample starts with a cold L2 cache; GPUs only
};

/// Times `launch`, which gives work to `device` and need not wait for it.
Timing time_launches(const Device& device, llvm::function_ref<void()> launch,
                     const TimingOptions& options = {});

}  // namespace hone

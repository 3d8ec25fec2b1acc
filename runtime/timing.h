// Measures the time of work on a device.
#pragma once

#include <memory>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "runtime/device.h"

namespace hone {

class CudaFunction;

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

/// Takes samples of launches on a device.
class LaunchSampler {
 public:
  explicit LaunchSampler(const Device& device) : device_(device) {}

  /// The time of `count` calls of `launch`, which gives work to the device and need not wait for
  /// it. A GPU starts none of several before all of them are queued: short ones would be done
  /// before the host comes with another. Many samples may be taken before the first is read.
  Stopwatch sample(llvm::function_ref<void()> launch, int count = 1);
  /// Milliseconds of a launch, roughly, after a warm-up of at least two.
  double estimate(llvm::function_ref<void()> launch);

 private:
  void hold(int launches);

  Device device_;
  std::shared_ptr<const CudaFunction> hold_;  ///< null until it is needed
};

/// The value below which `fraction` of at least one sorted sample lie, interpolated.
double quantile(llvm::ArrayRef<double> sorted, double fraction);

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
  int launches_per_sample = 1;  ///< a sample is their mean: more for kernels of a few microseconds,
                                ///< which are held back until all of them are queued
  bool flush_l2 = true;         ///< each sample starts with a cold L2 cache; GPUs only
};

/// Times `launch`, which gives work to `device` and need not wait for it.
Timing time_launches(const Device& device, llvm::function_ref<void()> launch,
                     const TimingOptions& options = {});

}  // namespace hone

// Common parts of the measurements of all kernels at all sizes.
#pragma once

#include "bench/gpu/settings.h"
#include "bench/gpu/workload.h"

namespace hone {

/// Of a rung at one size, as far as it got.
struct Measurement {
  std::string ladder;
  std::string rung;           ///< "bind"
  std::string size;           ///< "1024", "16384x8192"
  double work = 0;            ///< of a launch: floating-point operations, or bytes that must move
  const char* work_per = "";  ///< the unit of work in a nanosecond: "GFLOPS", "GB/s"
  /// Milliseconds that the device takes to copy as many bytes; where memory is the limit.
  std::optional<Spread> copy = std::nullopt;
  std::string failure = {};  ///< the reason that it ended early; empty if it did not
  bool skipped = false;      ///< it ended early, but nothing is wrong

  std::string name() const { return ladder + "/" + rung; }
  /// Work in a nanosecond.
  double rate(const Spread& milliseconds) const { return work / milliseconds.median / 1e6; }
};

Measurement measurement_of(const Contest& contest, const std::string& rung, const Sizes& sizes);

/// Takes a measurement, says so on stderr, and notes why it ends early.
void measure(Measurement& measurement, llvm::function_ref<void()> take);

/// The data of one size of a contest on a GPU, and how fast that copies them.
struct Arena {
  Arena(const Settings& settings, const Contest& contest, const Sizes& sizes);

  Workload workload;
  std::optional<Spread> copy;  ///< milliseconds; where memory is the limit
};

}  // namespace hone

// The hand-written kernels alone: what they are compiled to, whether they are right, how fast they
// are. A yardstick is checked before anything is held to it.
#pragma once

#include "bench/gpu/measurement.h"

namespace hone {

/// Runs of a kernel on problems with edges.
struct EdgeChecks {
  int problems = 0;
  int wrong = 0;
};

/// A hand-written kernel.
struct Trial : Measurement {
  Contender contender = {};
  // On a GPU.
  /// Relative, from double precision, over a sample of the elements.
  std::optional<double> error = std::nullopt;
  EdgeChecks edges = {};
  double tolerance = 0;
  std::optional<Spread> times = std::nullopt;  ///< milliseconds of a launch

  /// Nothing is wrong, as far as it got.
  bool passed() const;
};

/// Tries the selected hand-written kernels, at all sizes.
std::vector<Trial> try_all(const Settings& settings);

}  // namespace hone
